import type Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { anthropic } from "../../../../src/core/dialects/anthropic/index.js";
import type { NativeMessage } from "../../../../src/core/envelope/envelope.js";
import { slotsOf, valueAt } from "../collect-slots.js";
import { deepFreeze } from "../deep-freeze.js";

const PNG = "iVBORw0KGgo=";
const PDF = "JVBERi0xLjcK";
const MARKER = `$media:${"a".repeat(64)}.png`;

const image: Anthropic.ImageBlockParam = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: PNG },
};
const pdf: Anthropic.DocumentBlockParam = {
  type: "document",
  source: { type: "base64", media_type: "application/pdf", data: PDF },
};

/** One block of every kind that the SDK knows: a kind that it adds fails the type check here. */
const BLOCKS: Readonly<Record<Anthropic.ContentBlockParam["type"], Anthropic.ContentBlockParam>> = {
  text: { type: "text", text: "Hello", cache_control: { type: "ephemeral" } },
  image,
  document: pdf,
  search_result: {
    type: "search_result",
    source: "https://example.org",
    title: "A page",
    content: [{ type: "text", text: "said" }],
  },
  thinking: { type: "thinking", thinking: "hm", signature: "c2ln" },
  redacted_thinking: { type: "redacted_thinking", data: "b3BhcXVl" },
  tool_use: { type: "tool_use", id: "toolu_1", name: "look", input: { at: "it" } },
  tool_result: { type: "tool_result", tool_use_id: "toolu_1", content: [image, pdf] },
  server_tool_use: { type: "server_tool_use", id: "srvtoolu_1", name: "web_fetch", input: {} },
  web_search_tool_result: { type: "web_search_tool_result", tool_use_id: "srvtoolu_2", content: [] },
  web_fetch_tool_result: {
    type: "web_fetch_tool_result",
    tool_use_id: "srvtoolu_1",
    content: { type: "web_fetch_result", url: "https://example.org/a.pdf", content: pdf },
  },
  code_execution_tool_result: {
    type: "code_execution_tool_result",
    tool_use_id: "srvtoolu_3",
    content: { type: "code_execution_result", stdout: "1", stderr: "", return_code: 0, content: [] },
  },
  bash_code_execution_tool_result: {
    type: "bash_code_execution_tool_result",
    tool_use_id: "srvtoolu_4",
    content: { type: "bash_code_execution_result", stdout: "1", stderr: "", return_code: 0, content: [] },
  },
  text_editor_code_execution_tool_result: {
    type: "text_editor_code_execution_tool_result",
    tool_use_id: "srvtoolu_5",
    content: { type: "text_editor_code_execution_create_result", is_file_update: false },
  },
  tool_search_tool_result: {
    type: "tool_search_tool_result",
    tool_use_id: "srvtoolu_6",
    content: { type: "tool_search_tool_search_result", tool_references: [] },
  },
  container_upload: { type: "container_upload", file_id: "file_1" },
};

const native = (message: Anthropic.MessageParam): NativeMessage => message as unknown as NativeMessage;
const user = (...content: Anthropic.ContentBlockParam[]): NativeMessage => native({ role: "user", content });

