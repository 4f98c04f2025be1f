import type OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { ASSISTANT_FIELDS, CALL_READERS } from "../../../../src/core/dialects/fireworks/read-assistant.js";
import { PART_READERS } from "../../../../src/core/dialects/fireworks/read-content.js";
import { MESSAGE_READERS, readHistory } from "../../../../src/core/dialects/fireworks/read-history.js";
import { PLACEHOLDER } from "../../../../src/core/dialects/placeholder.js";
import type { ConversionReportEntry } from "../../../../src/core/envelope/envelope.js";
import { SessionCompatibilityError } from "../../../../src/core/errors/errors.js";
import type { JsonObject } from "../../../../src/core/json.js";
import { deepFreeze } from "../deep-freeze.js";

type Chat = OpenAI.Chat.Completions.ChatCompletionMessageParam;
type Assistant = OpenAI.Chat.Completions.ChatCompletionAssistantMessageParam;
type Part =
  | OpenAI.Chat.Completions.ChatCompletionContentPart
  | OpenAI.Chat.Completions.ChatCompletionContentPartRefusal;
type Call = OpenAI.Chat.Completions.ChatCompletionMessageToolCall;

/** The compiler refuses these where the SDK has a member that the table does not name. */
const named = {
  roles: MESSAGE_READERS satisfies Readonly<Record<Chat["role"], unknown>>,
  parts: PART_READERS satisfies Readonly<Record<Part["type"], unknown>>,
  calls: CALL_READERS satisfies Readonly<Record<Call["type"], unknown>>,
  assistantFields: ASSISTANT_FIELDS satisfies Readonly<Record<keyof Assistant, unknown>>,
};

const read = (...messages: JsonObject[]): ReturnType<typeof readHistory> => readHistory(deepFreeze(messages));
const facts = (report: readonly ConversionReportEntry[]): readonly string[] =>
  report.map(({ kind, artefact, index, detail }) => `${index} ${kind} ${artefact}: ${detail}`);
/** What the first entry says, without where it stood. */
const saidIn = (message: JsonObject): unknown => {
  const [entry] = read(message).entries;
  const parts = entry?.kind === "results" ? entry.results[0]?.parts : undefined;
  const list = parts ?? (entry?.kind === "user" || entry?.kind === "assistant" ? entry.parts : []);
  return list.map(({ origin, ...rest }) => ({ ...rest, path: origin.path }));
};
const user = (...content: JsonObject[]): JsonObject => ({ role: "user", content });
const call = (id: string | null, name: string | null): JsonObject => ({
  id,
  type: "function",
  function: { name, arguments: "{}" },
});

