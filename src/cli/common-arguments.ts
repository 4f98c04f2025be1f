/** Arguments that several commands have. */

import type { MediaPolicyOption } from "../core/envelope/envelope.js";
import { UsageError } from "../core/errors/errors.js";
import { MEDIA_POLICY_OPTIONS } from "../core/media/policy.js";
import { DIALECT_NAMES, type DialectName } from "../core/providers.js";

export const conversationArgument = {
  type: "positional",
  valueHint: "ID",
  description: "the conversation's id",
  completes: "conversation",
} as const;

export const jsonArgument = {
  type: "boolean",
  description: "JSON on stdout, and nothing else there",
} as const;

export const fileArgument = {
  type: "string",
  alias: "f",
  valueHint: "PATH",
  description: "attaches a file; -f before each one: -f a.pdf -f b.png",
  multiple: true,
  completes: "file",
} as const;

export const dialectArgument: {
  readonly type: "enum";
  readonly options: readonly DialectName[];
  readonly description: string;
} = {
  type: "enum",
  options: DIALECT_NAMES,
  description: "the file is no envelope but a history in the format of this provider",
};

export const convertArgument = {
  type: "boolean",
  default: true,
  description: "refuses another provider, unless the history is plain text",
} as const;

/** Of a command that writes, or sizes, an envelope. */
export const mediaArgument: {
  readonly type: "enum";
  readonly options: readonly MediaPolicyOption[];
  readonly description: string;
} = {
  type: "enum",
  options: MEDIA_POLICY_OPTIONS,
  description: "how attachments are written; by default as the agent says",
};

export const maxInlineArgument = {
  type: "string",
  valueHint: "N|none",
  description: "above it auto leaves the bytes of a provider's file out; by default 8 MiB",
} as const;

export const overwriteArgument = {
  type: "boolean",
  description: "replaces a file of more turns, or one that is something else",
} as const;

export const paceArgument = {
  type: "string",
  valueHint: "MS",
  description: "each answer of the simulator takes at least so many milliseconds",
} as const;

/** Of a command that begins a turn. */
export const turnBudgetArgument = {
  type: "string",
  valueHint: "LIMITS",
  description: "the most that the turn may use: tokens=N,provider_calls=N,tool_rounds=N,cost=N",
} as const;

/** As `--no-wait`. */
export const waitArgument = {
  type: "boolean",
  default: true,
  description: "returns once the message is accepted, with the turn's id",
} as const;

/** Of a command that takes an envelope or a history. */
export const sourceArgument = {
  type: "positional",
  valueHint: "FILE",
  description: "an envelope or, with --from, a provider's own history; - reads it from stdin",
  completes: "file",
} as const;

/** Of a command that reads or writes a media store. */
export const moduleArgument = {
  type: "string",
  valueHint: "MODULE",
  description: "a module that exports stores = { name: … }, so that --media-store and agents may name them",
  completes: "file",
} as const;

/** Of a worker, whether it has a server beside it or not. */
export const workerArguments = {
  module: {
    type: "positional",
    required: false,
    valueHint: "MODULE",
    description: "a module whose exported agents, tools and stores the worker deploys",
    completes: "file",
  },
  simulate: {
    type: "boolean",
    description: "the simulator answers; no provider is called, no key is needed",
  },
} as const;

interface OutputArguments {
  readonly out: {
    readonly type: "string";
    readonly alias: "o";
    readonly valueHint: "FILE";
    readonly description: string;
    readonly completes: "file";
  };
  readonly overwrite: typeof overwriteArgument;
}

/** Of a command that writes an envelope where it is told to, and only there. */
export function outputArguments(description: string): OutputArguments {
  return {
    out: { type: "string", alias: "o", valueHint: "FILE", description, completes: "file" },
    overwrite: overwriteArgument,
  };
}

/** @throws UsageError for an `--overwrite` with nothing to write, and for a stream in the place of a file. */
export function assertOutput({
  out,
  overwrite,
}: {
  readonly out: string | undefined;
  readonly overwrite: boolean;
}): void {
  if (out === "-")
    throw new UsageError("--out takes the name of a file, not -: write it as ./- if it is one.");
  if (overwrite && out === undefined) throw new UsageError("--overwrite needs --out.");
}

/** A tool call that waits for approval. */
export const callArgument = {
  type: "positional",
  valueHint: "CALL",
  description: "the number of the call, as `holdfast show` prints it, or its id where only one has it",
} as const;

export const reasonArgument = {
  type: "string",
  valueHint: "TEXT",
  description: "is kept with the decision; of a denial the model is told",
} as const;
