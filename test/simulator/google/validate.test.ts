import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/core/json.js";
import { validateGoogleRequest } from "../../../src/simulator/google/validate.js";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const PDF = Buffer.from("%PDF-1.7\n%%EOF\n").toString("base64");
const SENTINEL = "skip_thought_signature_validator";

const user = (...parts: JsonValue[]): JsonObject => ({ role: "user", parts });
const model = (...parts: JsonValue[]): JsonObject => ({ role: "model", parts });
const text = (value: string): JsonObject => ({ text: value });
const call = (name: string, more: JsonObject = {}): JsonObject => ({
  functionCall: { name, args: {}, ...more },
});
const signed = (name: string): JsonObject => ({ ...call(name), thoughtSignature: SENTINEL });
const response = (name: string, more: JsonObject = {}): JsonObject => ({
  functionResponse: { name, response: { output: "ok" }, ...more },
});
const inline = (mimeType: string, data: string): JsonObject => ({ inlineData: { mimeType, data } });
const talk = (...contents: JsonObject[]): JsonObject => ({ contents });
const declare = (declaration: JsonObject): JsonObject => ({
  tools: [{ functionDeclarations: [declaration] }],
});

function issues(patch: JsonObject, name = "gemini-2.5-flash"): readonly string[] {
  return validateGoogleRequest({ contents: [user(text("hi"))], ...patch }, { model: name }).map(
    ({ message }) => message,
  );
}