describe("readHistory of Chat Completions", () => {
  it("DIA-250 names every role, part, call and assistant field of the SDK", () => {
    expect(Object.keys(named.roles)).toContain("developer");
    expect(Object.keys(named.parts)).toContain("file");
    expect(Object.keys(named.calls)).toEqual(["function", "custom"]);
    expect(Object.keys(named.assistantFields)).toContain("audio");
  });

  it("DIA-251 tells system text in front from system text that came later", () => {
    const { entries, report } = read(
      { role: "system", content: "A" },
      {
        role: "developer",
        content: [
          { type: "text", text: "B" },
          { type: "text", text: "C" },
        ],
      },
      { role: "user", content: "hi" },
      { role: "system", content: "D" },
    );
    expect(entries.filter(({ kind }) => kind === "system")).toEqual([
      { kind: "system", origin: { index: 0, path: "" }, text: "A", leading: true, head: true },
      { kind: "system", origin: { index: 1, path: "" }, text: "B\nC", leading: true, head: true },
      { kind: "system", origin: { index: 3, path: "" }, text: "D", leading: false },
    ]);
    expect(report).toEqual([]);
  });

  it("DIA-252 remembers whether a user's content was one string", () => {
    const { entries } = read({ role: "user", content: "hi" }, user({ type: "text", text: "hi" }));
    expect(entries.map((entry) => (entry.kind === "user" ? entry.plain : entry))).toEqual([true, undefined]);
  });

  it.each<[string, JsonObject, JsonObject]>([
    [
      "an image with its detail",
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA", detail: "high" } },
      { mime_type: "image/png", source: { type: "data", data: "AAAA" }, detail: "high" },
    ],
    [
      "an image of ordinary detail",
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA", detail: "auto" } },
      { mime_type: "image/png", source: { type: "data", data: "AAAA" } },
    ],
    [
      "an image as a bare URL, without a type",
      { image_url: "https://example.com/a.webp?b.gif" },
      { mime_type: "image/webp", source: { type: "url", url: "https://example.com/a.webp?b.gif" } },
    ],
    [
      "an image at an address that says nothing",
      { type: "image_url", image_url: { url: "https://example.com/view.html" } },
      { mime_type: null, source: { type: "url", url: "https://example.com/view.html" } },
    ],
    [
      "a PDF inside image_url",
      { type: "image_url", image_url: { url: "data:application/pdf;base64,JVBE" } },
      { mime_type: "application/pdf", source: { type: "data", data: "JVBE" } },
    ],
    [
      "bytes of no type",
      { type: "image_url", image_url: { url: "data:;base64,AAAA" } },
      { mime_type: "application/octet-stream", source: { type: "data", data: "AAAA" } },
    ],
    [
      "a video",
      { type: "video_url", video_url: { url: "data:video/webm;base64,AAAA" } },
      { mime_type: "video/webm", source: { type: "data", data: "AAAA" } },
    ],
    [
      "a video at an address that says nothing",
      { type: "video_url", video_url: { url: "https://example.com/watch" } },
      { mime_type: "video/mp4", source: { type: "url", url: "https://example.com/watch" } },
    ],
    [
      "audio",
      { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } },
      { mime_type: "audio/mpeg", source: { type: "data", data: "AAAA" } },
    ],
    [
      "a file as a data URL",
      { type: "file", file: { file_data: "data:text/csv;base64,AAAA", filename: "a.csv" } },
      { mime_type: "text/csv", source: { type: "data", data: "AAAA" }, name: "a.csv" },
    ],
    [
      "a file as bare base64, which is a PDF unless its name says otherwise",
      { type: "file", file: { file_data: "AAAA" } },
      { mime_type: "application/pdf", source: { type: "data", data: "AAAA" } },
    ],
    [
      "a marker in place of the bytes",
      { type: "image_url", image_url: { url: "data:image/png;base64,$media:k" } },
      { mime_type: "image/png", source: { type: "data", data: "$media:k" } },
    ],
  ])("DIA-253 reads %s by its type, without report", (_, part, expected) => {
    const message = user(part);
    expect(saidIn(message)).toEqual([{ kind: "media", ...expected, path: "content[0]" }]);
    expect(read(message).report).toEqual([]);
  });

  it("DIA-254 reports a corrected image type", () => {
    const message = user({ type: "image_url", image_url: { url: "data:IMAGE/JPG;base64,AAAA" } });
    expect(saidIn(message)).toMatchObject([{ mime_type: "image/jpeg" }]);
    expect(facts(read(message).report)).toEqual(["0 changed media: content[0] IMAGE/JPG -> image/jpeg"]);
  });

  it.each<[string, JsonObject, string]>([
    ["a file id", { type: "file", file: { file_id: "file-1" } }, "file-ref: content[0] file-1"],
    [
      "a provider's own file",
      { type: "image_url", image_url: { url: "gs://bucket/a.png" } },
      "file-ref: content[0] gs://bucket/a.png",
    ],
    ["an image without a URL", { type: "image_url" }, "media: content[0] image_url without a URL"],
    [
      "a data URL without base64",
      { image_url: "data:image/svg+xml,%3C" },
      "media: content[0] data:image/svg+xml,%3C",
    ],
    [
      "audio without data",
      { type: "input_audio", input_audio: {} },
      "media: content[0] input_audio without data",
    ],
    ["a file without data", { type: "file", file: {} }, "media: content[0] file without data"],
    ["a kind that is not known yet", { type: "smell_url" }, "metadata: content[0] part of type smell_url"],
  ])("DIA-255 reports %s, and leaves a placeholder where nothing else stands", (_, part, dropped) => {
    const { entries, report } = read(user(part));
    expect(entries).toMatchObject([{ kind: "user", parts: [{ kind: "text", text: PLACEHOLDER }] }]);
    expect(facts(report)).toEqual([`0 dropped ${dropped}`, "0 added placeholder: undefined"]);
    expect(facts(read(user(part, { type: "text", text: "x" })).report)).toEqual([`0 dropped ${dropped}`]);
  });

  it("DIA-256 reports cache marks, names and every other field that is not read", () => {
    const { report } = read(
      {
        role: "user",
        name: "ann",
        content: [
          { type: "text", text: "b", cache_control: { type: "ephemeral" } },
          { type: "image_url", image_url: { url: "https://example.com/a.png", scale: 2 }, id: null },
        ],
      },
      {
        role: "assistant",
        content: "x",
        name: "bob",
        index: 0,
        tool_calls: [{ ...call("c1", "f"), index: 0 }],
        novelty: { a: 1 },
      },
      { role: "tool", tool_call_id: "c1", name: "f", content: "ok", status: "fine" },
    );
    expect(facts(report)).toEqual([
      "0 dropped cache-marker: content[0].cache_control",
      "0 dropped metadata: content[1].image_url.scale",
      "0 dropped metadata: name",
      "1 dropped metadata: name",
      "1 dropped metadata: index",
      "1 dropped metadata: tool_calls[0].index",
      "1 dropped metadata: novelty",
      "2 dropped metadata: status",
    ]);
  });

  it("DIA-257 drops reasoning under all its names and keeps the answer", () => {
    const message = {
      role: "assistant",
      content: "hi",
      reasoning_content: "hm",
      reasoning: "hm",
      reasoning_details: [{ type: "reasoning.text" }],
      thinking_blocks: [],
    };
    expect(saidIn(message)).toEqual([{ kind: "text", text: "hi", path: "content" }]);
    expect(facts(read(message).report)).toEqual([
      "0 dropped thinking: reasoning_content",
      "0 dropped thinking: reasoning",
      "0 dropped thinking: reasoning_details",
    ]);
    expect(read({ role: "assistant", content: "hi", reasoning_content: "" }).report).toEqual([]);
  });

  it("DIA-258 makes text of refusals, as a field and as a part", () => {
    const part = {
      role: "assistant",
      content: [
        { type: "text", text: "a" },
        { type: "refusal", refusal: "no" },
      ],
    };
    const field = { role: "assistant", content: null, refusal: "no" };
    expect(saidIn(part)).toMatchObject([{ text: "a" }, { text: "no" }]);
    expect(saidIn(field)).toMatchObject([{ text: "no" }]);
    expect(facts(read(part, field).report)).toEqual([
      "0 textified refusal: content[1]",
      "1 textified refusal: refusal",
    ]);
  });

  it("DIA-259 reports annotations and spoken answers, and keeps what was said", () => {
    const message = {
      role: "assistant",
      content: null,
      annotations: [{ type: "url_citation" }, { type: "url_citation" }],
      audio: { id: "audio_1", transcript: "hello" },
    };
    expect(saidIn(message)).toMatchObject([{ text: "hello" }]);
    expect(facts(read(message, { role: "assistant", audio: { id: "audio_2" } }).report)).toEqual([
      "0 dropped citation: annotations 2 url_citation",
      "0 dropped file-ref: audio audio_1",
      "0 textified media: audio.transcript",
      "1 dropped file-ref: audio audio_2",
    ]);
  });

  it("DIA-260 reads calls after the text, with their arguments as they are written", () => {
    const message = {
      role: "assistant",
      content: "looking",
      tool_calls: [
        { id: "f:0", type: "function", function: { name: "f", arguments: '{"a": 1.0}' } },
        { id: "", function: { name: "g", arguments: null } },
        { id: "c", type: "custom", custom: { name: "h", input: "*** Begin" } },
      ],
    };
    expect(saidIn(message)).toEqual([
      { kind: "text", text: "looking", path: "content" },
      {
        kind: "call",
        id: "f:0",
        name: "f",
        arguments: { type: "text", text: '{"a": 1.0}' },
        path: "tool_calls[0]",
      },
      { kind: "call", id: null, name: "g", arguments: { type: "text", text: "" }, path: "tool_calls[1]" },
      {
        kind: "call",
        id: "c",
        name: "h",
        arguments: { type: "object", value: { input: "*** Begin" } },
        custom: "*** Begin",
        path: "tool_calls[2]",
      },
    ]);
    expect(read(message).report).toEqual([]);
  });

  it("DIA-261 reads the deprecated single call and its result without ids", () => {
    const { entries, report } = read(
      { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
      { role: "function", name: "f", content: "ok" },
    );
    expect(entries).toMatchObject([
      { kind: "assistant", parts: [{ kind: "call", id: null, name: "f" }] },
      { kind: "results", results: [{ callId: null, name: "f", parts: [{ text: "ok" }] }] },
    ]);
    expect(report).toEqual([]);
  });

  it.each<[string, JsonObject, string]>([
    ["tool call", { role: "assistant", tool_calls: [call("c1", "")] }, "c1 at messages[1].tool_calls[0]"],
    [
      "custom call",
      { role: "assistant", tool_calls: [{ id: "c1", custom: {} }] },
      "c1 at messages[1].tool_calls[0]",
    ],
    [
      "deprecated call",
      { role: "assistant", function_call: {} },
      "without an id at messages[1].function_call",
    ],
  ])("DIA-262 refuses a %s without a name", (_, message, named) => {
    const attempt = (): unknown => read({ role: "user", content: "go" }, message);
    expect(attempt).toThrow(SessionCompatibilityError);
    expect(attempt).toThrow(`A call without a name: ${named}`);
  });

  it("DIA-263 folds the results of neighbouring messages into one round, media inside them too", () => {
    const { entries } = read(
      { role: "tool", tool_call_id: "a", content: "A" },
      {
        role: "tool",
        tool_call_id: "b",
        content: [
          { type: "text", text: "B" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
        ],
      },
      { role: "assistant", content: "so" },
      { role: "tool", tool_call_id: "c", content: "" },
    );
    expect(entries).toMatchObject([
      {
        kind: "results",
        results: [
          { callId: "a", origin: { index: 0 }, parts: [{ text: "A" }], isError: false },
          { callId: "b", origin: { index: 1 }, parts: [{ text: "B" }, { kind: "media" }] },
        ],
      },
      { kind: "assistant" },
      { kind: "results", results: [{ callId: "c", parts: [] }] },
    ]);
  });

  it("DIA-264 reports messages without content and blank text, and passes over empty strings", () => {
    const { entries, report } = read(
      { role: "user", content: "" },
      { role: "assistant", content: null, tool_calls: [] },
      { role: "user", content: " \n" },
      { role: "system", content: "" },
      { role: "assistant", content: "", tool_calls: [call("c1", "f")] },
    );
    expect(entries).toMatchObject([{ kind: "assistant", parts: [{ kind: "call" }] }]);
    expect(facts(report)).toEqual([
      "0 dropped empty: user message without content",
      "1 dropped empty: assistant message without content",
      "2 dropped empty: content whitespace only",
    ]);
  });

  it("DIA-265 reports a role that is not known yet and media in system text", () => {
    const { entries, report } = read(
      { role: "observer", content: "x" },
      { role: "system", content: [{ type: "image_url", image_url: { url: "https://example.com/a.png" } }] },
    );
    expect(entries).toEqual([]);
    expect(facts(report)).toEqual([
      "0 dropped metadata: message of role observer",
      "1 dropped media: content[0] image/png in system text",
    ]);
  });
});
