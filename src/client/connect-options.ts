/** What can be said when a client connects. */
import type { Logger } from "@temporalio/common";
import type { NamedStores } from "../connection/open-media-store.js";
import type { SettingsOptions } from "../connection/settings.js";
import type { Agent } from "../core/agent.js";

export interface ConnectOptions extends SettingsOptions {
  /** Start a server and a worker in this process; their state lies in `.holdfast/` of the folder. */
  readonly embedded?: boolean;
  /** With `embedded`: the simulator answers in the providers' place. */
  readonly simulate?: boolean;
  /** With `embedded`: agents that the worker deploys. */
  readonly agents?: readonly Agent[];
  /** Media stores of your own, by the name under which agents and saves name them. Workers need them as well. */
  readonly stores?: NamedStores;
  /** Temporal's logger interface. Warnings go to stderr without it. */
  readonly logger?: Logger;
  readonly env?: NodeJS.ProcessEnv;
  /** Folder against which paths are resolved and `.holdfast/` is looked for. */
  readonly cwd?: string;
}
