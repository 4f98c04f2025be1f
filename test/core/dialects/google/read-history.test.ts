import type { Part } from "@google/genai";
import { describe, expect, it } from "vitest";
import { readHistory } from "../../../../src/core/dialects/google/read-history.js";
import type { PartField } from "../../../../src/core/dialects/google/read-parts.js";
import type { PivotEntry, ReadHistory } from "../../../../src/core/dialects/pivot.js";
import type { JsonObject } from "../../../../src/core/json.js";
import { deepFreeze } from "../deep-freeze.js";

const PIXEL = { mimeType: "image/png", data: "iVBORw0KGgo=" };

function read(...contents: readonly JsonObject[]): ReadHistory {
  return readHistory(deepFreeze([...contents]));
}

const user = (...parts: readonly JsonObject[]): JsonObject => ({ role: "user", parts });
const model = (...parts: readonly JsonObject[]): JsonObject => ({ role: "model", parts });
const call = (name: string, id?: string): JsonObject => ({
  functionCall: { name, args: {}, ...(id === undefined ? {} : { id }) },
});
const response = (name: string, id: string | undefined, more: JsonObject): JsonObject => ({
  functionResponse: { name, ...(id === undefined ? {} : { id }), ...more },
});

/** Kind, artefact, index and detail of what was reported, one line each. */
function reported({ report }: ReadHistory): readonly string[] {
  return report.map(({ kind, artefact, index, detail }) => [kind, artefact, index, detail].join(" ").trim());
}

/** The entries without their origins: what was said. */
function said({ entries }: ReadHistory): unknown {
  return JSON.parse(
    JSON.stringify(entries, (key, value) => (key === "origin" ? undefined : value)),
  ) as PivotEntry[];
}

