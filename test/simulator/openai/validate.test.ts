import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/core/json.js";
import { validateOpenaiRequest } from "../../../src/simulator/openai/validate.js";

const PNG =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const PDF = `data:application/pdf;base64,${Buffer.from("%PDF-1.7\n%%EOF\n").toString("base64")}`;

const user = (content: JsonValue): JsonObject => ({ role: "user", content });
const call = (id: string, more: JsonObject = {}): JsonObject => ({
  type: "function_call",
  call_id: id,
  name: "f",
  arguments: "{}",
  ...more,
});
const output = (id: string, value: JsonValue = "ok"): JsonObject => ({
  type: "function_call_output",
  call_id: id,
  output: value,
});
const reasoning = (id: string, more: JsonObject = {}): JsonObject => ({
  type: "reasoning",
  id,
  summary: [],
  ...more,
});
const tool = (more: JsonObject = {}): JsonObject => ({
  type: "function",
  name: "f",
  parameters: { type: "object", properties: {} },
  ...more,
});
const talk = (...input: JsonObject[]): JsonObject => ({ input });

function issues(patch: JsonObject): readonly string[] {
  const body = { model: "gpt-6-luna", store: false, input: "hi", ...patch };
  return validateOpenaiRequest(body).map(({ message }) => message);
}

const SEED = "0123456789abcdef01234567";

