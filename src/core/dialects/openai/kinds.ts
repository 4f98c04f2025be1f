/** The kinds of items and content parts that the SDK's types name for a Responses history. */

/** Calls that the client runs, and their outputs. */
export type RoundKind =
  | "function_call"
  | "function_call_output"
  | "custom_tool_call"
  | "custom_tool_call_output"
  | "computer_call"
  | "computer_call_output"
  | "local_shell_call"
  | "local_shell_call_output"
  | "shell_call"
  | "shell_call_output"
  | "apply_patch_call"
  | "apply_patch_call_output";

/** What the service itself ran, keeps, or alone can read. */
export type OwnKind =
  | "reasoning"
  | "web_search_call"
  | "file_search_call"
  | "code_interpreter_call"
  | "image_generation_call"
  | "mcp_call"
  | "mcp_list_tools"
  | "mcp_approval_request"
  | "mcp_approval_response"
  | "tool_search_call"
  | "tool_search_output"
  | "additional_tools"
  | "configuration_update"
  | "program"
  | "program_output"
  | "compaction"
  | "compaction_trigger"
  | "item_reference";

export type ItemKind = "message" | RoundKind | OwnKind;

/** `input_audio` has a type and stands in no union: other clients write it. */
export type PartKind =
  | "input_text"
  | "output_text"
  | "refusal"
  | "input_image"
  | "computer_screenshot"
  | "input_file"
  | "input_audio";
