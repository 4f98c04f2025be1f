import { describe, expect, it } from "vitest";
import { readHistory } from "../../../../src/core/dialects/google/read-history.js";
import type { PivotResult, ReadHistory } from "../../../../src/core/dialects/pivot.js";
import { SessionCompatibilityError } from "../../../../src/core/errors/errors.js";
import type { JsonObject } from "../../../../src/core/json.js";
import { deepFreeze } from "../deep-freeze.js";

function read(...contents: readonly JsonObject[]): ReadHistory {
  return readHistory(deepFreeze([...contents]));
}

const user = (...parts: readonly JsonObject[]): JsonObject => ({ role: "user", parts });
const model = (...parts: readonly JsonObject[]): JsonObject => ({ role: "model", parts });
const call = (name: string, id?: string, more: JsonObject = {}): JsonObject => ({
  functionCall: { name, ...(id === undefined ? {} : { id }), ...more },
});
const response = (name: string, id: string | undefined, more: JsonObject): JsonObject => ({
  functionResponse: { name, ...(id === undefined ? {} : { id }), ...more },
});

function resultsOf({ entries }: ReadHistory): readonly PivotResult[] {
  return entries.flatMap((entry) => (entry.kind === "results" ? entry.results : []));
}

/** Id, text and error flag of each result. */
function outcomes(history: ReadHistory): readonly (readonly [string | null, string, boolean])[] {
  return resultsOf(history).map(({ callId, parts, isError }) => [
    callId,
    parts.map((part) => (part.kind === "text" ? part.text : `<${part.mime_type}>`)).join("|"),
    isError,
  ]);
}

function reported({ report }: ReadHistory): readonly string[] {
  return report.map(({ kind, artefact, index, detail }) => [kind, artefact, index, detail].join(" ").trim());
}

function kinds({ entries }: ReadHistory): readonly string[] {
  return entries.map(({ kind, origin }) => `${kind} ${origin.index}`);
}

