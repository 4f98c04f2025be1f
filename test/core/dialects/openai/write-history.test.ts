import { describe, expect, it } from "vitest";
import { conversion } from "../../../../src/core/dialects/openai/conversion.js";
import { writeHistory } from "../../../../src/core/dialects/openai/write-history.js";
import type {
  PivotMedia,
  PivotPart,
  PivotText,
  RepairedCall,
  RepairedEntry,
  RepairedResult,
  WrittenHistory,
} from "../../../../src/core/dialects/pivot.js";
import { PLACEHOLDER } from "../../../../src/core/dialects/placeholder.js";
import { NO_RESULT } from "../../../../src/core/dialects/repair.js";
import type { JsonObject, JsonValue } from "../../../../src/core/json.js";
import { textToBase64 } from "../../../../src/core/media/base64-text.js";
import { validateOpenaiRequest } from "../../../../src/simulator/openai/validate.js";
import { deepFreeze } from "../deep-freeze.js";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const PDF = "JVBERi0xLjQK";
const DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

const at = (index: number, path = ""): { index: number; path: string } => ({ index, path });
const text = (said: string, index = 0): PivotText => ({
  kind: "text",
  text: said,
  origin: at(index, "content"),
});
const data = (mime_type: string, bytes: string, more: Partial<PivotMedia> = {}): PivotMedia => ({
  kind: "media",
  origin: at(0, "parts[0]"),
  mime_type,
  source: { type: "data", data: bytes },
  ...more,
});
const address = (mime_type: string | null, url: string): PivotMedia => ({
  kind: "media",
  origin: at(0, "parts[0]"),
  mime_type,
  source: { type: "url", url },
});
const user = (...parts: PivotPart[]): RepairedEntry => ({ kind: "user", origin: at(0), parts });
const call = (
  id: string,
  given: RepairedCall["arguments"] = { type: "object", value: {} },
): RepairedCall => ({
  kind: "call",
  origin: at(1),
  id,
  name: "look",
  arguments: given,
});
const result = (callId: string, parts: readonly PivotPart[], isError = false): RepairedResult => ({
  origin: at(2),
  callId,
  name: "look",
  parts,
  isError,
});
const round = (...parts: PivotPart[]): readonly RepairedEntry[] => [
  { kind: "assistant", origin: at(1), parts: [call("c1")] },
  { kind: "results", origin: at(2), results: [result("c1", parts)] },
];

const write = (entries: readonly RepairedEntry[], system: string | null = null): WrittenHistory =>
  writeHistory(deepFreeze(entries), { model: "gpt-6-luna", system });
const items = (written: WrittenHistory): readonly JsonObject[] =>
  written.messages.map(({ message }) => message);
const contentOf = (part: PivotPart): JsonValue | undefined => items(write([user(part)]))[0]?.content;
const said = ({ report }: WrittenHistory): readonly string[] =>
  report.map(({ kind, artefact, index, detail }) => [kind, artefact, index, detail].join(" "));

describe("writing messages", () => {
  it("DIA-170 puts system text from beside the list first, and leaves all other in its place", () => {
    const written = write(
      [
        { kind: "system", origin: at(0), text: "be kind", leading: true },
        user(text("hi")),
        { kind: "system", origin: at(2), text: "be brief", leading: false },
      ],
      "You review.",
    );
    expect(items(written)).toEqual([
      { role: "developer", content: "You review." },
      { role: "developer", content: "be kind" },
      { role: "user", content: [{ type: "input_text", text: "hi" }] },
      { role: "developer", content: "be brief" },
    ]);
    expect(written).toMatchObject({ system: null, report: [] });
    expect(items(write([user(text("hi"))], " "))).toHaveLength(1);
  });

  it("DIA-171 writes a user's texts as parts, and the assistant's as strings around its calls", () => {
    const written = write([
      user(text("one"), text("two"), { ...text(", three"), continues: true }),
      {
        kind: "assistant",
        origin: at(1),
        parts: [text("It rained", 1), { ...text(" a lot.", 1), continues: true }, text("So:", 2), call("c1")],
      },
      { kind: "results", origin: at(3), results: [result("c1", [text("seen")])] },
      { kind: "assistant", origin: at(4), parts: [text("Done.", 4)] },
    ]);
    expect(items(written)).toEqual([
      {
        role: "user",
        content: [
          { type: "input_text", text: "one" },
          { type: "input_text", text: "two, three" },
        ],
      },
      { role: "assistant", content: "It rained a lot.\nSo:" },
      { type: "function_call", call_id: "c1", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: "seen" },
      { role: "assistant", content: "Done." },
    ]);
    expect(written.report).toEqual([]);
  });

  it("DIA-172 says from which places of the source each item was made", () => {
    const written = write(
      [
        user(text("go")),
        { kind: "assistant", origin: at(1), parts: [text("a", 1), text("b", 2), call("c1")] },
        { kind: "results", origin: at(2), results: [result("c1", [])] },
      ],
      "system",
    );
    expect(written.messages.map(({ from }) => from)).toEqual([[], [0], [1, 2], [1], [2]]);
  });

  it("DIA-173 writes no half characters, neither in text nor in arguments", () => {
    const given = { type: "object", value: { "k\ud83d": "v\udc00", ok: "\\ud83d 😀" } } as const;
    const written = write([
      user(text("a\ud83d")),
      { kind: "assistant", origin: at(1), parts: [text("b\udc00"), call("c1", given)] },
      { kind: "results", origin: at(2), results: [result("c1", [text("c\ud83d")])] },
    ]);
    expect(items(written)).toMatchObject([
      { content: [{ text: "a\ufffd" }] },
      { content: "b\ufffd" },
      { arguments: '{"k\ufffd":"v\ufffd","ok":"\\\\ud83d 😀"}' },
      { output: "c\ufffd" },
    ]);
  });
});

