import { describe, expect, it } from "vitest";
import { conversion } from "../../../../src/core/dialects/google/conversion.js";
import { writeHistory } from "../../../../src/core/dialects/google/write-history.js";
import type {
  Origin,
  PivotArguments,
  PivotMedia,
  PivotPart,
  PivotText,
  RepairedCall,
  RepairedEntry,
  RepairedResult,
  WrittenHistory,
} from "../../../../src/core/dialects/pivot.js";
import type { JsonValue } from "../../../../src/core/json.js";
import { validateGoogleRequest } from "../../../../src/simulator/google/validate.js";
import { deepFreeze } from "../deep-freeze.js";

const at = (index: number, path = ""): Origin => ({ index, path });
const text = (index: number, said: string): PivotText => ({ kind: "text", text: said, origin: at(index) });
const user = (index: number, ...parts: readonly (PivotPart | string)[]): RepairedEntry => ({
  kind: "user",
  origin: at(index),
  parts: parts.map((part) => (typeof part === "string" ? text(index, part) : part)),
});
const assistant = (
  index: number,
  ...parts: readonly (PivotPart | RepairedCall | string)[]
): RepairedEntry => ({
  kind: "assistant",
  origin: at(index),
  parts: parts.map((part) => (typeof part === "string" ? text(index, part) : part)),
});
const call = (
  index: number,
  id: string,
  name: string,
  args: PivotArguments = { type: "object", value: {} },
): RepairedCall => ({ kind: "call", origin: at(index), id, name, arguments: args });
const result = (
  index: number,
  callId: string,
  name: string,
  ...parts: readonly PivotPart[]
): RepairedResult => ({
  origin: at(index, `content[${callId}]`),
  callId,
  name,
  parts,
  isError: false,
});
const results = (index: number, ...given: readonly RepairedResult[]): RepairedEntry => ({
  kind: "results",
  origin: at(index),
  results: given,
});
const system = (index: number, said: string): RepairedEntry => ({
  kind: "system",
  origin: at(index),
  text: said,
  leading: index === 0,
});
const media = (index: number, mime_type: string | null, more: Partial<PivotMedia> = {}): PivotMedia => ({
  kind: "media",
  origin: at(index, "content[0]"),
  mime_type,
  source: { type: "data", data: "iVBORw0KGgo=" },
  ...more,
});
const address = (index: number, mime_type: string | null, url: string): PivotMedia =>
  media(index, mime_type, { source: { type: "url", url } });

/** Writes, and holds the contents against what the service refuses. */
function write(entries: readonly RepairedEntry[], systemBeside: string | null = null): WrittenHistory {
  const written = writeHistory(deepFreeze(entries), {
    model: "gemini-3-flash-preview",
    system: systemBeside,
  });
  const contents = contentsOf(written);
  if (contents.length === 0) return written;
  const open = contents.at(-1)?.role === "model" ? [{ role: "user", parts: [{ text: "go on" }] }] : [];
  // The bytes are back in their places before a request is sent.
  const sent = JSON.stringify([...contents, ...open]).replace(/\$media:[0-9a-f]{64}\.\w+/g, "AAAA");
  const body: JsonValue = { contents: JSON.parse(sent) as JsonValue };
  expect(validateGoogleRequest(body, { model: "gemini-3-flash-preview", mediaBytes: false })).toEqual([]);
  return written;
}

const contentsOf = ({ messages }: WrittenHistory) => messages.map(({ message }) => message);

function reported({ report }: WrittenHistory): readonly string[] {
  return report.map(({ kind, artefact, index, detail }) => [kind, artefact, index, detail].join(" ").trim());
}

const SIGNED = { thoughtSignature: "skip_thought_signature_validator" };
const said = (role: string, ...texts: readonly string[]) => ({
  role,
  parts: texts.map((each) => ({ text: each })),
});

