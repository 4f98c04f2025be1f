import { describe, expect, it } from "vitest";
import { conversion } from "../../../../src/core/dialects/fireworks/conversion.js";
import type {
  PivotArguments,
  PivotMedia,
  PivotPart,
  RepairedCall,
  RepairedEntry,
  RepairedResult,
} from "../../../../src/core/dialects/pivot.js";
import { PLACEHOLDER } from "../../../../src/core/dialects/placeholder.js";
import { NO_RESULT } from "../../../../src/core/dialects/repair.js";
import type { JsonObject } from "../../../../src/core/json.js";
import { markerFor } from "../../../../src/core/media/marker.js";
import { validateFireworksRequest } from "../../../../src/simulator/fireworks/validate.js";
import { deepFreeze } from "../deep-freeze.js";

const PNG = "iVBORw0KGgo=";
const at = (index: number, path = ""): { index: number; path: string } => ({ index, path });
const text = (said: string, continues?: true): PivotPart => ({
  kind: "text",
  text: said,
  origin: at(0, "content[0]"),
  ...(continues ? { continues } : {}),
});
const media = (mime_type: string | null, more: Partial<PivotMedia> = {}): PivotMedia => ({
  kind: "media",
  origin: at(0, "content[1]"),
  mime_type,
  source: { type: "data", data: PNG },
  ...more,
});
const user = (...parts: PivotPart[]): RepairedEntry => ({ kind: "user", origin: at(0), parts });
const assistant = (...parts: (PivotPart | RepairedCall)[]): RepairedEntry => ({
  kind: "assistant",
  origin: at(1),
  parts,
});
const call = (id: string, args: PivotArguments = { type: "object", value: {} }): RepairedCall => ({
  kind: "call",
  origin: at(1, `calls.${id}`),
  id,
  name: "f",
  arguments: args,
});
const result = (callId: string, parts: readonly PivotPart[], isError = false): RepairedResult => ({
  origin: at(2),
  callId,
  name: "f",
  parts,
  isError,
});
const round = (...results: RepairedResult[]): readonly RepairedEntry[] => [
  assistant(...results.map(({ callId }) => call(callId))),
  { kind: "results", origin: at(2), results },
];

interface Written {
  readonly messages: readonly JsonObject[];
  readonly report: readonly string[];
  readonly from: readonly (readonly number[])[];
}

/** Every list that is written must be one that the strict simulator takes. */
function write(entries: readonly RepairedEntry[], system: string | null = null): Written {
  const written = conversion.writeHistory(deepFreeze([...entries]), { model: "kimi-k2", system });
  expect(written.system).toBeNull();
  const messages = written.messages.map(({ message }) => message);
  if (messages.length > 0) expect(issuesOf(messages)).toEqual([]);
  return {
    messages,
    report: written.report.map(
      ({ kind, artefact, index, detail }) => `${index} ${kind} ${artefact}: ${detail}`,
    ),
    from: written.messages.map(({ from }) => from),
  };
}

function issuesOf(messages: readonly JsonObject[]): readonly unknown[] {
  const model = "accounts/fireworks/models/kimi-k2-instruct";
  return validateFireworksRequest(
    { model, messages: [...messages, { role: "user", content: "next" }] },
    { mediaBytes: false },
  );
}

const marker: Partial<PivotMedia> = {
  source: { type: "data", data: markerFor(`${"0".repeat(64)}.txt`) },
};

const contentOf = (entries: readonly RepairedEntry[]): unknown => write(entries).messages[0]?.content;

