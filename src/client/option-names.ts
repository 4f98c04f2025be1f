/** The names of the client's options; a name that is missing here does not pass the type check. */
import type { Agent } from "../core/agent.js";
import { UsageError } from "../core/errors/errors.js";
import { assertOptions, type OptionNames } from "../core/known-options.js";
import type { GarbageOptions } from "./collect-garbage.js";
import type { ConnectOptions } from "./connect-options.js";
import type {
  ExportOptions,
  ForkOptions,
  HistoryOptions,
  ReportOptions,
  ResendOptions,
  RestoreOptions,
  RunOptions,
  SaveOptions,
  StartOptions,
  SubmitOptions,
} from "./conversation-options.js";
import type { ListOptions } from "./list-conversations.js";
import type { PreviewOptions, RebindOptions } from "./rebind-request.js";
import type { WaitOptions } from "./turn.js";

const WAIT_OPTIONS: OptionNames<WaitOptions> = { signal: true };
const SUBMIT_OPTIONS: OptionNames<SubmitOptions> = {
  files: true,
  turnId: true,
  onBusy: true,
  budget: true,
  output: true,
};
const RUN_OPTIONS: OptionNames<RunOptions> = { ...SUBMIT_OPTIONS, signal: true, onAccepted: true };
const RESEND_OPTIONS: OptionNames<ResendOptions> = {
  files: true,
  budget: true,
  signal: true,
  onAccepted: true,
  output: true,
};
const SAVE_OPTIONS: OptionNames<SaveOptions> = {
  media: true,
  mediaStore: true,
  mediaMaxInlineBytes: true,
};
const REPORT_OPTIONS: OptionNames<ReportOptions> = SAVE_OPTIONS;
const EXPORT_OPTIONS: OptionNames<ExportOptions> = { path: true, overwrite: true, ...SAVE_OPTIONS };
const PREVIEW_OPTIONS: OptionNames<PreviewOptions> = { convert: true };
const REBIND_OPTIONS: OptionNames<RebindOptions> = { ...PREVIEW_OPTIONS, budget: true, wait: true };
const START_OPTIONS: OptionNames<StartOptions> = { id: true, ifExists: true, checkpoint: true };
const RESTORE_OPTIONS: OptionNames<RestoreOptions> = {
  agent: true,
  ...START_OPTIONS,
  convert: true,
  mediaStore: true,
  preserveMedia: true,
};
const HISTORY_OPTIONS: OptionNames<HistoryOptions> = { dialect: true, ...RESTORE_OPTIONS, system: true };
const FORK_OPTIONS: OptionNames<ForkOptions> = { at: true, ...RESTORE_OPTIONS };
const GARBAGE_OPTIONS: OptionNames<GarbageOptions> = {
  delete: true,
  olderThanMs: true,
  envelopes: true,
  mediaStore: true,
};
const CONNECT_OPTIONS: OptionNames<ConnectOptions> = {
  embedded: true,
  simulate: true,
  agents: true,
  tools: true,
  prices: true,
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
  stores: true,
  payloadStore: true,
  stream: true,
  client: true,
  frames: true,
};

export type OptionsOwner =
  | "connect"
  | "start"
  | "checkpoint"
  | "list"
  | "fromJson"
  | "fromEnvelope"
  | "fromMessages"
  | "fork"
  | "gc"
  | "run"
  | "submit"
  | "resend"
  | "approve"
  | "deny"
  | "rebind"
  | "previewRebind"
  | "toJson"
  | "toEnvelope"
  | "persistenceReport"
  | "messages"
  | "stream"
  | "turns"
  | "result";

/** By the name of the call, or of the option that is an object itself. */
const OPTIONS: Readonly<Record<OptionsOwner, Readonly<Record<string, true>>>> = {
  connect: CONNECT_OPTIONS,
  start: START_OPTIONS,
  checkpoint: { path: true },
  list: { closed: true, activity: true } satisfies OptionNames<ListOptions>,
  fromJson: RESTORE_OPTIONS,
  fromEnvelope: RESTORE_OPTIONS,
  fromMessages: HISTORY_OPTIONS,
  fork: FORK_OPTIONS,
  gc: GARBAGE_OPTIONS,
  run: RUN_OPTIONS,
  submit: SUBMIT_OPTIONS,
  resend: RESEND_OPTIONS,
  approve: { reason: true, turnId: true, arguments: true },
  deny: { reason: true, turnId: true },
  rebind: REBIND_OPTIONS,
  previewRebind: PREVIEW_OPTIONS,
  toJson: EXPORT_OPTIONS,
  toEnvelope: SAVE_OPTIONS,
  persistenceReport: REPORT_OPTIONS,
  messages: { from: true, limit: true },
  stream: { turnId: true, from: true, ...WAIT_OPTIONS },
  turns: WAIT_OPTIONS,
  result: WAIT_OPTIONS,
};

/** @throws UsageError for options that are no object, and for one that the call does not have. */
export function assertOptionsOf(call: OptionsOwner, options: unknown): void {
  assertOptions(call, options, OPTIONS[call]);
}

/** Undefined without the option. @throws UsageError for one that names no file: nothing would be written, and nobody told. */
export function checkpointPath(checkpoint: StartOptions["checkpoint"]): string | undefined {
  if (checkpoint === undefined) return undefined;
  assertOptionsOf("checkpoint", checkpoint);
  if (typeof checkpoint.path === "string" && checkpoint.path.trim() !== "") return checkpoint.path;
  throw new UsageError('A checkpoint needs the path of its file: { path: "checkpoints/review.json" }.');
}

/** By its shape: it may come from another copy of the package. */
export function isAgent(agent: unknown): agent is Agent {
  return typeof agent === "object" && agent !== null && "spec" in agent && "resolved" in agent;
}

/** @throws UsageError for anything else. */
export function assertAgent(agent: unknown): asserts agent is Agent {
  if (isAgent(agent)) return;
  throw new UsageError('A conversation needs an agent: new Agent({ model: "claude-haiku-4-5" }).');
}
