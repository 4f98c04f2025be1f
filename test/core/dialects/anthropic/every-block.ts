/** One block of every kind that the SDK's types name. A kind that a newer SDK adds is a type error here. */
import type { BetaContentBlockParam } from "@anthropic-ai/sdk/resources/beta/messages/messages.js";
import type {
  ContentBlockParam,
  ToolResultBlockParam,
} from "@anthropic-ai/sdk/resources/messages/messages.js";
import type {
  BlockKind,
  DocumentSourceKind,
  ImageSourceKind,
  ResultBlockKind,
} from "../../../../src/core/dialects/anthropic/block-kinds.js";

type SdkBlock = ContentBlockParam | BetaContentBlockParam;
type OfKind<Kind> = Extract<SdkBlock, { readonly type: Kind }>;
type InsideResult = Exclude<ToolResultBlockParam["content"], string | undefined>[number];

/** Never, as long as the reader's tables name every member of the SDK's unions. */
export type Unnamed =
  | Exclude<SdkBlock["type"], BlockKind>
  | Exclude<InsideResult["type"], ResultBlockKind>
  | Exclude<OfKind<"image">["source"]["type"], ImageSourceKind>
  | Exclude<OfKind<"document">["source"]["type"], DocumentSourceKind>;
/** Never, as long as the tables name nothing that the SDK does not know. */
export type Unheard =
  | Exclude<BlockKind, SdkBlock["type"]>
  | Exclude<ResultBlockKind, InsideResult["type"]>
  | Exclude<ImageSourceKind, OfKind<"image">["source"]["type"]>
  | Exclude<DocumentSourceKind, OfKind<"document">["source"]["type"]>;

export const everyBlock: { readonly [Kind in SdkBlock["type"]]: OfKind<Kind> } = {
  text: { type: "text", text: "hello" },
  image: { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
  document: { type: "document", source: { type: "url", url: "https://example.com/a.pdf" } },
  search_result: {
    type: "search_result",
    title: "Rain",
    source: "https://example.com",
    content: [{ type: "text", text: "it rained" }],
  },
  thinking: { type: "thinking", thinking: "hmm", signature: "EqQB" },
  redacted_thinking: { type: "redacted_thinking", data: "EqQB" },
  tool_use: { type: "tool_use", id: "toolu_1", name: "look", input: { at: 1 } },
  tool_result: { type: "tool_result", tool_use_id: "toolu_1", content: "seen" },
  server_tool_use: { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } },
  web_search_tool_result: { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
  web_fetch_tool_result: {
    type: "web_fetch_tool_result",
    tool_use_id: "srvtoolu_1",
    content: { type: "web_fetch_tool_result_error", error_code: "unavailable" },
  },
  code_execution_tool_result: {
    type: "code_execution_tool_result",
    tool_use_id: "srvtoolu_1",
    content: { type: "code_execution_tool_result_error", error_code: "unavailable" },
  },
  bash_code_execution_tool_result: {
    type: "bash_code_execution_tool_result",
    tool_use_id: "srvtoolu_1",
    content: { type: "bash_code_execution_tool_result_error", error_code: "unavailable" },
  },
  text_editor_code_execution_tool_result: {
    type: "text_editor_code_execution_tool_result",
    tool_use_id: "srvtoolu_1",
    content: { type: "text_editor_code_execution_tool_result_error", error_code: "unavailable" },
  },
  tool_search_tool_result: {
    type: "tool_search_tool_result",
    tool_use_id: "srvtoolu_1",
    content: { type: "tool_search_tool_result_error", error_code: "unavailable" },
  },
  container_upload: { type: "container_upload", file_id: "file_1" },
  mcp_tool_use: { type: "mcp_tool_use", id: "mcptoolu_1", name: "find", server_name: "wiki", input: {} },
  mcp_tool_result: { type: "mcp_tool_result", tool_use_id: "mcptoolu_1", content: "found" },
  mcp_tool_listing: { type: "mcp_tool_listing", mcp_server_name: "wiki", tools: [] },
  advisor_tool_result: {
    type: "advisor_tool_result",
    tool_use_id: "srvtoolu_1",
    content: { type: "advisor_tool_result_error", error_code: "unavailable" },
  },
  compaction: { type: "compaction", content: "They spoke of rain." },
  fallback: { type: "fallback", from: { model: "claude-opus-5" }, to: { model: "claude-sonnet-5" } },
  tool_addition: { type: "tool_addition", tool: { type: "tool_reference", name: "look" } },
  tool_removal: { type: "tool_removal", tool: { type: "tool_reference", name: "look" } },
};
