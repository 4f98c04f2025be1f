import { describe, expect, expectTypeOf, it } from "vitest";
import { readHistory } from "../../../../src/core/dialects/anthropic/read-history.js";
import type { PivotEntry } from "../../../../src/core/dialects/pivot.js";
import { PLACEHOLDER } from "../../../../src/core/dialects/placeholder.js";
import { SessionCompatibilityError } from "../../../../src/core/errors/errors.js";
import type { JsonObject, JsonValue } from "../../../../src/core/json.js";
import { everyBlock, type Unheard, type Unnamed } from "./every-block.js";

const PNG = { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" };
const PDF = { type: "base64", media_type: "application/pdf", data: "JVBERi0xLjQK" };
const MARKER = `$media:${"a".repeat(64)}.txt`;
const CACHED = { cache_control: { type: "ephemeral" } };

const user = (...content: JsonValue[]): JsonObject => ({ role: "user", content });
const assistant = (...content: JsonValue[]): JsonObject => ({ role: "assistant", content });

/** Every part of every entry, results' parts too, as short words. */
function said(entries: readonly PivotEntry[]): readonly string[] {
  return entries.flatMap((entry): readonly string[] => {
    if (entry.kind === "system") return [`system ${entry.text}`];
    const parts = entry.kind === "results" ? entry.results.flatMap((result) => result.parts) : entry.parts;
    return parts.map((part) => {
      if (part.kind === "text") return `${entry.kind} ${part.continues === true ? "+" : ""}${part.text}`;
      if (part.kind === "call") return `call ${part.id} ${part.name} ${JSON.stringify(part.arguments)}`;
      const from = part.source.type === "url" ? part.source.url : part.source.data;
      return `${entry.kind} ${[part.mime_type, from, part.name].filter((word) => word !== undefined).join(" ")}`;
    });
  });
}

function read(...messages: readonly JsonObject[]): {
  readonly said: readonly string[];
  readonly report: readonly string[];
} {
  const { entries, report } = readHistory(messages);
  const words = report.map(({ kind, artefact, index, detail }) =>
    [index, kind, artefact, detail].filter((word) => word !== undefined).join(" "),
  );
  return { said: said(entries), report: words };
}

describe("kinds", () => {
  it("DIA-100 names every kind of the SDK's unions, and none beside them", () => {
    expectTypeOf<Unnamed>().toEqualTypeOf<never>();
    expectTypeOf<Unheard>().toEqualTypeOf<never>();
    for (const block of Object.values(everyBlock)) {
      const { entries, report } = readHistory([assistant(block as unknown as JsonObject)]);
      expect(entries.length + report.length, block.type).toBeGreaterThan(0);
      expect(JSON.stringify(report)).not.toContain("unknown block kind");
    }
  });

  it.each<[string, JsonObject, string]>([
    ["block", user("text" as JsonValue, { type: "hologram" }), "unknown block kind hologram"],
    ["prototype's key", user({ type: "constructor" }), "unknown block kind constructor"],
    [
      "image source",
      user({ type: "image", source: { type: "orbit" } }),
      "content[0] unknown source of a image: orbit",
    ],
    [
      "document source",
      user({ type: "document", source: { type: "orbit" } }),
      "content[0] unknown source of a document: orbit",
    ],
    ["role", { role: "narrator", content: "once" }, "message of role narrator"],
    [
      "block of a result",
      user({ type: "tool_result", tool_use_id: "t", content: [{ type: "hologram" }] }),
      "content[0].content[0] unknown block kind hologram",
    ],
    [
      "block of a document",
      user({ type: "document", source: { type: "content", content: [{ type: "hologram" }] } }),
      "content[0].source.content[0] unknown block kind hologram",
    ],
  ])("DIA-101 reports an unknown %s by its name", (_name, message, detail) => {
    const { report } = readHistory([message]);
    const metadata = report.filter(({ artefact }) => artefact === "metadata");
    expect(metadata.map((entry) => entry.detail)).toContainEqual(expect.stringContaining(detail));
    expect(metadata.every(({ kind }) => kind === "dropped")).toBe(true);
  });
});

describe("messages", () => {
  it("DIA-102 tells a user's plain string from a list of one text", () => {
    const { entries } = readHistory([{ role: "user", content: "go" }, user({ type: "text", text: "go" })]);
    expect(entries.map((entry) => entry.kind === "user" && entry.plain)).toEqual([true, undefined]);
  });

  it("DIA-103 keeps neighbouring messages of one role apart", () => {
    const { entries } = readHistory([
      { role: "user", content: "a" },
      { role: "user", content: "b" },
    ]);
    expect(entries.map(({ kind, origin }) => [kind, origin.index])).toEqual([
      ["user", 0],
      ["user", 1],
    ]);
  });

  it("DIA-104 leaves blank text out and reports it, and leaves empty text out without a word", () => {
    expect(
      read(user({ type: "text", text: "" }, { type: "text", text: " \n" }, { type: "text", text: "a" })),
    ).toEqual({
      said: ["user a"],
      report: ["0 dropped empty content[1] blank text"],
    });
    expect(read({ role: "user", content: "\t" }).report).toEqual(["0 dropped empty content blank text"]);
  });

  it("DIA-105 reports a message without any content", () => {
    expect(read({ role: "assistant", content: "" }, user())).toEqual({
      said: [],
      report: [
        "0 dropped empty assistant message without content",
        "1 dropped empty user message without content",
      ],
    });
  });

  it("DIA-106 reads system messages in one text, and tells the leading ones", () => {
    const system: JsonObject = {
      role: "system",
      content: [
        { type: "text", text: "be kind" },
        { type: "text", text: "be brief", ...CACHED },
      ],
      clear_at: "never",
    };
    const { entries } = readHistory([system, { role: "user", content: "hi" }, system]);
    expect(entries.map((entry) => entry.kind === "system" && [entry.text, entry.leading])).toEqual([
      ["be kind\nbe brief", true],
      false,
      ["be kind\nbe brief", false],
    ]);
    expect(read(system).report).toEqual(["0 dropped metadata clear_at", "0 dropped cache-marker content[1]"]);
  });
});

describe("text", () => {
  it("DIA-107 goes on without a break next to a cited text, blank pieces included", () => {
    const cited = { citations: [{ type: "char_location" }, { type: "char_location" }] };
    const history = assistant(
      { type: "text", text: "I know." },
      { type: "thinking", thinking: "hmm", signature: "s" },
      { type: "text", text: "The sky" },
      { type: "text", text: " is blue", ...cited },
      { type: "text", text: " " },
      { type: "text", text: "today", citations: null },
    );
    expect(read(history)).toEqual({
      said: ["assistant I know.", "assistant The sky", "assistant + is blue ", "assistant today"],
      report: ["0 dropped thinking content[1] thinking", "0 dropped citation content[3] 2 char_location"],
    });
  });

  it("DIA-108 reports every modifier that a crossing block loses, and none that says nothing", () => {
    const blocks = [
      { type: "text", text: "a", ...CACHED, citations: [] },
      { type: "image", source: PNG, transformations: { on_oversize: "downscale" } },
      { type: "document", source: PDF, citations: { enabled: true }, ...CACHED },
      { type: "document", source: PDF, citations: { enabled: false }, cache_control: null },
    ];
    expect(read(user(...blocks)).report).toEqual([
      "0 dropped cache-marker content[0]",
      "0 dropped metadata content[1].transformations",
      "0 dropped citation content[2] citations enabled",
      "0 dropped cache-marker content[2]",
    ]);
    expect(
      read({ id: "msg_1", stop_reason: null, ...assistant({ type: "text", text: "a" }) }).report,
    ).toEqual(["0 dropped metadata id"]);
  });
});

describe("media", () => {
  it.each<[string, JsonObject, string]>([
    ["bytes", PNG, "user image/png iVBORw0KGgo="],
    ["a marker", { ...PNG, data: MARKER }, `user image/png ${MARKER}`],
    [
      "an address",
      { type: "url", url: "https://example.com/a.JPG?x=1" },
      "user image/jpeg https://example.com/a.JPG?x=1",
    ],
    [
      "an address that says no type",
      { type: "url", url: "https://example.com/a" },
      "user  https://example.com/a",
    ],
    ["a data URL", { type: "url", url: "data:image/gif;base64,R0lG" }, "user image/gif R0lG"],
  ])("DIA-109 reads an image given as %s", (_name, source, expected) => {
    expect(read(user({ type: "image", source }))).toEqual({ said: [expected], report: [] });
  });

  it("DIA-109 corrects the names of an image's type and reports it", () => {
    expect(read(user({ type: "image", source: { ...PNG, media_type: "image/JPG" } }))).toEqual({
      said: ["user image/jpeg iVBORw0KGgo="],
      report: ["0 changed media content[0] image/JPG -> image/jpeg"],
    });
  });

  it.each<[string, JsonObject, readonly string[], readonly string[]]>([
    ["bytes", { source: PDF, title: "spec.pdf" }, ["user application/pdf JVBERi0xLjQK spec.pdf"], []],
    [
      "an address",
      { source: { type: "url", url: "https://example.com/y" } },
      ["user application/pdf https://example.com/y"],
      [],
    ],
    [
      "text",
      {
        source: { type: "text", media_type: "text/plain", data: "body" },
        title: "notes",
        context: "from Ann",
      },
      ["user from Ann", "user notes\nbody"],
      ["0 textified document content[0].context", "0 textified document content[0] text document"],
    ],
    [
      "text in a store",
      { source: { type: "text", media_type: "text/plain", data: MARKER }, context: "from Ann" },
      ["user from Ann"],
      [
        "0 textified document content[0].context",
        "0 dropped media content[0] text document whose text is not at hand",
      ],
    ],
    [
      "a string of content",
      { source: { type: "content", content: "body" } },
      ["user body"],
      ["0 textified document content[0] text document"],
    ],
    [
      "blocks",
      {
        source: {
          type: "content",
          content: [
            { type: "text", text: "see" },
            { type: "image", source: PNG },
          ],
        },
        title: "T",
      },
      ["user T", "user see", "user image/png iVBORw0KGgo="],
      ["0 textified document content[0] document of blocks"],
    ],
  ])("DIA-110 reads a document given as %s", (_name, fields, parts, report) => {
    expect(read(user({ type: "document", ...fields }))).toEqual({ said: parts, report });
  });

  it("DIA-111 turns search results and browser states into text", () => {
    const found = everyBlock.search_result as unknown as JsonObject;
    const state = { type: "browser_state", tabs: [{ tab_id: "1", title: "T", url: "https://example.com" }] };
    expect(read(user(found))).toEqual({
      said: ["user Rain\nhttps://example.com\nit rained"],
      report: ["0 textified search-result content[0]"],
    });
    expect(read(user({ type: "tool_result", tool_use_id: "t", content: [state] }))).toEqual({
      said: ['results {"tabs":[{"tab_id":"1","title":"T","url":"https://example.com"}]}'],
      report: ["0 textified tool-output content[0].content[0] browser_state"],
    });
  });

  it.each<[string, JsonObject, string]>([
    ["an uploaded image", { type: "image", source: { type: "file", file_id: "file_1" } }, "image file_1"],
    [
      "an uploaded document",
      { type: "document", source: { type: "file", file_id: "file_1" } },
      "document file_1",
    ],
    ["a file of a container", { type: "container_upload", file_id: "file_1" }, "container_upload file_1"],
    [
      "an address in a provider's file store",
      { type: "image", source: { type: "url", url: "https://api.anthropic.com/v1/files/file_1" } },
      "https://api.anthropic.com/v1/files/file_1",
    ],
  ])("DIA-112 drops %s and puts a placeholder into a message that would be empty", (_name, block, detail) => {
    expect(read(user(block))).toEqual({
      said: [`user ${PLACEHOLDER}`],
      report: [`0 dropped file-ref content[0] ${detail}`, "0 added placeholder"],
    });
    expect(read(user(block, { type: "text", text: "see" })).said).toEqual(["user see"]);
  });
});

describe("the model's own", () => {
  it.each<[keyof typeof everyBlock, string]>([
    ["thinking", "thinking content[0] thinking"],
    ["redacted_thinking", "thinking content[0] redacted_thinking"],
    ["server_tool_use", "server-tool content[0] web_search srvtoolu_1"],
    ["web_search_tool_result", "server-tool content[0] web_search_tool_result srvtoolu_1"],
    ["web_fetch_tool_result", "server-tool content[0] web_fetch_tool_result srvtoolu_1"],
    ["code_execution_tool_result", "server-tool content[0] code_execution_tool_result srvtoolu_1"],
    ["bash_code_execution_tool_result", "server-tool content[0] bash_code_execution_tool_result srvtoolu_1"],
    [
      "text_editor_code_execution_tool_result",
      "server-tool content[0] text_editor_code_execution_tool_result srvtoolu_1",
    ],
    ["tool_search_tool_result", "server-tool content[0] tool_search_tool_result srvtoolu_1"],
    ["advisor_tool_result", "server-tool content[0] advisor_tool_result srvtoolu_1"],
    ["mcp_tool_use", "server-tool content[0] mcp_tool_use find mcptoolu_1"],
    ["mcp_tool_result", "server-tool content[0] mcp_tool_result mcptoolu_1"],
    ["mcp_tool_listing", "tool-definition content[0] mcp_tool_listing wiki"],
    ["tool_addition", "tool-definition content[0] tool_addition"],
    ["tool_removal", "tool-definition content[0] tool_removal"],
    ["fallback", "metadata content[0] fallback"],
  ])("DIA-113 drops %s with one entry and keeps the answer", (kind, expected) => {
    const history = assistant(everyBlock[kind] as unknown as JsonObject, { type: "text", text: "so" });
    expect(read(history)).toEqual({ said: ["assistant so"], report: [`0 dropped ${expected}`] });
  });

  it("DIA-114 tells a compaction's summary as the user's words, and drops an empty one", () => {
    const compaction = {
      type: "compaction",
      content: "They spoke of rain.",
      signature: "s",
      tool_changes: [{ type: "tool_removal" }],
    };
    expect(read(assistant(compaction, { type: "text", text: "so" }))).toEqual({
      said: ["user They spoke of rain.", "assistant so"],
      report: [
        "0 textified compaction content[0]",
        "0 dropped signature content[0].signature",
        "0 dropped tool-definition content[0].tool_changes",
      ],
    });
    expect(read(assistant({ type: "compaction", content: null, encrypted_content: "x" })).report).toEqual([
      "0 dropped compaction content[0]",
    ]);
  });
});

describe("tools", () => {
  it("DIA-115 reads calls with their input, whatever it is, and reports who called", () => {
    const call = (input: JsonValue): JsonObject => ({ type: "tool_use", id: "t", name: "f", input });
    const history = assistant(call({ a: 1 }), call("[1"), call([1]), call(null), {
      ...call({}),
      id: "",
      caller: { type: "direct" },
      toolset_name: "browser",
    });
    expect(read(history)).toEqual({
      said: [
        'call t f {"type":"object","value":{"a":1}}',
        'call t f {"type":"text","text":"[1"}',
        'call t f {"type":"text","text":"[1]"}',
        'call t f {"type":"object","value":{}}',
        'call null f {"type":"object","value":{}}',
      ],
      report: ["0 dropped metadata content[4].caller", "0 dropped metadata content[4].toolset_name"],
    });
  });

  it("DIA-116 refuses a call without a name, naming place and id", () => {
    const history = [user(), assistant({ type: "tool_use", id: "toolu_9", name: "", input: {} })];
    expect(() => readHistory(history)).toThrow(SessionCompatibilityError);
    expect(() => readHistory(history)).toThrow(/toolu_9 at message 1, content\[0\]/);
  });

  it("DIA-117 reads results with texts and media, and whether they are errors", () => {
    const { entries } = readHistory([
      user(
        { type: "tool_result", tool_use_id: "t1" },
        { type: "tool_result", tool_use_id: "t2", content: "B", is_error: true },
        {
          type: "tool_result",
          tool_use_id: "t3",
          content: [
            { type: "text", text: "C" },
            { type: "image", source: PNG },
          ],
        },
      ),
    ]);
    const [results] = entries;
    const facts =
      results?.kind === "results" &&
      results.results.map(({ callId, isError, parts }) => [callId, isError, parts.map(({ kind }) => kind)]);
    expect(facts).toEqual([
      ["t1", false, []],
      ["t2", true, ["text"]],
      ["t3", false, ["text", "media"]],
    ]);
  });

  it("DIA-118 puts what the user said beside results after them, and reports what stood before", () => {
    const result = { type: "tool_result", tool_use_id: "t", content: "A" };
    const history = user({ type: "text", text: "by the way" }, result, { type: "text", text: "be brief" });
    expect(read(history)).toEqual({
      said: ["results A", "user by the way", "user be brief"],
      report: ["0 moved order content[0] after the results"],
    });
  });

  it("DIA-119 puts a placeholder into a result that lost all it had, and none into one that was empty", () => {
    const result = (content: JsonValue): JsonObject =>
      user({ type: "tool_result", tool_use_id: "t", content });
    expect(read(result([{ type: "tool_reference", tool_name: "look" }]))).toEqual({
      said: [`results ${PLACEHOLDER}`],
      report: [
        "0 dropped tool-definition content[0].content[0] tool_reference look",
        "0 added placeholder content[0]",
      ],
    });
    expect(read(result([]))).toEqual({ said: [], report: [] });
    expect(read(result(" "))).toEqual({
      said: [],
      report: ["0 dropped empty content[0].content blank text"],
    });
  });
});