describe("the parts of a Gemini content", () => {
  it("DIA-200 names every field that the SDK's Part has, and no other", () => {
    type Unnamed = Exclude<keyof Part, PartField>;
    type Foreign = Exclude<PartField, keyof Part>;
    // The compiler refuses `true` as soon as either side has a field of its own.
    const agrees: [Unnamed, Foreign] extends [never, never] ? true : false = true;
    expect(agrees).toBe(true);
  });

  it("DIA-201 takes text of both sides, and pieces of one answer as going on without a break", () => {
    const history = read(
      user({ text: "a" }, { text: "b" }),
      model({ text: "Clause 4 is ab" }, { text: "out" }),
    );
    expect(said(history)).toEqual([
      {
        kind: "user",
        parts: [
          { kind: "text", text: "a" },
          { kind: "text", text: "b" },
        ],
      },
      {
        kind: "assistant",
        parts: [
          { kind: "text", text: "Clause 4 is ab" },
          { kind: "text", text: "out", continues: true },
        ],
      },
    ]);
    expect(history.report).toEqual([]);
  });

  it("DIA-201 lets a text begin anew behind anything that stood between", () => {
    const history = read(
      model({ text: "one" }, { executableCode: { code: "1", language: "PYTHON" } }, { text: "two" }),
    );
    expect(said(history)).toEqual([
      {
        kind: "assistant",
        parts: [
          { kind: "text", text: "one" },
          { kind: "text", text: "two" },
        ],
      },
    ]);
  });

  it("DIA-202 drops blank text, reported, but keeps a blank piece between two of one answer", () => {
    const history = read(
      user({ text: " \n" }, { text: "go" }),
      model({ text: "one" }, { text: "\n\n" }, { text: "two" }, { text: " " }),
      model({ text: "" }, { text: "three" }),
    );
    expect(said(history)).toEqual([
      { kind: "user", parts: [{ kind: "text", text: "go" }] },
      {
        kind: "assistant",
        parts: [
          { kind: "text", text: "one\n\n" },
          { kind: "text", text: "two", continues: true },
        ],
      },
      { kind: "assistant", parts: [{ kind: "text", text: "three" }] },
    ]);
    expect(reported(history)).toEqual([
      "dropped empty 0 parts[0] blank text",
      "dropped empty 1 parts[3] blank text",
    ]);
  });

  it("DIA-203 reports a content that holds nothing", () => {
    const history = read(user(), model(), model({ text: "" }), user({ text: null, thought: null }));
    expect(history.entries).toEqual([]);
    expect(reported(history)).toEqual([
      "dropped empty 0 user message without content",
      "dropped empty 1 assistant message without content",
      "dropped empty 2 assistant message without content",
      "dropped empty 3 user message without content",
    ]);
  });

  it("DIA-204 drops thoughts of every form, one entry each with their signature, and no empty one", () => {
    const history = read(
      model(
        { text: "let me think", thought: true, thoughtSignature: "AQID" },
        { thought: true, inlineData: PIXEL },
        { thought: true, text: "" },
        { text: "hi" },
      ),
    );
    expect(said(history)).toEqual([{ kind: "assistant", parts: [{ kind: "text", text: "hi" }] }]);
    expect(reported(history)).toEqual([
      "dropped thinking 0 parts[0] thought",
      "dropped thinking 0 parts[1] thought",
    ]);
  });

  it("DIA-204 keeps a call that is marked as a thought", () => {
    const history = read(model({ ...call("f", "1"), thought: true }));
    expect(said(history)).toEqual([
      {
        kind: "assistant",
        parts: [{ kind: "call", id: "1", name: "f", arguments: { type: "object", value: {} } }],
      },
    ]);
  });

  it("DIA-205 drops a signature and keeps its part, be it a stand-in or on an empty text", () => {
    const history = read(
      model(
        { text: "hi", thoughtSignature: "BAUG" },
        { ...call("f", "1"), thoughtSignature: "skip_thought_signature_validator" },
        { text: "", thoughtSignature: "CQkJ" },
      ),
      model({ text: "", thoughtSignature: "CQkJ" }),
    );
    expect(said(history)).toEqual([
      {
        kind: "assistant",
        parts: [
          { kind: "text", text: "hi" },
          { kind: "call", id: "1", name: "f", arguments: { type: "object", value: {} } },
        ],
      },
    ]);
    expect(reported(history)).toEqual([
      "dropped signature 0 parts[0].thoughtSignature",
      "dropped signature 0 parts[1].thoughtSignature",
      "dropped signature 0 parts[2].thoughtSignature",
      "dropped signature 1 parts[0].thoughtSignature",
    ]);
  });

  it("DIA-210 drops what Google ran itself, one entry a part", () => {
    const history = read(
      model(
        { executableCode: { code: "print(4)", language: "PYTHON" }, thoughtSignature: "AQID" },
        { codeExecutionResult: { outcome: "OUTCOME_OK", output: "4" } },
        { toolCall: { id: "s1", toolType: "GOOGLE_SEARCH_WEB", args: {} } },
        { toolResponse: { id: "s1", toolType: "GOOGLE_SEARCH_WEB", response: {} } },
        { text: "4" },
      ),
    );
    expect(said(history)).toEqual([{ kind: "assistant", parts: [{ kind: "text", text: "4" }] }]);
    expect(reported(history)).toEqual([
      "dropped server-tool 0 parts[0] executableCode",
      "dropped signature 0 parts[0].thoughtSignature",
      "dropped server-tool 0 parts[1] codeExecutionResult",
      "dropped server-tool 0 parts[2] toolCall",
      "dropped server-tool 0 parts[3] toolResponse",
    ]);
  });

  it("DIA-211 keeps the words of an audio part as text, on both sides", () => {
    const transcription = { text: "good morning", finished: true };
    const history = read(
      user({ inlineData: { mimeType: "audio/wav", data: "UklG" }, audioTranscription: transcription }),
      model({ inlineData: { mimeType: "audio/wav", data: "UklG" }, audioTranscription: transcription }),
      model({ audioTranscription: { finished: true } }, { text: "hi" }),
    );
    expect(said(history)).toEqual([
      {
        kind: "user",
        parts: [
          { kind: "media", mime_type: "audio/wav", source: { type: "data", data: "UklG" } },
          { kind: "text", text: "good morning" },
        ],
      },
      { kind: "assistant", parts: [{ kind: "text", text: "good morning" }] },
      { kind: "assistant", parts: [{ kind: "text", text: "hi" }] },
    ]);
    expect(reported(history)).toEqual([
      "textified media 0 parts[0] transcription of the audio",
      "dropped media 1 parts[0] audio/wav in an assistant turn",
      "textified media 1 parts[0] transcription of the audio",
      "dropped metadata 2 parts[0].audioTranscription",
    ]);
  });

  it.each(["videoMetadata", "mediaResolution", "mediaProcessing", "speechMetadata", "partMetadata"])(
    "DIA-212 drops the modifier %s and keeps its part",
    (modifier) => {
      const history = read(user({ text: "go", [modifier]: { level: 1 } }));
      expect(said(history)).toEqual([{ kind: "user", parts: [{ kind: "text", text: "go" }] }]);
      expect(reported(history)).toEqual([`dropped metadata 0 parts[0].${modifier}`]);
    },
  );

  it("DIA-213 names what a newer SDK adds: fields of contents, parts, calls and responses, and roles", () => {
    const history = read(
      { role: "user", parts: [{ holodeck: { program: 7 } }, { text: "go" }], mood: "good" },
      model({
        functionCall: { id: "1", name: "f", args: {}, partialArgs: [{ jsonPath: "$..x" }], haste: 1 },
      }),
      user(response("f", "1", { scheduling: "SILENT", response: { output: "x" }, parts: [{ odour: {} }] })),
      { role: "critic", parts: [{ text: "meh" }] },
    );
    expect(said(history)).toEqual([
      { kind: "user", parts: [{ kind: "text", text: "go" }] },
      {
        kind: "assistant",
        parts: [{ kind: "call", id: "1", name: "f", arguments: { type: "object", value: {} } }],
      },
      {
        kind: "results",
        results: [{ callId: "1", name: "f", parts: [{ kind: "text", text: "x" }], isError: false }],
      },
    ]);
    expect(reported(history)).toEqual([
      "dropped metadata 0 parts[0].holodeck",
      "dropped metadata 0 mood",
      "dropped metadata 1 parts[0].functionCall.partialArgs",
      "dropped metadata 1 parts[0].functionCall.haste",
      "dropped metadata 2 parts[0].functionResponse.parts[0].odour",
      "dropped metadata 2 parts[0].functionResponse.scheduling",
      'dropped metadata 3 role "critic"',
    ]);
  });
});
