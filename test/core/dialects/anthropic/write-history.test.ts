import { describe, expect, it } from "vitest";
import { USER_TURN, writeHistory } from "../../../../src/core/dialects/anthropic/write-history.js";
import type {
  Origin,
  PivotArguments,
  PivotMedia,
  PivotPart,
  RepairedEntry,
  RepairedResult,
} from "../../../../src/core/dialects/pivot.js";
import { PLACEHOLDER } from "../../../../src/core/dialects/placeholder.js";
import type { JsonValue } from "../../../../src/core/json.js";
import { textToBase64 } from "../../../../src/core/media/base64-text.js";
import { validateAnthropicRequest } from "../../../../src/simulator/anthropic/validate.js";

const PNG = "iVBORw0KGgo=";
const PDF = "JVBERi0xLjQK";
const MARKER = `$media:${"a".repeat(64)}.txt`;

const at = (index: number, path = ""): Origin => ({ index, path });
const text = (said: string, index = 0, continues?: true): PivotPart => ({
  kind: "text",
  text: said,
  origin: at(index, "parts[0]"),
  ...(continues === undefined ? {} : { continues }),
});
const data = (mime_type: string, bytes: string, more: Partial<PivotMedia> = {}): PivotMedia => ({
  kind: "media",
  mime_type,
  source: { type: "data", data: bytes },
  origin: at(0, "parts[1]"),
  ...more,
});
const url = (mime_type: string | null, address: string): PivotMedia => ({
  kind: "media",
  mime_type,
  source: { type: "url", url: address },
  origin: at(0, "parts[1]"),
});
const user = (index: number, ...parts: PivotPart[]): RepairedEntry => ({
  kind: "user",
  origin: at(index),
  parts,
});
const assistant = (index: number, ...parts: PivotPart[]): RepairedEntry => ({
  kind: "assistant",
  origin: at(index),
  parts,
});
const round = (
  index: number,
  given: PivotArguments,
  result: Partial<RepairedResult> = {},
): readonly RepairedEntry[] => [
  {
    kind: "assistant",
    origin: at(index),
    parts: [{ kind: "call", id: "t1", name: "f", arguments: given, origin: at(index, "calls[0]") }],
  },
  {
    kind: "results",
    origin: at(index + 1),
    results: [{ callId: "t1", name: "f", isError: false, parts: [], origin: at(index + 1), ...result }],
  },
];
const NO_ARGUMENTS: PivotArguments = { type: "text", text: "" };

interface Written {
  readonly messages: readonly JsonValue[];
  readonly report: readonly string[];
  readonly system: string | null;
  readonly from: readonly (readonly number[])[];
}

/** What is written has to pass the service's own rules. */
function write(entries: readonly RepairedEntry[], system: string | null = null): Written {
  const written = writeHistory(entries, { model: "claude-haiku-4-5", system });
  const messages = written.messages.map(({ message }) => message);
  if (messages.length > 0) {
    const body = { model: "claude-haiku-4-5", max_tokens: 10, messages };
    expect(validateAnthropicRequest(body, { mediaBytes: false })).toEqual([]);
  }
  const report = written.report.map(({ kind, artefact, index, detail }) =>
    [index, kind, artefact, detail].filter((word) => word !== undefined).join(" "),
  );
  return { messages, report, system: written.system, from: written.messages.map(({ from }) => from) };
}

/** The blocks of a user message with these parts, and the report. */
function blocksOf(...parts: PivotPart[]): {
  readonly content: JsonValue;
  readonly report: readonly string[];
} {
  const { messages, report } = write([user(0, ...parts)]);
  return { content: (messages[0] as { content: JsonValue }).content, report };
}

