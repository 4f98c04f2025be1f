/** Every kind of content block that the Messages API takes, beta included. A test holds the list against the SDK's types. */

/** Of `ContentBlockParam`. */
type GeneralBlockKind =
  | "text"
  | "image"
  | "document"
  | "search_result"
  | "thinking"
  | "redacted_thinking"
  | "tool_use"
  | "tool_result"
  | "server_tool_use"
  | "web_search_tool_result"
  | "web_fetch_tool_result"
  | "code_execution_tool_result"
  | "bash_code_execution_tool_result"
  | "text_editor_code_execution_tool_result"
  | "tool_search_tool_result"
  | "container_upload";

/** What `BetaContentBlockParam` has beyond them. */
type BetaBlockKind =
  | "mcp_tool_use"
  | "mcp_tool_result"
  | "mcp_tool_listing"
  | "advisor_tool_result"
  | "compaction"
  | "fallback"
  | "tool_addition"
  | "tool_removal";

export type BlockKind = GeneralBlockKind | BetaBlockKind;

/** What stands inside a tool result. */
export type ResultBlockKind =
  | "text"
  | "image"
  | "document"
  | "search_result"
  | "tool_reference"
  | "browser_state";

/** Where an image's bytes are. */
export type ImageSourceKind = "base64" | "url" | "file";
/** Where a document's content is. */
export type DocumentSourceKind = "base64" | "text" | "content" | "url" | "file";
