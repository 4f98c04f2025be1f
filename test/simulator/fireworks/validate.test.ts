import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/core/json.js";
import {
  validateCompatibleRequest,
  validateFireworksRequest,
} from "../../../src/simulator/fireworks/validate.js";

const MODEL = "accounts/fireworks/models/kimi-k2p5";
const PNG =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const PDF = `data:application/pdf;base64,${Buffer.from("%PDF-1.7\n%%EOF\n").toString("base64")}`;

const user = (content: JsonValue): JsonObject => ({ role: "user", content });
const image = (url: string): JsonObject => ({ type: "image_url", image_url: { url } });
const call = (id: string, args = "{}"): JsonObject => ({
  id,
  type: "function",
  function: { name: "f", arguments: args },
});
const calls = (...tool_calls: JsonObject[]): JsonObject => ({ role: "assistant", content: null, tool_calls });
const result = (id: string, content: JsonValue = "ok"): JsonObject => ({
  role: "tool",
  tool_call_id: id,
  content,
});
const talk = (...messages: JsonObject[]): JsonObject => ({ messages });

function issues(patch: JsonObject): readonly string[] {
  return validateFireworksRequest({ model: MODEL, messages: [user("hi")], ...patch }).map(
    ({ message }) => message,
  );
}

describe("the rules of the Chat Completions wire of Fireworks", () => {
  it.each<[string, JsonObject]>([
    ["a question", {}],
    ["instructions at the beginning", talk({ role: "system", content: "a" }, user("b"))],
    [
      "reasoning of an earlier turn",
      talk(user("a"), { role: "assistant", content: "b", reasoning_content: "hm" }, user("c")),
    ],
    [
      "an image and a video",
      talk(
        user([
          { type: "text", text: "a" },
          image(PNG),
          { type: "video_url", video_url: { url: "https://example.com/a.mp4" } },
        ]),
      ),
    ],
    ["a tool round", talk(user("a"), calls(call("f:0"), call("f:1")), result("f:0"), result("f:1"))],
    [
      "ids that return in a later round",
      talk(user("a"), calls(call("f:0")), result("f:0"), calls(call("f:0")), result("f:0")),
    ],
  ])("SIM-15 takes %s", (_, patch) => {
    expect(issues(patch)).toEqual([]);
  });

  it.each<[string, JsonObject, string]>([
    ["no messages", { messages: [] }, "messages must not be empty"],
    ["an unknown field", { store: false }, "Extra inputs are not permitted, field: 'store', value: false"],
    [
      "an unknown field of a message",
      talk({ ...user("a"), cache_control: { type: "ephemeral" } }),
      "Extra inputs are not permitted, field: 'messages[0].cache_control'",
    ],
    [
      "an unknown field of a part",
      talk(user([{ type: "text", text: "a", annotations: [] }])),
      "Extra inputs are not permitted, field: 'messages[0].content[0].annotations'",
    ],
    [
      "an unknown field of a call",
      talk(user("a"), calls({ ...call("c"), index: 0 }), result("c")),
      "field: 'messages[1].tool_calls[0].index'",
    ],
    [
      "the role developer",
      talk({ role: "developer", content: "a" }, user("b")),
      "Input should be 'system', 'user', 'assistant' or 'tool'",
    ],
    [
      "instructions in the middle",
      talk(user("a"), { role: "system", content: "b" }, user("c")),
      "System message must be at the beginning",
    ],
    [
      "a file part",
      talk(user([{ type: "file", file: { file_data: PDF } }])),
      "Input should be 'text', 'image_url', 'video_url', found 'file'",
    ],
    [
      "an image by the assistant",
      talk(user("a"), { role: "assistant", content: [image(PNG)] }, user("b")),
      "Input should be 'text', found 'image_url'",
    ],
    [
      "an image in a result",
      talk(user("a"), calls(call("c")), result("c", [image(PNG)])),
      "Input should be 'text', found 'image_url'",
    ],
    [
      "a PDF as an image",
      talk(user([image(PDF)])),
      "Failed to decode image: unsupported or broken application/pdf",
    ],
    ["an image that is none", talk(user([image("data:image/png;base64,AAAA")])), "Failed to decode image"],
    ["an address of another kind", talk(user([image("$media:a")])), "Invalid URL"],
    [
      "more than 30 images",
      talk(user(Array.from({ length: 31 }, () => image(PNG)))),
      "At most 30 images are allowed, found 31",
    ],
    [
      "an assistant who says nothing",
      talk(user("a"), { role: "assistant", content: null }, user("b")),
      "needs content or tool_calls",
    ],
    [
      "a call without result",
      talk(user("a"), calls(call("c"), call("d")), result("c"), user("b")),
      "did not have response messages: d",
    ],
    ["a call at the end", talk(user("a"), calls(call("c"))), "did not have response messages: c"],
    [
      "a result that is not next to its call",
      talk(user("a"), calls(call("c")), user("b"), result("c")),
      "did not have response messages: c",
    ],
    [
      "a result without call",
      talk(user("a"), result("c")),
      "must be a response to a preceding message with 'tool_calls'",
    ],
    [
      "two results of one call",
      talk(user("a"), calls(call("c")), result("c"), result("c")),
      "Duplicate tool message for tool_call_id 'c'.",
    ],
    [
      "one id twice in a message",
      talk(user("a"), calls(call("c"), call("c")), result("c")),
      "Duplicate ids in tool_calls.",
    ],
    [
      "arguments that are no JSON",
      talk(user("a"), calls(call("c", "{")), result("c")),
      "Tool call arguments must be valid JSON",
    ],
    [
      "arguments that are no object",
      talk(user("a"), calls(call("c", "[1]")), result("c")),
      "Tool call arguments must be a JSON object",
    ],
    ["a tool of another type", { tools: [{ type: "custom" }] }, "field: 'tools[0].type'"],
    ["a temperature above 2", { temperature: 3 }, "Input should be between 0 and 2"],
  ])("SIM-15 refuses %s", (_, patch, message) => {
    expect(issues(patch)[0]).toContain(message);
  });

  it("SIM-15 is lenient on the compatible wire about what servers read differently, but not about tool rounds", () => {
    const check = (patch: JsonObject) =>
      validateCompatibleRequest({ model: "m", messages: [user("hi")], ...patch });
    expect(check({ store: false })).toEqual([]);
    expect(
      check(
        talk(
          user([{ type: "file", file: { file_data: PDF } }]),
          { role: "developer", content: "a" },
          user("b"),
        ),
      ),
    ).toEqual([]);
    expect(check(talk(user("a"), result("c")))).toHaveLength(1);
  });
});