describe("messages", () => {
  it("DIA-120 puts a user's turn in front of a history that the assistant began", () => {
    expect(write([assistant(2, text("hello", 2))])).toEqual({
      messages: [
        { role: "user", content: USER_TURN },
        { role: "assistant", content: "hello" },
      ],
      report: ["2 added user-turn the history began with the assistant"],
      system: null,
      from: [[], [2]],
    });
    expect(write([]).messages).toEqual([]);
  });

  it("DIA-121 writes a plain string as one, other user content as blocks, and an assistant's only text as a string", () => {
    const plain: RepairedEntry = { kind: "user", origin: at(0), parts: [text("go")], plain: true };
    const { messages, report } = write([
      plain,
      user(1, text("on")),
      assistant(2, text("hi")),
      user(3, text("a"), text("b")),
    ]);
    expect(messages).toEqual([
      { role: "user", content: "go" },
      { role: "user", content: [{ type: "text", text: "on" }] },
      { role: "assistant", content: "hi" },
      {
        role: "user",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
    ]);
    expect(report).toEqual([]);
  });

  it("DIA-122 joins a text that goes on to the one before it", () => {
    const parts = [text("The sky", 1), text(" is blue", 1, true), text("So", 1)];
    expect(write([user(0, text("go")), assistant(1, ...parts), user(2, text("ok"))]).messages[1]).toEqual({
      role: "assistant",
      content: [
        { type: "text", text: "The sky is blue" },
        { type: "text", text: "So" },
      ],
    });
  });

  it("DIA-123 cuts trailing whitespace off a last assistant turn only, and reports it", () => {
    const entries = [user(0, text("go")), assistant(1, text("answer: \n", 1))];
    expect(write(entries)).toMatchObject({
      messages: [{}, { content: "answer:" }],
      report: ["1 changed text trailing whitespace cut from the last assistant turn"],
    });
    const blocks = [user(0, text("go")), assistant(1, text("a ", 1), text("b ", 1))];
    expect(write(blocks).messages[1]).toMatchObject({ content: [{ text: "a " }, { text: "b" }] });
    expect(write([...entries, user(2, text("ok"))])).toMatchObject({
      messages: [{}, { content: "answer: \n" }, {}],
      report: [],
    });
  });

  it("DIA-124 collects system text in order and reports what moved, but not a chat history's own system prompt", () => {
    const system = (index: number, said: string, more: object = {}): RepairedEntry => ({
      kind: "system",
      origin: at(index),
      text: said,
      leading: index === 0,
      ...more,
    });
    const entries = [system(0, "be kind", { head: true }), user(1, text("hi")), system(2, "be brief")];
    expect(write(entries, "A")).toMatchObject({
      system: "A\n\nbe kind\n\nbe brief",
      report: ["2 moved system to system"],
      from: [[1]],
    });
    expect(write([system(0, "be kind")]).report).toEqual(["0 moved system to system"]);
  });

  it("DIA-125 writes half characters as U+FFFD, in text, titles, results and arguments", () => {
    const given: PivotArguments = { type: "text", text: String.raw`{"\ud800":["\udc00"]}` };
    const entries = [user(0, text("a\ud800"), data("application/pdf", PDF, { name: "b\ud800" }))];
    const { messages } = write([...entries, ...round(1, given, { parts: [text("c\udc00")] })]);
    expect(messages).toMatchObject([
      { content: [{ text: "a\ufffd" }, { title: "b\ufffd" }] },
      { content: [{ input: { "\ufffd": ["\ufffd"] } }] },
      { content: [{ content: "c\ufffd" }] },
    ]);
  });
});

describe("media", () => {
  it.each<[string, PivotMedia, JsonValue]>([
    [
      "image",
      data("image/webp", PNG),
      { type: "image", source: { type: "base64", media_type: "image/webp", data: PNG } },
    ],
    [
      "image's marker",
      data("image/png", MARKER),
      { type: "image", source: { type: "base64", media_type: "image/png", data: MARKER } },
    ],
    [
      "image's address",
      url(null, "https://example.com/a"),
      { type: "image", source: { type: "url", url: "https://example.com/a" } },
    ],
    [
      "PDF",
      data("application/pdf", PDF, { name: "spec.pdf" }),
      {
        type: "document",
        source: { type: "base64", media_type: "application/pdf", data: PDF },
        title: "spec.pdf",
      },
    ],
    [
      "PDF's address",
      url("application/pdf", "https://example.com/y.pdf"),
      { type: "document", source: { type: "url", url: "https://example.com/y.pdf" } },
    ],
    [
      "text",
      data("text/csv", textToBase64("a;ö"), { name: "t.csv" }),
      { type: "document", source: { type: "text", media_type: "text/plain", data: "a;ö" }, title: "t.csv" },
    ],
    [
      "JSON",
      data("application/json", textToBase64("{}")),
      { type: "document", source: { type: "text", media_type: "text/plain", data: "{}" } },
    ],
    [
      "text's marker",
      data("text/plain", MARKER),
      { type: "document", source: { type: "text", media_type: "text/plain", data: MARKER } },
    ],
  ])("DIA-126 writes an %s where the API takes it", (_name, media, block) => {
    // A marker is no base64: it is put back before a request.
    const written = writeHistory([user(0, media)], { model: "", system: null });
    expect(written.messages.map(({ message }) => message)).toEqual([{ role: "user", content: [block] }]);
    expect(written.report).toEqual([]);
  });

  it("DIA-127 writes an SVG as the text that it is", () => {
    expect(blocksOf(data("image/svg+xml", textToBase64("<svg/>")))).toEqual({
      content: [{ type: "text", text: "<svg/>" }],
      report: ["0 textified media parts[1] image/svg+xml"],
    });
  });

  it.each<[string, PivotMedia, string]>([
    ["audio", data("audio/wav", "UklG"), "audio/wav"],
    ["video", data("video/mp4", "AAAA", { name: "a.mp4" }), "video/mp4 a.mp4"],
    ["an image of another type", data("image/heic", "AAAA"), "image/heic"],
    ["an office file", data("application/msword", "AAAA"), "application/msword"],
    ["text at an address", url("text/plain", "https://example.com/a.txt"), "text/plain"],
    ["an SVG in a store", data("image/svg+xml", MARKER), "image/svg+xml"],
  ])("DIA-128 drops %s, with a placeholder where nothing else was said", (_name, media, detail) => {
    expect(blocksOf(media)).toEqual({
      content: [{ type: "text", text: PLACEHOLDER }],
      report: [`0 dropped media parts[1] ${detail}`, "0 added placeholder"],
    });
    expect(blocksOf(media, text("see")).content).toEqual([{ type: "text", text: "see" }]);
  });

  it("DIA-128 drops an empty text document", () => {
    expect(blocksOf(data("text/plain", textToBase64(" ")), text("see"))).toEqual({
      content: [{ type: "text", text: "see" }],
      report: ["0 dropped empty parts[1] text document"],
    });
  });

  it("DIA-129 drops an assistant's media, and a turn of which nothing is left, but keeps its text files as text", () => {
    const image = data("image/png", PNG, { origin: at(1, "parts[0]") });
    const file = data("text/plain", textToBase64("note"), { origin: at(1, "parts[0]") });
    const end = user(2, text("ok"));
    expect(write([user(0, text("go")), assistant(1, image), end])).toMatchObject({
      from: [[0], [2]],
      report: ["1 dropped media parts[0] image/png in an assistant turn"],
    });
    expect(write([user(0, text("go")), assistant(1, file), end])).toMatchObject({
      messages: [{}, { content: "note" }, {}],
      report: ["1 textified media parts[0] text/plain"],
    });
  });

  it("DIA-130 reports an image's detail and name, for which the API has no place", () => {
    expect(blocksOf(data("image/png", PNG, { detail: "high", name: "cat" })).report).toEqual([
      "0 dropped metadata parts[1] name cat",
      "0 dropped metadata parts[1] detail high",
    ]);
    expect(blocksOf(data("audio/wav", "UklG", { detail: "high" }), text("a")).report).toEqual([
      "0 dropped media parts[1] audio/wav",
    ]);
  });
});

describe("rounds", () => {
  it("DIA-131 puts the results of a round alone in one user message right after it", () => {
    const call = (id: string): PivotPart =>
      ({ kind: "call", id, name: "f", arguments: NO_ARGUMENTS, origin: at(1) }) as never;
    const result = (callId: string, ...parts: PivotPart[]): RepairedResult => ({
      callId,
      name: "f",
      isError: false,
      parts,
      origin: at(callId === "t1" ? 2 : 3),
    });
    const results = [
      result("t1", text("A")),
      result("t2", text("B"), data("image/png", PNG)),
      result("t3", text("C"), text("D")),
      result("t4"),
    ];
    const written = write([
      user(0, text("go")),
      assistant(1, text("ok", 1), call("t1"), call("t2"), call("t3"), call("t4")),
      { kind: "results", origin: at(2), results },
      user(4, text("be brief")),
    ]);
    expect(written.messages[2]).toEqual({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "t1", content: "A" },
        {
          type: "tool_result",
          tool_use_id: "t2",
          content: [
            { type: "text", text: "B" },
            { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
          ],
        },
        {
          type: "tool_result",
          tool_use_id: "t3",
          content: [
            { type: "text", text: "C" },
            { type: "text", text: "D" },
          ],
        },
        { type: "tool_result", tool_use_id: "t4" },
      ],
    });
    expect(written.from).toEqual([[0], [1], [2, 3], [4]]);
    expect(written.report).toEqual([]);
  });

  it.each<[string, PivotArguments, JsonValue, boolean]>([
    ["an object", { type: "object", value: { a: { b: [1] } } }, { a: { b: [1] } }, false],
    ["JSON text", { type: "text", text: '{"a":"}"}' }, { a: "}" }, false],
    ["no text", NO_ARGUMENTS, {}, false],
    ["a list", { type: "text", text: "[1]" }, { _raw: "[1]" }, true],
    ["cut text", { type: "text", text: '{"a":' }, { _raw: '{"a":' }, true],
    ["a bare word", { type: "text", text: "null" }, { _raw: "null" }, true],
  ])("DIA-132 makes an object of arguments that are %s", (_name, given, input, isWrapped) => {
    const { messages, report } = write([user(0, text("go")), ...round(1, given)]);
    expect(messages[1]).toEqual({
      role: "assistant",
      content: [{ type: "tool_use", id: "t1", name: "f", input }],
    });
    expect(report).toEqual(
      isWrapped ? ["1 wrapped args calls[0] t1: not a JSON object, kept under _raw"] : [],
    );
  });

  it("DIA-132 keeps arguments that nest deeper than a history may as text", () => {
    const deep = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    const { messages, report } = write([user(0, text("go")), ...round(1, { type: "text", text: deep })]);
    expect(messages[1]).toMatchObject({ content: [{ input: { _raw: deep } }] });
    expect(report).toHaveLength(1);
  });

  it("DIA-133 leaves text only in a result that is an error, and some, with its media in a message after the round", () => {
    const parts = [
      data("image/png", PNG, { origin: at(2, "parts[0]") }),
      data("text/plain", textToBase64("log"), { origin: at(2, "parts[1]") }),
    ];
    const written = write([user(0, text("go")), ...round(1, NO_ARGUMENTS, { parts, isError: true })]);
    expect(written.messages.slice(2)).toEqual([
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "log", is_error: true }] },
      {
        role: "user",
        content: [
          { type: "text", text: "Image from tool call t1" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
        ],
      },
    ]);
    expect(written.report).toEqual([
      "2 textified media parts[1] text/plain",
      "2 moved media parts[0] to a user message after the round: an error holds text only",
    ]);
    const empty = write([user(0, text("go")), ...round(1, NO_ARGUMENTS, { isError: true })]);
    expect(empty.messages[2]).toMatchObject({ content: [{ content: PLACEHOLDER, is_error: true }] });
    expect(empty.report).toEqual(["2 added placeholder"]);
  });

  it("DIA-134 puts a placeholder into a result that lost all it had", () => {
    const audio = data("audio/wav", "UklG", { origin: at(2, "parts[0]") });
    const { messages, report } = write([user(0, text("go")), ...round(1, NO_ARGUMENTS, { parts: [audio] })]);
    expect(messages[2]).toMatchObject({ content: [{ content: PLACEHOLDER }] });
    expect(report).toEqual(["2 dropped media parts[0] audio/wav", "2 added placeholder"]);
  });
});
