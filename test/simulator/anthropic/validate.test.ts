import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/core/json.js";
import { validateAnthropicRequest } from "../../../src/simulator/anthropic/validate.js";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const WIDE_PNG = Buffer.from(
  `89504e470d0a1a0a0000000d49484452${"00002328"}${"00000001"}0806000000`,
  "hex",
).toString("base64");
const PDF = Buffer.from("%PDF-1.7\n/Type /Page\n%%EOF").toString("base64");
const LONG_PDF = Buffer.from(`%PDF-1.7\n${"/Type /Page\n".repeat(101)}`).toString("base64");

const user = (content: JsonValue): JsonObject => ({ role: "user", content });
const assistant = (content: JsonValue): JsonObject => ({ role: "assistant", content });
const use = (id: string, input: JsonValue = {}): JsonObject => ({ type: "tool_use", id, name: "f", input });
const result = (id: string, content: JsonValue = "ok"): JsonObject => ({
  type: "tool_result",
  tool_use_id: id,
  content,
});
const image = (media_type: string, data: string): JsonObject => ({
  type: "image",
  source: { type: "base64", media_type, data },
});
const pdf = (data: string): JsonObject => ({
  type: "document",
  source: { type: "base64", media_type: "application/pdf", data },
});
const text = (value: string): JsonObject => ({ type: "text", text: value });
const marked = (value: string): JsonObject => ({ ...text(value), cache_control: { type: "ephemeral" } });

function issues(patch: JsonObject, model = "claude-haiku-4-5"): readonly string[] {
  const body = { model, max_tokens: 5_000, messages: [user("hi")], ...patch };
  return validateAnthropicRequest(body).map(({ message }) => message);
}

const talk = (...messages: JsonObject[]): JsonObject => ({ messages });