describe("the rules of the Responses wire", () => {
  it.each<[string, JsonObject]>([
    ["a bare text", {}],
    ["a developer message in the middle", talk(user("a"), { role: "developer", content: "b" }, user("c"))],
    ["an assistant's text as a string", talk(user("a"), { role: "assistant", content: "b" }, user("c"))],
    [
      "an assistant's text as parts",
      talk(
        user("a"),
        {
          type: "message",
          role: "assistant",
          id: "msg_1",
          content: [
            { type: "output_text", text: "b", annotations: [] },
            { type: "refusal", refusal: "c" },
          ],
        },
        user("d"),
      ),
    ],
    ["calls and outputs", talk(user("a"), call("c:1"), call("c.2"), output("c.2"), output("c:1"))],
    [
      "media",
      talk(
        user([
          { type: "input_image", image_url: PNG, detail: "auto" },
          { type: "input_file", filename: "a.pdf", file_data: PDF },
        ]),
      ),
    ],
    [
      "media in an output",
      talk(
        user("a"),
        call("c"),
        output("c", [
          { type: "input_image", image_url: PNG },
          { type: "input_text", text: "x" },
        ]),
      ),
    ],
    [
      "encrypted reasoning before its message",
      talk(
        user("a"),
        reasoning("rs_1", { encrypted_content: "gAAAAABo" }),
        { role: "assistant", content: "b" },
        user("c"),
      ),
    ],
    [
      "a message bound to reasoning that is there",
      talk(
        user("a"),
        reasoning(`rs_sim${SEED}`, { encrypted_content: "gAAAAABo" }),
        { type: "message", role: "assistant", id: `msg_simr${SEED}`, content: [] },
        user("c"),
      ),
    ],
    [
      "a strict tool",
      {
        tools: [
          tool({
            strict: true,
            parameters: {
              type: "object",
              properties: { a: { type: "string" } },
              required: ["a"],
              additionalProperties: false,
            },
          }),
        ],
      },
    ],
  ])("SIM-13 takes %s", (_, patch) => {
    expect(issues(patch)).toEqual([]);
  });

  it.each<[string, JsonObject, string]>([
    ["no input", { input: [] }, 'One of "input" or "previous_response_id"'],
    ["an unknown parameter", { messages: [] }, "Unknown parameter: 'messages'."],
    [
      "a parameter of another type",
      { stream: "yes" },
      "Invalid type for 'stream': expected a value of type boolean, but got a string instead.",
    ],
    [
      "few output tokens",
      { max_output_tokens: 5 },
      "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 5 instead.",
    ],
    [
      "a stored response",
      { previous_response_id: "resp_1" },
      "Previous response with id 'resp_1' not found.",
    ],
    [
      "an unknown item",
      talk({ type: "tool_use", id: "x" }),
      "Invalid value: 'tool_use'. Supported values are:",
    ],
    [
      "an unknown field of an item",
      talk({ ...user("a"), cache_control: {} }),
      "Unknown parameter: 'input[0].cache_control'.",
    ],
    [
      "an unknown role",
      talk({ role: "model", content: "a" }),
      "Invalid value: 'model'. Supported values are: 'assistant', 'system', 'developer' and 'user'.",
    ],
    [
      "input text by the assistant",
      talk({ role: "assistant", content: [{ type: "input_text", text: "a" }] }),
      "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
    ],
    [
      "an image by the assistant",
      talk({ role: "assistant", content: [{ type: "input_image", image_url: PNG }] }),
      "Invalid value: 'input_image'.",
    ],
    [
      "output text by the user",
      talk(user([{ type: "output_text", text: "a" }])),
      "Invalid value: 'output_text'. Supported values are: 'input_text', 'input_image' and 'input_file'.",
    ],
    [
      "a call_id of 65 characters",
      talk(user("a"), call("c".repeat(65)), output("c".repeat(65))),
      "Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
    ],
    ["an empty call_id", talk(user("a"), call(""), output("")), "Invalid 'input[1].call_id': empty string."],
    [
      "a repeated call_id",
      talk(user("a"), call("c"), output("c"), call("c"), output("c")),
      "Duplicate function call with call_id c.",
    ],
    [
      "an output without call",
      talk(user("a"), output("c")),
      "No tool call found for function call output with call_id c.",
    ],
    [
      "an output before its call",
      talk(user("a"), output("c"), call("c")),
      "No tool call found for function call output with call_id c.",
    ],
    [
      "a call without output",
      talk(user("a"), call("c"), user("b")),
      "No tool output found for function call c.",
    ],
    [
      "two outputs of one call",
      talk(user("a"), call("c"), output("c"), output("c")),
      "Duplicate function call output with call_id c.",
    ],
    [
      "a name with a dot",
      talk(user("a"), call("c", { name: "a.b" }), output("c")),
      "Invalid 'input[1].name': string does not match pattern.",
    ],
    [
      "arguments that are no text",
      talk(user("a"), call("c", { arguments: {} }), output("c")),
      "expected a string, but got an object instead.",
    ],
    [
      "an item id of another kind",
      talk(user("a"), call("c", { id: "toolu_1" }), output("c")),
      "Invalid 'input[1].id': 'toolu_1'. Expected an ID that begins with 'fc'.",
    ],
    [
      "an item id with other characters",
      talk(user("a"), call("c", { id: "fc_1:2" }), output("c")),
      "Expected an ID that contains letters, numbers, underscores, or dashes",
    ],
    [
      "an item id of 65 characters",
      talk(user("a"), call("c", { id: `fc_${"1".repeat(62)}` }), output("c")),
      "Invalid 'input[1].id': string too long.",
    ],
    [
      "bare reasoning without storage",
      talk(user("a"), reasoning("rs_1"), { role: "assistant", content: "b" }, user("c")),
      "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.",
    ],
    [
      "reasoning in plain text",
      talk(
        user("a"),
        reasoning("rs_1", {
          encrypted_content: "gAAAAABo",
          content: [{ type: "reasoning_text", text: "hm" }],
        }),
        { role: "assistant", content: "b" },
        user("c"),
      ),
      "Invalid 'input[1].content': array too long.",
    ],
    [
      "reasoning encrypted by somebody else",
      talk(
        user("a"),
        reasoning("rs_1", { encrypted_content: "ErUB" }),
        { role: "assistant", content: "b" },
        user("c"),
      ),
      "could not be verified",
    ],
    [
      "reasoning that leads to nothing",
      talk(user("a"), reasoning("rs_1", { encrypted_content: "gAAAAABo" }), user("c")),
      "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    ],
    [
      "a message without the reasoning it is bound to",
      talk(user("a"), { type: "message", role: "assistant", id: `msg_simr${SEED}`, content: [] }, user("c")),
      `was provided without its required 'reasoning' item: 'rs_sim${SEED}'.`,
    ],
    [
      "an item reference",
      talk(user("a"), { type: "item_reference", id: "msg_1" }),
      "Item with id 'msg_1' not found.",
    ],
    [
      "an image that is a PDF",
      talk(user([{ type: "input_image", image_url: PDF }])),
      "got unsupported MIME type 'application/pdf'.",
    ],
    [
      "an image that is none",
      talk(user([{ type: "input_image", image_url: "data:image/png;base64,AAAA" }])),
      "does not represent a valid image",
    ],
    [
      "an image that is no URL",
      talk(user([{ type: "input_image", image_url: "$media:abc" }])),
      "Expected a valid URL",
    ],
    [
      "a file without name",
      talk(user([{ type: "input_file", file_data: PDF }])),
      "Missing required parameter: 'input[0].content[0].filename'.",
    ],
    [
      "a file that is no data URL",
      talk(user([{ type: "input_file", filename: "a", file_data: "AAAA" }])),
      "got a value that is no data URL",
    ],
    [
      "a file of another type",
      talk(user([{ type: "input_file", filename: "a", file_data: "data:audio/wav;base64,AAAA" }])),
      "unsupported MIME type 'audio/wav'",
    ],
    [
      "a tool without object schema",
      { tools: [tool({ parameters: { type: "string" } })] },
      `schema must be a JSON Schema of 'type: "object"', got 'type: "string"'.`,
    ],
    [
      "a strict tool that is open",
      { tools: [tool({ strict: true })] },
      "In context=(), 'additionalProperties' is required to be supplied and to be false.",
    ],
    [
      "a tool with a dot in its name",
      { tools: [tool({ name: "a.b" })] },
      "Invalid 'tools[0].name': string does not match pattern.",
    ],
    [
      "five cache breakpoints",
      talk(
        user(
          Array.from({ length: 5 }, () => ({
            type: "input_text",
            text: "a",
            prompt_cache_breakpoint: { mode: "explicit" },
          })),
        ),
      ),
      "At most 4 explicit prompt cache breakpoints may be provided. Found 5.",
    ],
  ])("SIM-13 refuses %s", (_, patch, message) => {
    expect(issues(patch)[0]).toContain(message);
  });

  it("SIM-13 passes over the bytes of media where it is told so", () => {
    const body = {
      model: "gpt-6-luna",
      ...talk(user([{ type: "input_image", image_url: "data:image/png;base64,AAAA" }])),
    };
    expect(validateOpenaiRequest(body)).toHaveLength(1);
    expect(validateOpenaiRequest(body, { mediaBytes: false })).toEqual([]);
  });
});
