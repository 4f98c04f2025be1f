/** The names of the client's options; a name that is missing here does not pass the type check. */
import type { Agent } from "../core/agent.js";
import { UsageError } from "../core/errors/errors.js";
import type { OptionNames } from "../core/known-options.js";
import type { RunOptions, SubmitOptions } from "./conversation.js";
import type { StartOptions } from "./conversation-options.js";
import type { ConnectOptions } from "./conversations.js";

export const SUBMIT_OPTIONS: OptionNames<SubmitOptions> = { files: true, turnId: true, onBusy: true };

export const RUN_OPTIONS: OptionNames<RunOptions> = { ...SUBMIT_OPTIONS, signal: true, onAccepted: true };

export const START_OPTIONS: OptionNames<StartOptions> = { id: true, ifExists: true, checkpoint: true };

export const CONNECT_OPTIONS: OptionNames<ConnectOptions> = {
  embedded: true,
  simulate: true,
  agents: true,
  logger: true,
  env: true,
  cwd: true,
  address: true,
  namespace: true,
  apiKey: true,
  tls: true,
  profile: true,
  taskQueue: true,
  mediaStore: true,
  payloadStore: true,
  stream: true,
};

/** By its shape: it may come from another copy of the package. @throws UsageError for anything else. */
export function assertAgent(agent: unknown): asserts agent is Agent {
  if (typeof agent === "object" && agent !== null && "spec" in agent && "resolved" in agent) return;
  throw new UsageError(
    'A conversation starts with an agent: start(new Agent({ model: "claude-haiku-4-5" })).',
  );
}