describe("writing tool rounds", () => {
  it.each([
    [{ type: "object", value: { at: 1 } }, '{"at":1}'],
    [{ type: "text", text: '{ "at": 1 }' }, '{ "at": 1 }'],
    [{ type: "text", text: "" }, "{}"],
    [{ type: "text", text: '{"at":' }, '{"at":'],
    [{ type: "text", text: "[1]" }, "[1]"],
  ] as const)("DIA-174 writes the arguments %j as text, verbatim where they are text", (given, expected) => {
    const written = write([{ kind: "assistant", origin: at(1), parts: [call("c1", given)] }]);
    expect(items(written)).toMatchObject([{ arguments: expected }]);
    expect(written.report).toEqual([]);
  });

  it("DIA-175 writes an output as a string where it is text, and as parts where it holds media", () => {
    const outputs = [
      [],
      [text("a"), text("b"), { ...text("c"), continues: true }],
      [text("a"), data("image/png", PNG)],
    ];
    const written = outputs.map((parts) => items(write(round(...(parts as PivotPart[]))))[1]?.output);
    expect(written).toEqual([
      "",
      "a\nbc",
      [
        { type: "input_text", text: "a" },
        { type: "input_image", image_url: `data:image/png;base64,${PNG}`, detail: "auto" },
      ],
    ]);
  });

  it("DIA-176 reports that an error's mark is lost, but not for a result that was added", () => {
    const results = [result("c1", [text("no such file")], true), result("c2", [text(NO_RESULT)], true)];
    const written = write([
      { kind: "assistant", origin: at(1), parts: [call("c1"), call("c2")] },
      { kind: "results", origin: at(2), results },
    ]);
    expect(said(written)).toEqual(["dropped error-flag 2 c1"]);
    expect(items(written).map(({ output }) => output)).toEqual([
      undefined,
      undefined,
      "no such file",
      NO_RESULT,
    ]);
  });
});

