/** How a client connects, and what it is given beside its settings. */
import type { Logger } from "@temporalio/common";
import type { SettingsOptions } from "../connection/settings.js";
import type { Agent } from "../core/agent.js";
import type { FrameSource } from "../core/conversation/frame.js";

export interface ConnectOptions extends SettingsOptions {
  /** Start a server and a worker in this process; their state lies in `.holdfast/` of the folder. */
  readonly embedded?: boolean;
  /** With `embedded`: the simulator answers in the providers' place. */
  readonly simulate?: boolean;
  /** With `embedded`: agents that the worker deploys. */
  readonly agents?: readonly Agent[];
  /** Where frames are read, for a sink of your own; by default the stream hub that the settings name, if any. */
  readonly frames?: FrameSource;
  /** Temporal's logger interface. Warnings go to stderr without it. */
  readonly logger?: Logger;
  readonly env?: NodeJS.ProcessEnv;
  /** Folder against which paths are resolved and `.holdfast/` is looked for. */
  readonly cwd?: string;
}
