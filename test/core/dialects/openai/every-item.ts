/** One item and one content part of every kind that the SDK's types name: a kind that is added there fails to compile here. */
import type OpenAI from "openai";
import type { ItemKind, PartKind } from "../../../../src/core/dialects/openai/kinds.js";

type InputItem = OpenAI.Responses.ResponseInputItem;
type SdkItemKind = NonNullable<InputItem["type"]>;
type OutputMessage = OpenAI.Responses.ResponseOutputMessage;
type SdkPart =
  | OpenAI.Responses.ResponseInputContent
  | OutputMessage["content"][number]
  | OpenAI.Responses.ResponseFunctionCallOutputItem
  | Exclude<OpenAI.Responses.ResponseCustomToolCallOutput["output"], string>[number]
  | OpenAI.Responses.ResponseInputItem.ComputerCallOutput["output"];
/** The SDK types it and lists it nowhere. */
type UnlistedPart = OpenAI.Responses.ResponseInputAudio;

/** Both ways: neither a kind that the table lacks, nor one that the SDK no longer has. */
type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : never) : never;
export const SAME_ITEM_KINDS: Same<SdkItemKind, ItemKind> = true;
export const SAME_PART_KINDS: Same<SdkPart["type"] | UnlistedPart["type"], PartKind> = true;

const round = { call_id: "c1" } as const;

export const EVERY_ITEM: { readonly [Kind in SdkItemKind]: Extract<InputItem, { type?: Kind | null }> } = {
  message: { type: "message", role: "user", content: "go" },
  function_call: { type: "function_call", ...round, name: "look", arguments: '{"at":1}' },
  function_call_output: { type: "function_call_output", ...round, output: "seen" },
  custom_tool_call: { type: "custom_tool_call", ...round, name: "sql", input: "select 1" },
  custom_tool_call_output: { type: "custom_tool_call_output", ...round, output: "1" },
  computer_call: {
    type: "computer_call",
    id: "cu_1",
    ...round,
    status: "completed",
    pending_safety_checks: [],
    actions: [{ type: "screenshot" }],
  },
  computer_call_output: {
    type: "computer_call_output",
    ...round,
    output: { type: "computer_screenshot", image_url: "data:image/png;base64,iVBORw0KGgo=" },
  },
  local_shell_call: {
    type: "local_shell_call",
    id: "lsh_1",
    ...round,
    status: "completed",
    action: { type: "exec", command: ["ls"], env: {} },
  },
  local_shell_call_output: { type: "local_shell_call_output", id: "lsh_1", output: '{"stdout":"a"}' },
  shell_call: { type: "shell_call", ...round, action: { commands: ["ls"] } },
  shell_call_output: {
    type: "shell_call_output",
    ...round,
    output: [{ stdout: "", stderr: "no such file", outcome: { type: "exit", exit_code: 2 } }],
  },
  apply_patch_call: {
    type: "apply_patch_call",
    ...round,
    status: "completed",
    operation: { type: "delete_file", path: "a.txt" },
  },
  apply_patch_call_output: {
    type: "apply_patch_call_output",
    ...round,
    status: "failed",
    output: "no a.txt",
  },
  reasoning: { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "plan" }] },
  web_search_call: {
    type: "web_search_call",
    id: "ws_1",
    status: "completed",
    action: { type: "search", query: "news" },
  },
  file_search_call: { type: "file_search_call", id: "fs_1", status: "completed", queries: ["a"] },
  code_interpreter_call: {
    type: "code_interpreter_call",
    id: "ci_1",
    status: "completed",
    code: "1",
    container_id: "cntr_1",
    outputs: null,
  },
  image_generation_call: {
    type: "image_generation_call",
    id: "ig_1",
    status: "completed",
    result: "iVBORw0KGgo=",
  },
  mcp_call: { type: "mcp_call", id: "mcp_1", server_label: "s", name: "n", arguments: "{}", output: "x" },
  mcp_list_tools: { type: "mcp_list_tools", id: "mcpl_1", server_label: "s", tools: [] },
  mcp_approval_request: {
    type: "mcp_approval_request",
    id: "mcpr_1",
    server_label: "s",
    name: "n",
    arguments: "{}",
  },
  mcp_approval_response: { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true },
  tool_search_call: { type: "tool_search_call", arguments: {} },
  tool_search_output: { type: "tool_search_output", tools: [] },
  additional_tools: { type: "additional_tools", role: "developer", tools: [] },
  configuration_update: { type: "configuration_update", reasoning: { effort: "low" } },
  program: { type: "program", id: "pr_1", ...round, code: "1", fingerprint: "f" },
  program_output: { type: "program_output", id: "po_1", ...round, result: "1", status: "completed" },
  compaction: { type: "compaction", id: "cmp_1", encrypted_content: "b3BhcXVl" },
  compaction_trigger: { type: "compaction_trigger" },
  item_reference: { type: "item_reference", id: "msg_9" },
};

type Part = SdkPart | UnlistedPart;

export const EVERY_PART: { readonly [Kind in Part["type"]]: Extract<Part, { type: Kind }> } = {
  input_text: { type: "input_text", text: "go" },
  output_text: { type: "output_text", text: "done", annotations: [] },
  refusal: { type: "refusal", refusal: "no" },
  input_image: { type: "input_image", detail: "auto", image_url: "data:image/png;base64,iVBORw0KGgo=" },
  computer_screenshot: { type: "computer_screenshot", image_url: "https://example.org/a.png" },
  input_file: {
    type: "input_file",
    filename: "a.pdf",
    file_data: "data:application/pdf;base64,JVBERi0xLjcK",
  },
  input_audio: { type: "input_audio", input_audio: { format: "mp3", data: "SUQz" } },
};
