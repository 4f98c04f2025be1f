/** What can be said when a client connects. */
import type { Client } from "@temporalio/client";
import type { Logger } from "@temporalio/common";
import type { Tool } from "../activities/tools/tool.js";
import type { NamedStores } from "../connection/open-media-store.js";
import type { SettingsOptions } from "../connection/settings.js";
import type { Agent } from "../core/agent.js";
import type { FrameSource } from "../core/conversation/frame.js";
import type { Prices } from "../core/prices.js";

export interface ConnectOptions extends SettingsOptions {
  /** Start a server and a worker in this process; their state lies in `.holdfast/` of the folder. */
  readonly embedded?: boolean;
  /** With `embedded`: the simulator answers in the providers' place. */
  readonly simulate?: boolean;
  /** With `embedded`: tools that the worker runs, beside those of its agents. */
  readonly tools?: readonly Tool[];
  /** With `embedded`: agents that the worker deploys. */
  readonly agents?: readonly Agent[];
  /** With `embedded`: what models cost, for a million tokens, after what an agent says itself. */
  readonly prices?: Prices;
  /** Media stores of your own, by the name under which agents and saves name them. Workers need them as well. */
  readonly stores?: NamedStores;
  /**
   * A client of Temporal that is connected already: its connection, namespace and data converter are used, and it stays open. Of the
   * settings only the task queue, the stores and the stream come from options, environment and folder.
   */
  readonly client?: Client;
  /** Where frames are read, for a sink of your own; by default the stream hub that the settings name, if any. */
  readonly frames?: FrameSource;
  /** Temporal's logger interface. Warnings go to stderr without it. */
  readonly logger?: Logger;
  readonly env?: NodeJS.ProcessEnv;
  /** Folder against which paths are resolved and `.holdfast/` is looked for. */
  readonly cwd?: string;
}
