/** Arguments that several commands have. */
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
  description: "attaches a file; may be given more than once",
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

export const overwriteArgument = {
  type: "boolean",
  description: "replaces a file of more turns, or one that is something else",
} as const;

export const paceArgument = {
  type: "string",
  valueHint: "MS",
  description: "each answer of the simulator takes at least so many milliseconds",
} as const;
