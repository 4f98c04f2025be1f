/** Arguments that several commands have. */

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

export const paceArgument = {
  type: "string",
  valueHint: "MS",
  description: "each answer of the simulator takes at least so many milliseconds",
} as const;