describe("the rules of the generateContent wire", () => {
  it.each<[string, JsonObject]>([
    ["a question", {}],
    ["consecutive contents of the user", talk(user(text("a")), user(text("b")))],
    [
      "parallel calls and their responses",
      talk(user(text("a")), model(text("b"), call("f"), call("g")), user(response("g"), response("f"))),
    ],
    [
      "text in a content of its own behind the responses",
      talk(user(text("a")), model(call("f")), user(response("f")), user(text("b"))),
    ],
    [
      "ids on both sides",
      talk(user(text("a")), model(call("f", { id: "1" })), user(response("f", { id: "1" }))),
    ],
    ["a name with dots", talk(user(text("a")), model(call("a.b:c")), user(response("a.b:c")))],
    [
      "media",
      talk(
        user(inline("image/png", PNG), inline("application/pdf", PDF), {
          fileData: { fileUri: "https://example.com/a.pdf", mimeType: "application/pdf" },
        }),
      ),
    ],
    [
      "thoughts",
      talk(
        user(text("a")),
        model({ text: "hm", thought: true }, { text: "b", thoughtSignature: "c2ln" }),
        user(text("c")),
      ),
    ],
    [
      "an empty text that only carries a signature",
      talk(user(text("a")), model(text("b"), { text: "", thoughtSignature: "c2ln" }), user(text("c"))),
    ],
    [
      "instructions and declarations",
      {
        systemInstruction: { parts: [text("Be brief.")] },
        ...declare({ name: "f", parametersJsonSchema: { type: "object", additionalProperties: false } }),
      },
    ],
  ])("SIM-14 takes %s", (_, patch) => {
    expect(issues(patch)).toEqual([]);
  });

  it.each<[string, JsonObject, string]>([
    ["no contents", { contents: [] }, "* GenerateContentRequest.contents: contents is not specified"],
    [
      "an unknown field",
      { system: "x" },
      `Invalid JSON payload received. Unknown name "system": Cannot find field.`,
    ],
    [
      "an unknown setting",
      { generationConfig: { max_tokens: 5 } },
      `Unknown name "max_tokens" at 'generation_config'`,
    ],
    [
      "another role",
      talk({ role: "assistant", parts: [text("a")] }),
      "Please use a valid role: user, model.",
    ],
    [
      "the model first",
      talk(model(text("a")), user(text("b"))),
      "Please ensure that multiturn requests start with a user role.",
    ],
    [
      "the model last",
      talk(user(text("a")), model(text("b"))),
      "Please ensure that multiturn requests end with a user role",
    ],
    ["no parts", talk(user()), "contents[0].parts: contents.parts must not be empty."],
    [
      "an empty part",
      talk(user({})),
      "contents[0].parts[0].data: required oneof field 'data' must have one initialized field",
    ],
    ["an empty text", talk(user(text(""))), "required oneof field 'data' must have one initialized field"],
    [
      "two data fields in a part",
      talk(user({ text: "a", ...inline("image/png", PNG) })),
      "oneof field 'data' is already set. Cannot set 'inlineData'",
    ],
    [
      "an unknown field of a part",
      talk(user({ text: "a", cache_control: {} })),
      `Unknown name "cache_control" at 'contents[0].parts[0]'`,
    ],
    [
      "a signature that is no base64",
      talk(user(text("a")), model({ text: "b", thoughtSignature: "…" }), user(text("c"))),
      "thought_signature' (TYPE_BYTES), Base64 decoding failed",
    ],
    [
      "a call after the model's turn",
      talk(user(text("a")), model(text("b")), model(call("f")), user(response("f"))),
      "function call turn comes immediately after a user turn",
    ],
    [
      "fewer responses than calls",
      talk(user(text("a")), model(call("f"), call("g")), user(response("f"))),
      "number of function response parts is equal to the number of function call parts",
    ],
    [
      "a response split over two contents",
      talk(user(text("a")), model(call("f"), call("g")), user(response("f")), user(response("g"))),
      "number of function response parts is equal",
    ],
    [
      "a response without call",
      talk(user(text("a")), user(response("f"))),
      "function response turn comes immediately after a function call turn",
    ],
    [
      "text beside a response",
      talk(user(text("a")), model(call("f")), user(response("f"), text("b"))),
      "function responses only",
    ],
    [
      "a response of another name",
      talk(user(text("a")), model(call("f")), user(response("g"))),
      `Function response "g" answers none of the calls`,
    ],
    [
      "an id on one side only",
      talk(user(text("a")), model(call("f", { id: "1" })), user(response("f"))),
      `Function response "f" answers none of the calls`,
    ],
    [
      "a response without name",
      talk(user(text("a")), model(call("f")), user({ functionResponse: { response: {} } })),
      "name: Name cannot be empty.",
    ],
    [
      "a response that is no object",
      talk(user(text("a")), model(call("f")), user(response("f", { response: "ok" }))),
      "response' (type.googleapis.com/google.protobuf.Struct)",
    ],
    [
      "arguments that are no object",
      talk(user(text("a")), model(call("f", { args: [] })), user(response("f"))),
      "args' (type.googleapis.com/google.protobuf.Struct)",
    ],
    [
      "media in a response on an older model",
      talk(user(text("a")), model(call("f")), user(response("f", { parts: [inline("image/png", PNG)] }))),
      "Multimodal function responses are not supported",
    ],
    [
      "a type that the service does not read",
      talk(user(inline("application/msword", PDF))),
      "Unsupported MIME type: application/msword",
    ],
    ["an image that is none", talk(user(inline("image/png", "AAAA"))), "Unable to process input image."],
    ["a PDF that is none", talk(user(inline("application/pdf", "AAAA"))), "The document has no pages."],
    ["base64 that is none", talk(user(inline("image/png", "$media:a"))), "Base64 decoding failed"],
    [
      "an address of another kind",
      talk(user({ fileData: { fileUri: "gs://a/b", mimeType: "image/png" } })),
      "Invalid or unsupported file uri: gs://a/b",
    ],
    ["a declaration with a bad name", declare({ name: "1f" }), "Invalid function name"],
    [
      "JSON Schema in the vendor's own schema field",
      declare({ name: "f", parameters: { type: "object", additionalProperties: false } }),
      `Unknown name "additionalProperties" at 'tools[0].function_declarations[0].parameters'`,
    ],
    [
      "two declarations of one name",
      { tools: [{ functionDeclarations: [{ name: "f" }, { name: "f" }] }] },
      "Duplicate function declaration found: f",
    ],
    [
      "instructions without parts",
      { systemInstruction: { parts: [] } },
      "system_instruction.parts: contents.parts must not be empty.",
    ],
  ])("SIM-14 refuses %s", (_, patch, message) => {
    expect(issues(patch)[0]).toContain(message);
  });

  it("SIM-14 wants on Gemini 3 a signature on the first call of each step of the current turn", () => {
    const NEW = "gemini-3.5-flash";
    const turn = (first: JsonObject, second: JsonObject) =>
      talk(
        user(text("a")),
        model(first, call("g")),
        user(response(first === second ? "f" : "f"), response("g")),
        model(second),
        user(response("h")),
      );
    expect(issues(turn(signed("f"), signed("h")), NEW)).toEqual([]);
    expect(issues(turn(call("f"), signed("h")), NEW)[0]).toContain(
      "missing a thought_signature in functionCall parts",
    );
    expect(issues(turn(signed("f"), call("h")), NEW)[0]).toContain("`default_api:h` , position 4.");
    const earlier = talk(
      user(text("a")),
      model(call("f")),
      user(response("f")),
      model(text("b")),
      user(text("c")),
    );
    expect(issues(earlier, NEW)).toEqual([]);
  });

  it("SIM-14 takes media in the responses of Gemini 3", () => {
    const talkWith = (part: JsonObject) =>
      talk(user(text("a")), model(signed("f")), user(response("f", { parts: [part] })));
    expect(issues(talkWith(inline("image/png", PNG)), "gemini-3.5-flash")).toEqual([]);
    expect(issues(talkWith(inline("audio/wav", PNG)), "gemini-3.5-flash")[0]).toContain(
      "Unsupported MIME type: audio/wav",
    );
  });

  it("SIM-14 passes over the bytes of media where it is told so", () => {
    const body = talk(user(inline("image/png", "AAAA"), inline("application/pdf", "AAAA")));
    expect(validateGoogleRequest(body, { model: "gemini-3.5-flash", mediaBytes: false })).toEqual([]);
  });
});