describe("the rules of the Messages wire", () => {
  it.each<[string, JsonObject]>([
    ["a question", {}],
    ["consecutive messages of one role", talk(user("a"), user("b"))],
    [
      "parallel calls answered together, text behind the results",
      talk(user("a"), assistant([use("t1"), use("t2")]), user([result("t2"), result("t1"), text("and?")])),
    ],
    [
      "results in two user messages that the service joins",
      talk(user("a"), assistant([use("t1"), use("t2")]), user([result("t1")]), user([result("t2")])),
    ],
    [
      "an id of 128 characters",
      talk(user("a"), assistant([use("a".repeat(128))]), user([result("a".repeat(128))])),
    ],
    ["a prefill of an older model", talk(user("a"), assistant("So"))],
    ["an image and a PDF", talk(user([image("image/png", PNG), pdf(PDF), text("?")]))],
    [
      "media in a result",
      talk(
        user("a"),
        assistant([use("t1")]),
        user([result("t1", [text("x"), image("image/png", PNG), pdf(PDF)])]),
      ),
    ],
    ["four cache marks", talk(user([marked("a"), marked("b"), marked("c"), marked("d")]))],
    [
      "thinking with its signature",
      talk(
        user("a"),
        assistant([{ type: "thinking", thinking: "hm", signature: "c2ln" }, text("b")]),
        user("c"),
      ),
    ],
    [
      "a document of text",
      talk(
        user([
          { type: "document", title: "a.txt", source: { type: "text", media_type: "text/plain", data: "x" } },
        ]),
      ),
    ],
    ["instructions in blocks", { system: [text("Be brief.")] }],
  ])("SIM-12 takes %s", (_, patch) => {
    expect(issues(patch)).toEqual([]);
  });

  it.each<[string, JsonObject, string]>([
    ["no messages", { messages: [] }, "messages: at least one message is required"],
    ["no max_tokens", { max_tokens: null }, "max_tokens: Input should be a valid integer"],
    ["an unknown parameter", { top_n: 1 }, "top_n: Extra inputs are not permitted"],
    [
      "the assistant first",
      talk(assistant("a"), user("b")),
      'messages: first message must use the "user" role',
    ],
    [
      "an unknown role",
      talk({ role: "tool", content: "a" }),
      'messages: Unexpected role "tool". Allowed roles are',
    ],
    [
      "a system message on an older model",
      talk(user("a"), { role: "system", content: "b" }),
      'messages: Unexpected role "system"',
    ],
    ["an empty message", talk(user("")), "messages.0: all messages must have non-empty content"],
    ["an empty text", talk(user([text("")])), "messages: text content blocks must be non-empty"],
    [
      "a text of white space",
      talk(user([text(" \n")])),
      "messages: text content blocks must contain non-whitespace text",
    ],
    [
      "an unknown block",
      talk(user([{ type: "input_text", text: "a" }])),
      "messages.0.content.0: Input tag 'input_text' found using 'type'",
    ],
    [
      "an unknown field of a block",
      talk(user([{ ...text("a"), id: "1" }])),
      "messages.0.content.0.text.id: Extra inputs are not permitted",
    ],
    [
      "a call by the user",
      talk(user([use("t1")])),
      "`tool_use` blocks can only be specified in `assistant` messages",
    ],
    [
      "an image by the assistant",
      talk(user("a"), assistant([image("image/png", PNG)]), user("b")),
      "`image` blocks can only be specified in `user` messages",
    ],
    [
      "trailing space after a prefill",
      talk(user("a"), assistant("So ")),
      "final assistant content cannot end with trailing whitespace",
    ],
    [
      "an id with other characters",
      talk(user("a"), assistant([use("f:0")]), user([result("f:0")])),
      "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    ],
    [
      "an empty id",
      talk(user("a"), assistant([use("")]), user([result("")])),
      "tool_use.id: String should match pattern",
    ],
    [
      "a repeated id",
      talk(user("a"), assistant([use("t")]), user([result("t")]), assistant([use("t")]), user([result("t")])),
      "messages.3.content.0: `tool_use` ids must be unique",
    ],
    [
      "a server tool's id of another form",
      talk(
        user("a"),
        assistant([{ type: "server_tool_use", id: "t1", name: "web_search", input: {} }]),
        user("b"),
      ),
      "server_tool_use.id: String should match pattern '^srvtoolu_",
    ],
    [
      "arguments that are no object",
      talk(user("a"), assistant([use("t", "x")]), user([result("t")])),
      "tool_use.input: Input should be a valid dictionary",
    ],
    [
      "a call without result",
      talk(user("a"), assistant([use("t1"), use("t2")]), user([result("t1")])),
      "ids were found without `tool_result` blocks immediately after: t2.",
    ],
    [
      "a call at the end",
      talk(user("a"), assistant([use("t1")])),
      "ids were found without `tool_result` blocks immediately after: t1.",
    ],
    [
      "text before the result",
      talk(user("a"), assistant([use("t1")]), user([text("b"), result("t1")])),
      "without `tool_result` blocks immediately after: t1.",
    ],
    [
      "a result without call",
      talk(user("a"), assistant("b"), user([result("t9")])),
      "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: t9.",
    ],
    [
      "two results of one call",
      talk(user("a"), assistant([use("t")]), user([result("t"), result("t")])),
      "each tool_use must have a single result",
    ],
    [
      "a block that a result cannot hold",
      talk(user("a"), assistant([use("t")]), user([result("t", [use("x")])])),
      "tool_result.content.0: Input tag 'tool_use'",
    ],
    [
      "five cache marks",
      talk(user([marked("a"), marked("b"), marked("c"), marked("d"), marked("e")])),
      "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ],
    [
      "a cache mark on thinking",
      talk(
        user("a"),
        assistant([
          { type: "thinking", thinking: "h", signature: "c2ln", cache_control: { type: "ephemeral" } },
          text("b"),
        ]),
        user("c"),
      ),
      "thinking.cache_control: Extra inputs are not permitted",
    ],
    [
      "a cache mark on an empty text",
      talk(user([marked("")])),
      "cache_control cannot be set for empty text blocks",
    ],
    [
      "thinking without signature",
      talk(user("a"), assistant([{ type: "thinking", thinking: "h" }, text("b")]), user("c")),
      "thinking.signature: Field required",
    ],
    [
      "thinking with a signature of another kind",
      talk(user("a"), assistant([{ type: "thinking", thinking: "h", signature: "…" }, text("b")]), user("c")),
      "messages.1.content.0: Invalid `signature` in `thinking` block",
    ],
    [
      "an image type that is none of the four",
      talk(user([image("image/jpg", PNG)])),
      "media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
    ],
    [
      "an image of another type than stated",
      talk(user([image("image/jpeg", PNG)])),
      "specified using the image/jpeg media type, but the image appears to be a image/png image",
    ],
    ["an image that is none", talk(user([image("image/png", "AAAA")])), "Could not process image"],
    [
      "an image above 5 MB",
      talk(user([image("image/png", `iVBO${"A".repeat(5_300_000)}`)])),
      "image exceeds 5 MB maximum",
    ],
    [
      "an image above 8000 pixels",
      talk(user([image("image/png", WIDE_PNG)])),
      "image dimensions exceed max allowed size: 8000 pixels",
    ],
    [
      "more than 100 images",
      talk(user(Array.from({ length: 101 }, () => image("image/png", PNG)))),
      "too many images",
    ],
    ["base64 that is none", talk(user([image("image/png", "$media:abc")])), "invalid base64 data"],
    [
      "a PDF that is none",
      talk(user([pdf(Buffer.from("plain text, no PDF").toString("base64"))])),
      "The PDF specified was not valid.",
    ],
    [
      "a PDF with a password",
      talk(user([pdf(Buffer.from("%PDF-1.7\n/Encrypt 5 0 R").toString("base64"))])),
      "The PDF specified is password protected.",
    ],
    [
      "a PDF with too many pages",
      talk(user([pdf(LONG_PDF)])),
      "A maximum of 100 PDF pages may be provided, found 101.",
    ],
    ["a tool without schema", { tools: [{ name: "f" }] }, "tools.0.custom.input_schema: Field required"],
    [
      "a tool with a dot in its name",
      { tools: [{ name: "a.b", input_schema: { type: "object" } }] },
      "tools.0.custom.name: String should match pattern",
    ],
    [
      "two tools of one name",
      { tools: [1, 2].map(() => ({ name: "f", input_schema: { type: "object" } })) },
      "tools: Tool names must be unique.",
    ],
    [
      "the choice of a tool that is not there",
      { tools: [{ name: "f", input_schema: { type: "object" } }], tool_choice: { type: "tool", name: "g" } },
      "Tool 'g' not found in provided tools",
    ],
    [
      "a thinking budget above max_tokens",
      { thinking: { type: "enabled", budget_tokens: 5_000 } },
      "`max_tokens` must be greater than `thinking.budget_tokens`.",
    ],
    [
      "a small thinking budget",
      { thinking: { type: "enabled", budget_tokens: 10 } },
      "Input should be greater than or equal to 1024",
    ],
    [
      "adaptive thinking on an older model",
      { thinking: { type: "adaptive" } },
      "adaptive thinking is not supported on this model",
    ],
    [
      "a tool loop that does not start with thinking",
      {
        thinking: { type: "enabled", budget_tokens: 2_000 },
        ...talk(user("a"), assistant([use("t")]), user([result("t")])),
      },
      "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.",
    ],
  ])("SIM-12 refuses %s", (_, patch, message) => {
    expect(issues(patch)[0]).toContain(message);
  });

  it("SIM-12 takes system messages on newer models where they may stand", () => {
    const system = { role: "system", content: "Be brief." };
    expect(issues(talk(user("a"), system, assistant("b"), user("c")), "claude-opus-5")).toEqual([]);
    expect(issues(talk(user("a"), system), "claude-opus-5")).toEqual([]);
    expect(issues(talk(user("a"), assistant("b"), system), "claude-opus-5")[0]).toContain(
      "must follow a `user` message",
    );
  });

  it("SIM-12 refuses a prefill on newer models", () => {
    expect(issues(talk(user("a"), assistant("So")), "claude-opus-5-5")[0]).toContain(
      "does not support assistant message prefill",
    );
  });

  it("SIM-12 passes over the bytes of media where it is told so", () => {
    const body = {
      model: "claude-haiku-4-5",
      max_tokens: 9,
      messages: [user([image("image/png", "AAAA"), pdf("AAAA")])],
    };
    expect(validateAnthropicRequest(body)).toHaveLength(2);
    expect(validateAnthropicRequest(body, { mediaBytes: false })).toEqual([]);
  });
});