describe("writeHistory of Chat Completions", () => {
  it("DIA-270 joins all system text into one message in front, and reports what came later", () => {
    const { messages, report, from } = write(
      [
        { kind: "system", origin: at(0), text: "B", leading: true },
        { kind: "user", origin: at(1), parts: [text("hi")] },
        { kind: "system", origin: at(2), text: "C", leading: false },
      ],
      "A",
    );
    expect(messages).toEqual([
      { role: "system", content: "A\n\nB\n\nC" },
      { role: "user", content: "hi" },
    ]);
    expect(report).toEqual(["2 moved system: to the leading system message"]);
    expect(from[0]).toEqual([0]);
    expect(write([user(text("hi"))]).messages).toEqual([{ role: "user", content: "hi" }]);
  });

  it("DIA-271 writes one user text as a string and several as parts", () => {
    expect(contentOf([user(text("a"))])).toBe("a");
    expect(contentOf([user(text("a"), text("b"))])).toEqual([
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ]);
  });

  it.each<[string, PivotMedia, JsonObject]>([
    [
      "an image",
      media("image/png"),
      { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
    ],
    [
      "an image with its detail",
      media("image/webp", { detail: "low" }),
      { type: "image_url", image_url: { url: `data:image/webp;base64,${PNG}`, detail: "low" } },
    ],
    [
      "an address without an extension",
      media(null, { source: { type: "url", url: "https://example.com/a" } }),
      { type: "image_url", image_url: { url: "https://example.com/a" } },
    ],
    [
      "a video",
      media("video/mp4"),
      { type: "video_url", video_url: { url: `data:video/mp4;base64,${PNG}` } },
    ],
  ])("DIA-272 writes %s as a part of its own", (_, part, expected) => {
    const { messages, report } = write([user(text("see"), part)]);
    expect(messages).toEqual([{ role: "user", content: [{ type: "text", text: "see" }, expected] }]);
    expect(report).toEqual([]);
  });

  it.each([
    ["a PDF", media("application/pdf", { name: "a.pdf" }), "application/pdf a.pdf"],
    ["audio", media("audio/wav"), "audio/wav"],
    ["an image that it does not list", media("image/heic"), "image/heic"],
    ["an office file", media("application/msword"), "application/msword"],
    ["text whose bytes are not at hand", media("text/plain", marker), "text/plain"],
    [
      "text at an address",
      media("text/plain", { source: { type: "url", url: "https://example.com/a.txt" } }),
      "text/plain",
    ],
  ])("DIA-273 drops %s, with a placeholder where nothing else stands", (_, part, named) => {
    const dropped = `0 dropped media: content[1] ${named}`;
    expect(write([user(text("see"), part)])).toMatchObject({
      messages: [{ role: "user", content: "see" }],
      report: [dropped],
    });
    expect(write([user(part)])).toMatchObject({
      messages: [{ role: "user", content: PLACEHOLDER }],
      report: [dropped, "0 added placeholder: undefined"],
    });
  });

  it.each([
    ["a text document", "text/plain", "aGk=", "hi", "document"],
    ["JSON", "application/json", "e30=", "{}", "document"],
    ["an SVG", "image/svg+xml", "PHN2Zy8+", "<svg/>", "media"],
  ])("DIA-274 makes text of %s, under its name", (_, type, data, said, artefact) => {
    const source = { type: "data", data } as const;
    expect(write([user(media(type, { source }))])).toMatchObject({
      messages: [{ content: said }],
      report: [`0 textified ${artefact}: content[1] ${type}`],
    });
    expect(contentOf([user(media(type, { source, name: "a" }))])).toBe(`a\n${said}`);
  });

  it("DIA-275 writes assistant text as one string, pieces of a cut answer without a break", () => {
    const { messages } = write([assistant(text("It rained"), text(" and", true), text("then stopped."))]);
    expect(messages).toEqual([{ role: "assistant", content: "It rained and\nthen stopped." }]);
  });

  it("DIA-276 writes null beside calls alone, and drops media that an assistant made", () => {
    const { messages, report } = write([
      assistant(media("image/png")),
      assistant(media("image/png"), call("c1")),
      { kind: "results", origin: at(2), results: [result("c1", [text("ok")])] },
    ]);
    expect(messages).toEqual([
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c1", content: "ok" },
    ]);
    expect(report).toEqual([
      "0 dropped media: content[1] image/png in an assistant turn",
      "0 dropped media: content[1] image/png in an assistant turn",
    ]);
  });

  it.each<[string, PivotArguments, string, readonly string[]]>([
    ["an object", { type: "object", value: { b: 1, a: [] } }, '{"b":1,"a":[]}', []],
    ["JSON text to the last digit", { type: "text", text: '{ "n": 1.0e3 }' }, '{ "n": 1.0e3 }', []],
    ["no text", { type: "text", text: " " }, "{}", []],
    [
      "a list",
      { type: "text", text: "[1]" },
      '{"_raw":"[1]"}',
      ["1 wrapped args: calls.c1 c1: not a JSON object, kept under _raw"],
    ],
    [
      "text that is no JSON",
      { type: "text", text: '{"a' },
      '{"_raw":"{\\"a"}',
      ["1 wrapped args: calls.c1 c1: not a JSON object, kept under _raw"],
    ],
    ["half characters of an object", { type: "object", value: { a: "\ud83d" } }, '{"a":"\ufffd"}', []],
    [
      "escaped half characters, but not whole ones",
      { type: "text", text: '{"a":"\\ud83d","b":"\\uD83D\\uDE00","c":"\\\\ud83d"}' },
      '{"a":"\ufffd","b":"\\uD83D\\uDE00","c":"\\\\ud83d"}',
      [],
    ],
  ])("DIA-277 writes arguments of %s", (_, args, written, reported) => {
    const answered: RepairedEntry = { kind: "results", origin: at(2), results: [result("c1", [])] };
    const { messages, report } = write([assistant(call("c1", args)), answered]);
    expect(messages[0]).toMatchObject({ tool_calls: [{ function: { arguments: written } }] });
    expect(report).toEqual(reported);
  });

  it("DIA-278 writes results as strings, several texts on lines of their own, an empty one empty", () => {
    const { messages, report, from } = write(round(result("a", [text("one"), text("two")]), result("b", [])));
    expect(messages.slice(1)).toEqual([
      { role: "tool", tool_call_id: "a", content: "one\ntwo" },
      { role: "tool", tool_call_id: "b", content: "" },
    ]);
    expect(report).toEqual([]);
    expect(from.slice(1)).toEqual([[2], [2]]);
  });

  it("DIA-279 moves what a result shows into one labelled user message after the round", () => {
    const url = `data:image/png;base64,${PNG}`;
    const { messages, report } = write(
      round(
        result("a", [text("done"), media("image/png")]),
        result("b", [media("image/png"), media("video/mp4")]),
        result("c", [media("image/png")]),
      ),
    );
    expect(messages.slice(1)).toEqual([
      { role: "tool", tool_call_id: "a", content: "done" },
      { role: "tool", tool_call_id: "b", content: "[media in the next user message]" },
      { role: "tool", tool_call_id: "c", content: "[image in the next user message]" },
      {
        role: "user",
        content: [
          { type: "text", text: "Image from tool call a" },
          { type: "image_url", image_url: { url } },
          { type: "text", text: "Image from tool call b" },
          { type: "image_url", image_url: { url } },
          { type: "text", text: "Video from tool call b" },
          { type: "video_url", video_url: { url: `data:video/mp4;base64,${PNG}` } },
          { type: "text", text: "Image from tool call c" },
          { type: "image_url", image_url: { url } },
        ],
      },
    ]);
    const moved = "0 moved media: content[1] to a user message after the round";
    expect(report).toEqual([moved, moved, moved, moved]);
  });

  it("DIA-280 puts a placeholder into a result whose only medium has no place", () => {
    const { messages, report } = write(round(result("a", [media("application/pdf")])));
    expect(messages[1]).toEqual({ role: "tool", tool_call_id: "a", content: PLACEHOLDER });
    expect(report).toEqual(["0 dropped media: content[1] application/pdf", "2 added placeholder: undefined"]);
  });

  it("DIA-281 reports the mark of an error, but not that of a made-up result", () => {
    const { messages, report } = write(
      round(result("a", [text("no such file")], true), result("b", [text(NO_RESULT)], true)),
    );
    expect(messages.slice(1).map(({ content }) => content)).toEqual(["no such file", NO_RESULT]);
    expect(report).toEqual(["2 dropped error-flag: undefined"]);
  });

  it("DIA-282 writes half characters as U+FFFD everywhere", () => {
    const half = "a\ud83d";
    const { messages } = write(
      [user(text(half)), assistant(text(half)), ...round(result("c", [text(half)]))],
      half,
    );
    expect(JSON.stringify(messages)).not.toMatch(/\\ud83d/);
    expect(messages.map(({ content }) => content)).toEqual([
      "a\ufffd",
      "a\ufffd",
      "a\ufffd",
      null,
      "a\ufffd",
    ]);
  });

  it("DIA-283 takes any id of Fireworks models, and names of letters, digits, _ and - only", () => {
    const { pattern, maxLength, toolNamePattern } = conversion.callIds;
    expect(["functions.read:0", "x", ""].map((id) => pattern.test(id))).toEqual([true, true, false]);
    expect(maxLength).toBeGreaterThanOrEqual(512);
    expect(["read-file_2", "repo.search"].map((name) => toolNamePattern.test(name))).toEqual([true, false]);
  });
});