describe("a history written for Gemini", () => {
  it("DIA-225 writes text of both sides, one part each, no blank one, half characters as U+FFFD", () => {
    const written = write([user(0, "a\ud800", " ", "b"), assistant(1, "hi", "\n"), user(2, "c")]);
    expect(contentsOf(written)).toEqual([
      said("user", "a\ufffd", "b"),
      said("model", "hi"),
      said("user", "c"),
    ]);
    expect(written.report).toEqual([]);
    expect(written.messages.map(({ from }) => from)).toEqual([[0], [1], [2]]);
  });

  it("DIA-226 opens with a user's content where the assistant spoke first", () => {
    const written = write([assistant(3, "welcome"), user(4, "hi")]);
    expect(contentsOf(written)).toEqual([
      said("user", "[conversation start]"),
      said("model", "welcome"),
      said("user", "hi"),
    ]);
    expect(reported(written)).toEqual(["added user-turn 3"]);
    expect(written.messages[0]?.from).toEqual([]);
    expect(write([]).messages).toEqual([]);
  });

  it("DIA-227 joins all system text into one, and reports what left the list", () => {
    const written = write(
      [system(0, "be kind"), user(1, "hi"), system(2, " "), system(3, "now be brief")],
      "base",
    );
    expect(written.system).toBe("base\n\nbe kind\n\nnow be brief");
    expect(contentsOf(written)).toEqual([said("user", "hi")]);
    expect(reported(written)).toEqual([
      "moved system 0 to systemInstruction",
      "moved system 2 to systemInstruction",
      "moved system 3 to systemInstruction",
    ]);
    expect(write([user(0, "hi")]).system).toBeNull();
    expect(write([user(0, "hi")], "only").system).toBe("only");
  });

  it("DIA-228 signs the first call of each content and answers all in one content, in order", () => {
    const written = write([
      user(0, "go"),
      assistant(1, "ok", call(1, "t1", "a"), call(2, "t2", "b")),
      results(3, result(3, "t1", "a", text(3, "A")), result(4, "t2", "b", text(4, "one"), text(4, "two"))),
      assistant(5, call(5, "t3", "a")),
      results(6, { ...result(6, "t3", "a", text(6, "no such file")), isError: true }),
      user(7, "be brief"),
    ]);
    expect(contentsOf(written)).toEqual([
      said("user", "go"),
      {
        role: "model",
        parts: [
          { text: "ok" },
          { functionCall: { id: "t1", name: "a", args: {} }, ...SIGNED },
          { functionCall: { id: "t2", name: "b", args: {} } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "t1", name: "a", response: { output: "A" } } },
          { functionResponse: { id: "t2", name: "b", response: { output: "one\ntwo" } } },
        ],
      },
      { role: "model", parts: [{ functionCall: { id: "t3", name: "a", args: {} }, ...SIGNED }] },
      {
        role: "user",
        parts: [{ functionResponse: { id: "t3", name: "a", response: { error: "no such file" } } }],
      },
      said("user", "be brief"),
    ]);
    expect(reported(written)).toEqual([
      "added sentinel 1 parts[1].thoughtSignature",
      "added sentinel 5 parts[0].thoughtSignature",
    ]);
    expect(written.messages.map(({ from }) => from)).toEqual([[0], [1, 2], [3, 4], [5], [6], [7]]);
  });

  it("DIA-228 leaves a result empty that was empty, and joins a text that goes on without a break", () => {
    const cut: PivotPart = { ...text(2, "out."), continues: true };
    const written = write([
      user(0, "go"),
      assistant(1, call(1, "t1", "a"), call(1, "t2", "a")),
      results(2, result(2, "t1", "a"), result(2, "t2", "a", text(2, "ab"), cut)),
    ]);
    expect(contentsOf(written)[2]).toEqual({
      role: "user",
      parts: [
        { functionResponse: { id: "t1", name: "a", response: { output: "" } } },
        { functionResponse: { id: "t2", name: "a", response: { output: "about." } } },
      ],
    });
  });

  it("DIA-229 puts calls into the content of the text before them, also over system text that left", () => {
    const written = write([
      user(0, "go"),
      assistant(1, "I will look"),
      system(2, "be brief"),
      assistant(3, call(3, "t1", "a")),
      results(4, result(4, "t1", "a", text(4, "A"))),
    ]);
    expect(contentsOf(written)[1]).toEqual({
      role: "model",
      parts: [{ text: "I will look" }, { functionCall: { id: "t1", name: "a", args: {} }, ...SIGNED }],
    });
    expect(written.messages[1]?.from).toEqual([1, 3]);
  });

  it.each<[PivotArguments, unknown, boolean]>([
    [
      { type: "object", value: { q: "x\udc00", deep: [{ "k\ud800": 1 }] } },
      { q: "x\ufffd", deep: [{ "k\ufffd": 1 }] },
      false,
    ],
    [{ type: "text", text: '{"q":[1,null]}' }, { q: [1, null] }, false],
    [{ type: "text", text: '{"q":"\\ud800"}' }, { q: "\ufffd" }, false],
    [{ type: "text", text: "" }, {}, false],
    [{ type: "text", text: "[1]" }, { _raw: "[1]" }, true],
    [{ type: "text", text: "null" }, { _raw: "null" }, true],
    [{ type: "text", text: '{"q":' }, { _raw: '{"q":' }, true],
    [
      { type: "text", text: `{"q":${"[".repeat(600)}${"]".repeat(600)}}` },
      { _raw: `{"q":${"[".repeat(600)}${"]".repeat(600)}}` },
      true,
    ],
  ])("DIA-230 makes an object of the arguments %j", (given, args, isWrapped) => {
    const written = write([
      user(0, "go"),
      assistant(1, call(1, "c2", "a", given)),
      results(2, result(2, "c2", "a", text(2, "A"))),
    ]);
    expect(contentsOf(written)[1]?.parts).toEqual([
      { functionCall: { id: "c2", name: "a", args }, ...SIGNED },
    ]);
    const wrapping = isWrapped ? ["wrapped args 1 c2: not a JSON object, kept under _raw"] : [];
    expect(reported(written)).toEqual(["added sentinel 1 parts[0].thoughtSignature", ...wrapping]);
  });

  it("DIA-231 moves a result's media into a content after the round, each behind the id of its call", () => {
    const written = write([
      user(0, "shoot"),
      assistant(1, call(1, "t1", "shot"), call(1, "t2", "shot"), call(1, "t3", "shot")),
      results(
        2,
        result(2, "t1", "shot", text(2, "done"), media(2, "image/png")),
        result(2, "t2", "shot", media(2, "application/pdf"), media(2, "audio/wav")),
        result(2, "t3", "shot", media(2, "image/gif")),
      ),
      user(3, "well?"),
    ]);
    expect(contentsOf(written).slice(2)).toEqual([
      {
        role: "user",
        parts: [
          { functionResponse: { id: "t1", name: "shot", response: { output: "done" } } },
          {
            functionResponse: {
              id: "t2",
              name: "shot",
              response: { output: "[document in the next user message]\n[audio in the next user message]" },
            },
          },
          { functionResponse: { id: "t3", name: "shot", response: { output: "[content left out]" } } },
        ],
      },
      {
        role: "user",
        parts: [
          { text: "Image from tool call t1" },
          { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } },
          { text: "Document from tool call t2" },
          { inlineData: { mimeType: "application/pdf", data: "iVBORw0KGgo=" } },
          { text: "Audio from tool call t2" },
          { inlineData: { mimeType: "audio/wav", data: "iVBORw0KGgo=" } },
        ],
      },
      said("user", "well?"),
    ]);
    expect(reported(written).slice(1)).toEqual([
      "moved media 2 content[0] to a user message after the round",
      "moved media 2 content[0] to a user message after the round",
      "moved media 2 content[0] to a user message after the round",
      "dropped media 2 content[0] image/gif",
      "added placeholder 2 content[t3]",
    ]);
  });

  it.each([
    "image/png",
    "image/jpeg",
    "image/webp",
    "image/heic",
    "image/heif",
    "application/pdf",
    "audio/wav",
    "video/mp4",
  ])("DIA-232 sends %s as inlineData, or by its address", (mimeType) => {
    const marker = `$media:${"0".repeat(64)}.bin`;
    const inline = write([
      user(0, media(0, mimeType, { name: "a", source: { type: "data", data: marker } })),
    ]);
    const remote = write([user(0, address(0, mimeType, "https://example.com/a"))]);
    expect(contentsOf(inline)).toEqual([
      { role: "user", parts: [{ inlineData: { mimeType, data: marker } }] },
    ]);
    expect(contentsOf(remote)).toEqual([
      { role: "user", parts: [{ fileData: { fileUri: "https://example.com/a", mimeType } }] },
    ]);
    expect([...inline.report, ...remote.report]).toEqual([]);
  });

  it("DIA-233 guesses the type of an address, and drops what shows none", () => {
    const written = write([
      user(
        0,
        address(0, null, "https://example.com/a.png?x=1"),
        address(0, null, "https://example.com/a"),
        "see",
      ),
    ]);
    expect(contentsOf(written)).toEqual([
      {
        role: "user",
        parts: [
          { fileData: { fileUri: "https://example.com/a.png?x=1", mimeType: "image/png" } },
          { text: "see" },
        ],
      },
    ]);
    expect(reported(written)).toEqual(["dropped media 0 content[0] of unknown type https://example.com/a"]);
  });

  it.each(["image/gif", "image/bmp", "image/avif", "application/msword", "application/octet-stream"])(
    "DIA-234 drops %s, with a placeholder where nothing is left",
    (mimeType) => {
      const written = write([
        user(0, media(0, mimeType)),
        user(1, address(1, mimeType, "https://e.com/a"), "see"),
      ]);
      expect(contentsOf(written)).toEqual([said("user", "[content left out]"), said("user", "see")]);
      expect(reported(written)).toEqual([
        `dropped media 0 content[0] ${mimeType}`,
        "added placeholder 0",
        `dropped media 1 content[0] ${mimeType} https://e.com/a`,
      ]);
    },
  );

  it("DIA-235 writes text media as text under their names, and drops those whose bytes are elsewhere", () => {
    const body = (data: string): Partial<PivotMedia> => ({ source: { type: "data", data } });
    const written = write([
      user(
        0,
        media(0, "text/markdown", { ...body("YsO2ZHk="), name: "notes.md" }),
        media(0, "application/json", body("e30=")),
        media(0, "image/svg+xml", body("PHN2Zy8+")),
        media(0, "text/csv", body(`$media:${"0".repeat(64)}.csv`)),
      ),
    ]);
    expect(contentsOf(written)).toEqual([said("user", "notes.md\nbödy", "{}", "<svg/>")]);
    expect(reported(written)).toEqual([
      "textified document 0 content[0] text/markdown",
      "textified document 0 content[0] application/json",
      "textified media 0 content[0] image/svg+xml",
      "dropped media 0 content[0] text/csv",
    ]);
  });

  it("DIA-236 drops the detail of an image that crosses", () => {
    const written = write([
      user(0, media(0, "image/png", { detail: "high" }), media(0, "image/gif", { detail: "low" })),
    ]);
    expect(reported(written)).toEqual([
      "dropped metadata 0 content[0].detail high",
      "dropped media 0 content[0] image/gif",
    ]);
  });

  it("DIA-237 drops media of the assistant, and the turn with them where nothing else is in it", () => {
    const written = write([user(0, "draw"), assistant(1, media(1, "image/png")), user(2, "well?")]);
    expect(contentsOf(written)).toEqual([said("user", "draw"), said("user", "well?")]);
    expect(reported(written)).toEqual(["dropped media 1 content[0] image/png in an assistant turn"]);
  });

  it("DIA-238 takes any id that is text, and names as Google's own functions have them", () => {
    const { pattern, maxLength, toolNamePattern } = conversion.callIds;
    const ids = ["functions.a:0", "日本", "x".repeat(512), "", "\ud800"];
    expect(ids.map((id) => pattern.test(id))).toEqual([true, true, true, false, false]);
    expect(maxLength).toBe(512);
    const names = ["repo.search", "a-b:c", "_x", "x".repeat(128), "1a", "a b", "", "x".repeat(129)];
    expect(names.map((name) => toolNamePattern.test(name))).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});