describe("the shape of an Anthropic message", () => {
  it.each(Object.entries(BLOCKS))("DIA-1 takes a block of kind %s", (_kind, block) => {
    expect(anthropic.checkMessage(user(block), 0)).toEqual([]);
  });

  it("DIA-1 takes string content, the system role, null fields and kinds that are not known yet", () => {
    expect(anthropic.checkMessage({ role: "assistant", content: "Yes." }, 0)).toEqual([]);
    expect(anthropic.checkMessage({ role: "system", content: "Be brief." }, 0)).toEqual([]);
    expect(anthropic.checkMessage({ role: "user", content: [{ type: "hologram", depth: 3 }] }, 0)).toEqual(
      [],
    );
    expect(
      anthropic.checkMessage({ role: "user", content: [{ type: "text", text: "a", citations: null }] }, 0),
    ).toEqual([]);
  });

  it.each([
    ["a string", "Hello", "", "a message object {role, content}"],
    ["null", null, "", "a message object {role, content}"],
    ["another role", { role: "tool", content: "" }, "role", '"user" or "assistant" or "system"'],
    ["no content", { role: "user" }, "content", "a string or a list of content blocks"],
    [
      "content that is an object",
      { role: "user", content: {} },
      "content",
      "a string or a list of content blocks",
    ],
    ["a block that is a string", { role: "user", content: ["Hello"] }, "content.0", "a content block"],
    ["a block without a type", { role: "user", content: [{ text: "a" }] }, "content.0.type", "a string"],
    [
      "text that is none",
      { role: "user", content: [{ type: "text", text: 3 }] },
      "content.0.text",
      "a string",
    ],
    [
      "a source that is a string",
      {
        role: "user",
        content: [
          { type: "text", text: "" },
          { type: "image", source: "x" },
        ],
      },
      "content.1.source",
      "an object",
    ],
  ])("DIA-2 names the place and what was expected: %s", (_what, message, path, expected) => {
    expect(anthropic.checkMessage(message, 7)).toContainEqual({ index: 7, path, expected });
  });
});

describe("media in an Anthropic message", () => {
  const everywhere = user(
    image,
    BLOCKS.tool_result,
    BLOCKS.web_fetch_tool_result,
    { type: "document", source: { type: "content", content: [{ type: "text", text: "see" }, image] } },
    { type: "image", source: { type: "url", url: "https://example.org/a.png" } },
    { type: "text", text: MARKER },
  );

  it("DIA-3 stand in sources, also inside tool results, fetched pages and documents made of blocks", () => {
    expect(slotsOf(anthropic, everywhere)).toEqual([
      { kind: "image", mime_type: "image/png", data: PNG, path: "content.0.source.data" },
      { kind: "image", mime_type: "image/png", data: PNG, path: "content.1.content.0.source.data" },
      { kind: "document", mime_type: "application/pdf", data: PDF, path: "content.1.content.1.source.data" },
      {
        kind: "document",
        mime_type: "application/pdf",
        data: PDF,
        path: "content.2.content.content.source.data",
      },
      { kind: "image", mime_type: "image/png", data: PNG, path: "content.3.source.content.1.source.data" },
    ]);
  });

  it("DIA-3 are replaced at their paths, without changing the message that was given", () => {
    const paths: string[] = [];
    const mapped = anthropic.mapMedia(deepFreeze(everywhere), ({ path }) => {
      paths.push(path);
      return `${MARKER}#${path}`;
    });
    expect(paths).toHaveLength(5);
    for (const path of paths) expect(valueAt(mapped, path)).toBe(`${MARKER}#${path}`);
    expect(valueAt(mapped, "content.5")).toBe(valueAt(everywhere, "content.5"));
  });

  it("DIA-4 of plain text are shown as base64 of their UTF-8, and as a marker where one stands", () => {
    const text = "Zeile 1\r\n€ 4,50";
    const base64 = Buffer.from(text).toString("base64");
    const marker = `$media:${"b".repeat(64)}.txt`;
    const message = anthropic.userMessage("See.", [{ mime_type: "text/csv", name: "a.csv", data: base64 }]);
    expect(valueAt(message, "content.0")).toEqual({
      type: "document",
      source: { type: "text", media_type: "text/plain", data: text },
      title: "a.csv",
    });
    expect(slotsOf(anthropic, message)).toEqual([
      {
        kind: "document",
        mime_type: "text/plain",
        data: base64,
        path: "content.0.source.data",
        as_text: true,
      },
    ]);
    const marked = anthropic.mapMedia(message, () => marker);
    expect(valueAt(marked, "content.0.source.data")).toBe(marker);
    expect(slotsOf(anthropic, marked)[0]?.data).toBe(marker);
    expect(anthropic.mapMedia(marked, () => base64)).toEqual(message);
  });

  it("DIA-4 of text that UTF-8 cannot hold stay as they are", () => {
    const message = user({
      type: "document",
      source: { type: "text", media_type: "text/plain", data: "half \uD83D" },
    });
    expect(slotsOf(anthropic, message)).toEqual([]);
  });
});