describe("writing media", () => {
  const file = (filename: string, type: string, bytes: string): object => ({
    type: "input_file",
    filename,
    file_data: `data:${type};base64,${bytes}`,
  });

  it.each([
    ["an image", data("image/webp", PNG), { image_url: `data:image/webp;base64,${PNG}`, detail: "auto" }],
    ["its detail", data("image/png", PNG, { detail: "high" }), { detail: "high" }],
    ["an image's address", address("image/gif", "https://e.org/a.gif"), { image_url: "https://e.org/a.gif" }],
    ["an address that says nothing", address(null, "https://e.org/a"), { type: "input_image" }],
    ["a PDF", data("application/pdf", PDF), file("document.pdf", "application/pdf", PDF)],
    ["a PDF with a name", data("application/pdf", PDF, { name: "a.pdf" }), { filename: "a.pdf" }],
    ["an office file", data(DOCX, "UEs=", { name: "a.docx" }), file("a.docx", DOCX, "UEs=")],
    [
      "a PDF's address",
      address("application/pdf", "https://e.org/a.pdf"),
      { file_url: "https://e.org/a.pdf" },
    ],
    ["a file's address", address("application/octet-stream", "https://e.org/a"), { type: "input_file" }],
  ])("DIA-177 writes %s without a report", (_what, part, expected) => {
    expect(contentOf(part)).toMatchObject([expected]);
    expect(write([user(part)]).report).toEqual([]);
  });

  it("DIA-178 writes text files and drawings as text, under their name", () => {
    const notes = data("text/plain", textToBase64("Grüße"), { name: "notes.txt" });
    const drawing = data("image/svg+xml", textToBase64("<svg/>"));
    const written = write([user(notes, drawing)]);
    expect(items(written)[0]?.content).toEqual([
      { type: "input_text", text: "notes.txt\nGrüße" },
      { type: "input_text", text: "<svg/>" },
    ]);
    expect(said(written)).toEqual([
      "textified document 0 parts[0] text/plain notes.txt",
      "textified media 0 parts[0] image/svg+xml",
    ]);
  });

  it.each([
    ["audio", data("audio/mpeg", "SUQz", { name: "a.mp3" }), "audio/mpeg a.mp3"],
    ["video", data("video/mp4", "AAAA"), "video/mp4"],
    ["a video's address", address("video/mp4", "https://e.org/a.mp4"), "video/mp4"],
    ["an image of another type", data("image/heic", "AAAA"), "image/heic"],
    ["unknown bytes", data("application/octet-stream", "AAAA"), "application/octet-stream"],
    ["text whose bytes are elsewhere", data("text/csv", `$media:${"a".repeat(64)}.csv`), "text/csv"],
  ])("DIA-179 drops %s, and fills what it emptied", (_what, part, detail) => {
    const entry = `dropped media 0 parts[0] ${detail}`;
    const alone = write([user(part)]);
    expect(items(alone)).toEqual([{ role: "user", content: [{ type: "input_text", text: PLACEHOLDER }] }]);
    expect(said(alone)).toEqual([entry, "added placeholder 0 "]);
    expect(said(write([user(part, text("listen"))]))).toEqual([entry]);
    const inResult = write(round(part));
    expect(items(inResult)[1]?.output).toBe(PLACEHOLDER);
    expect(said(inResult)).toEqual([entry, "added placeholder 2 "]);
  });

  it("DIA-180 drops media of the assistant, for which the wire has no place", () => {
    const image = { ...data("image/png", PNG), origin: at(1, "parts[1]") };
    const written = write([
      user(text("draw")),
      { kind: "assistant", origin: at(1), parts: [text("here", 1), image] },
      { kind: "assistant", origin: at(2), parts: [image] },
    ]);
    expect(items(written).slice(1)).toEqual([{ role: "assistant", content: "here" }]);
    expect(said(written)).toEqual(Array(2).fill("dropped media 1 parts[1] image/png in an assistant turn"));
  });
});

describe("what is written", () => {
  it("DIA-182 may be of any size, and so may what is read", () => {
    const many = 200_000;
    const content = Array(many).fill({ type: "input_text", text: " " });
    expect(conversion.readHistory([{ role: "assistant", content }]).report).toHaveLength(many);
    const calls = Array.from({ length: many }, (_, index) => call(`c${index}`));
    expect(write([{ kind: "assistant", origin: at(1), parts: calls }]).messages).toHaveLength(many);
  });

  it("DIA-181 is accepted by the service, with an id and names that it takes", () => {
    const id = "list_dir:0";
    const written = write(
      [
        user(text("go"), data("image/png", PNG), data("application/pdf", PDF), data("text/csv", "YSxi")),
        {
          kind: "assistant",
          origin: at(1),
          parts: [text("I look."), call(id), call("c2", { type: "text", text: "" })],
        },
        {
          kind: "results",
          origin: at(2),
          results: [result(id, [text("seen"), data("image/png", PNG)], true), result("c2", [])],
        },
        { kind: "system", origin: at(3), text: "be brief", leading: false },
        user(data("audio/mpeg", "SUQz")),
      ],
      "You review.",
    );
    const body = { model: "gpt-6-luna", store: false, input: items(written) };
    expect(validateOpenaiRequest(body, { mediaBytes: false })).toEqual([]);
    const { pattern, maxLength, toolNamePattern } = conversion.callIds;
    expect([pattern.test(id), pattern.test(""), maxLength]).toEqual([true, false, 64]);
    expect(["a-b_1", "repo.search", "", "n".repeat(65)].map((name) => toolNamePattern.test(name))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