describe("calls and responses of a Gemini history", () => {
  it("DIA-214 reads calls with and without ids and arguments, and keeps what is no object as text", () => {
    const { entries } = read(
      model(
        call("a", "c1", { args: { q: 1 } }),
        call("a"),
        call("b", "", { args: [1] }),
        call("c", "c4", { args: "{" }),
      ),
    );
    const parts = entries[0]?.kind === "assistant" ? entries[0].parts : [];
    expect(
      parts.map((part) => (part.kind === "call" ? [part.id, part.name, part.arguments] : undefined)),
    ).toEqual([
      ["c1", "a", { type: "object", value: { q: 1 } }],
      [null, "a", { type: "object", value: {} }],
      [null, "b", { type: "text", text: "[1]" }],
      ["c4", "c", { type: "text", text: "{" }],
    ]);
  });

  it.each([{}, { name: null }, { name: "" }, { name: " " }])(
    "DIA-215 refuses a call whose name is %j, naming the place",
    (named) => {
      const act = () =>
        read(user({ text: "go" }), model({ text: "ok" }, { functionCall: { id: "c1", ...named } }));
      expect(act).toThrow(SessionCompatibilityError);
      expect(act).toThrow("message 1, parts[1], id c1");
    },
  );

  it.each<[JsonObject | null, string, boolean]>([
    [{ output: "done" }, "done", false],
    [{ output: "" }, "", false],
    [{ output: { a: 1 } }, '{"output":{"a":1}}', false],
    [{ output: "done", seconds: 3 }, '{"output":"done","seconds":3}', false],
    [{ output: "done", error: null }, "done", false],
    [{ temperature: 20 }, '{"temperature":20}', false],
    [{}, "{}", false],
    [null, "", false],
    [{ error: "no such file" }, "no such file", true],
    [{ error: { code: 5 } }, '{"code":5}', true],
    [{ error: "slow", output: "x" }, '{"error":"slow","output":"x"}', true],
    [{ error: "", output: "x" }, '{"error":"","output":"x"}', false],
  ])("DIA-216 reads the response %j as %j", (given, text, isError) => {
    const history = read(model(call("f", "1")), user(response("f", "1", { response: given })));
    expect(outcomes(history)).toEqual([["1", text, isError]]);
    expect(history.report).toEqual([]);
  });

  it("DIA-217 takes media from a response's parts, and puts a placeholder where none can cross", () => {
    const image = { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } };
    const file = { fileData: { fileUri: "gs://bucket/a.png", mimeType: "image/png" } };
    const history = read(
      model(call("shot", "1"), call("shot", "2")),
      user(
        response("shot", "1", { response: { output: "done" }, parts: [image, file] }),
        response("shot", "2", { response: null, parts: [file] }),
      ),
    );
    expect(outcomes(history)).toEqual([
      ["1", "done|<image/png>", false],
      ["2", "[content left out]", false],
    ]);
    expect(reported(history)).toEqual([
      "dropped file-ref 1 parts[0].functionResponse.parts[1] gs://bucket/a.png",
      "dropped file-ref 1 parts[1].functionResponse.parts[0] gs://bucket/a.png",
      "added placeholder 1 parts[1]",
    ]);
  });

  it("DIA-218 joins the responses that continue one call, also across the model's turns", () => {
    const history = read(
      user({ text: "go" }),
      model(call("watch", "1"), call("read", "2")),
      user(
        response("watch", "1", { response: {}, willContinue: true }),
        response("read", "2", { response: { output: "text" } }),
      ),
      user(response("watch", "1", { response: { output: "one" }, willContinue: true })),
      model({ text: "waiting" }),
      user(response("watch", "1", { response: { error: "two" }, willContinue: true })),
      user(response("watch", "1", { response: {}, willContinue: false })),
      user({ text: "and?" }),
    );
    expect(outcomes(history)).toEqual([
      ["1", "one|two", true],
      ["2", "text", false],
    ]);
    expect(kinds(history)).toEqual(["user 0", "assistant 1", "results 2", "assistant 4", "user 7"]);
    expect(reported(history)).toEqual(
      [3, 5, 6].map((index) => `moved order ${index} parts[0] joins the earlier response to the same call`),
    );
  });

  it("DIA-218 joins a second response to one id, but not the responses to two calls of one id", () => {
    const twice = [
      response("f", "1", { response: { output: "a" } }),
      response("f", "1", { response: { output: "b" } }),
    ];
    expect(outcomes(read(model(call("f", "1")), user(...twice)))).toEqual([["1", "a|b", false]]);
    expect(outcomes(read(model(call("f", "1"), call("f", "1")), user(...twice)))).toEqual([
      ["1", "a", false],
      ["1", "b", false],
    ]);
    expect(
      outcomes(read(model(call("f", "1")), user(...twice), model(call("f", "1")), user(...twice))),
    ).toEqual([
      ["1", "a|b", false],
      ["1", "a|b", false],
    ]);
  });

  it("DIA-218 leaves responses without ids apart, one for each call of their name", () => {
    const answers = ["a", "b"].map((output) => response("f", undefined, { response: { output } }));
    expect(outcomes(read(model(call("f"), call("f")), user(...answers)))).toEqual([
      [null, "a", false],
      [null, "b", false],
    ]);
  });

  it("DIA-219 makes one turn of calls in neighbouring contents, and one of their responses", () => {
    const history = read(
      user({ text: "go" }),
      model({ text: "I will look" }),
      model(call("a", "1")),
      model(call("b", "2")),
      user(response("a", "1", { response: { output: "A" } })),
      user(response("b", "2", { response: { output: "B" } })),
      model({ text: "one" }),
      model({ text: "two" }),
    );
    expect(kinds(history)).toEqual(["user 0", "assistant 1", "results 4", "assistant 6", "assistant 7"]);
    expect(outcomes(history).map(([id]) => id)).toEqual(["1", "2"]);
  });

  it("DIA-219 leaves what stands beside responses in a place of its own, in order", () => {
    const history = read(
      user({ text: "go" }),
      model(call("a", "1")),
      user({ text: "by the way" }, response("a", "1", { response: { output: "A" } }), { text: "be brief" }),
    );
    expect(kinds(history)).toEqual(["user 0", "assistant 1", "user 2", "results 2", "user 2"]);
  });

  it("DIA-220 puts the pieces of a call together, text going on where it stopped", () => {
    const piece = (jsonPath: string, value: JsonObject): JsonObject => ({ jsonPath, ...value });
    const history = read(
      model(
        call("book", "c1", { willContinue: true }),
        {
          functionCall: {
            partialArgs: [piece("$.city", { stringValue: "Os" }), piece("$.nights[0].n", { numberValue: 2 })],
            willContinue: true,
          },
          thoughtSignature: "AQID",
        },
        {
          functionCall: {
            partialArgs: [
              piece("$.city", { stringValue: "lo" }),
              piece("$['pets']", { boolValue: false }),
              piece("$.nights[1]", { nullValue: "NULL_VALUE" }),
            ],
          },
        },
        call("plain", "c2", { args: { a: 1 } }),
      ),
    );
    const parts = history.entries[0]?.kind === "assistant" ? history.entries[0].parts : [];
    expect(parts.map((part) => (part.kind === "call" ? [part.id, part.arguments] : undefined))).toEqual([
      ["c1", { type: "object", value: { city: "Oslo", nights: [{ n: 2 }, null], pets: false } }],
      ["c2", { type: "object", value: { a: 1 } }],
    ]);
    expect(reported(history)).toEqual(["dropped signature 0 parts[1].thoughtSignature"]);
  });

  it.each(["city", "$..city", "$.list[7]", "$.a.b"])(
    "DIA-220 reports the pieces of arguments that do not fit together at %s",
    (jsonPath) => {
      const partialArgs = [
        { jsonPath: "$.a", stringValue: "x" },
        { jsonPath, stringValue: "y" },
      ];
      const history = read(model(call("f", "1", { partialArgs })));
      expect(reported(history)).toEqual(["dropped metadata 0 parts[0].functionCall.partialArgs"]);
    },
  );
});
