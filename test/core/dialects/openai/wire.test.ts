import type OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { openai } from "../../../../src/core/dialects/openai/index.js";
import type { NativeMessage } from "../../../../src/core/envelope/envelope.js";
import { slotsOf, valueAt } from "../collect-slots.js";
import { deepFreeze } from "../deep-freeze.js";

type Item = OpenAI.Responses.ResponseInputItem;

const PNG = "iVBORw0KGgo=";
const PDF = "JVBERi0xLjcK";
const MARKER = `$media:${"a".repeat(64)}.png`;

const image: OpenAI.Responses.ResponseInputImage = {
  type: "input_image",
  detail: "auto",
  image_url: `data:image/png;base64,${PNG}`,
};
const pdf: OpenAI.Responses.ResponseInputFile = {
  type: "input_file",
  filename: "a.pdf",
  file_data: `data:application/pdf;base64,${PDF}`,
};

const native = (item: Item): NativeMessage => item as unknown as NativeMessage;
const user = (...content: OpenAI.Responses.ResponseInputContent[]): NativeMessage =>
  native({ type: "message", role: "user", content });

/** Items of every sort that stands in histories. */
const ITEMS: readonly Item[] = [
  { role: "developer", content: "Be brief." },
  { role: "assistant", content: "Yes.", phase: "final_answer" },
  { type: "message", role: "user", content: [image, pdf, { type: "input_text", text: "Look." }] },
  {
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    content: [
      { type: "output_text", text: "Yes.", annotations: [] },
      { type: "refusal", refusal: "No." },
    ],
  },
  { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "b3BhcXVl" },
  { type: "function_call", call_id: "call_1", name: "look", arguments: "{}" },
  { type: "function_call_output", call_id: "call_1", output: [image] },
  { type: "custom_tool_call", call_id: "call_2", name: "sql", input: "select 1" },
  { type: "custom_tool_call_output", call_id: "call_2", output: "1" },
  {
    type: "computer_call_output",
    call_id: "call_3",
    output: { type: "computer_screenshot", image_url: image.image_url ?? "" },
  },
  { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "x" } },
  { type: "image_generation_call", id: "ig_1", status: "completed", result: PNG },
  { type: "item_reference", id: "msg_2" },
  { id: "msg_3" },
  { type: "compaction", encrypted_content: "b3BhcXVl" },
];

describe("the shape of a Responses item", () => {
  it.each(
    ITEMS.map((item) => [item.type ?? `message of role ${"role" in item ? item.role : ""}`, item] as const),
  )("DIA-13 takes a %s", (_type, item) => {
    expect(openai.checkMessage(item, 0)).toEqual([]);
  });

  it("DIA-13 takes kinds of items and parts that are not known yet", () => {
    expect(openai.checkMessage({ type: "hologram", depth: 3 }, 0)).toEqual([]);
    expect(openai.checkMessage({ role: "user", content: [{ type: "input_smell" }] }, 0)).toEqual([]);
  });

  it.each([
    ["a string", "Hello", "", "an item: a message or an object with a type"],
    ["neither type nor role", { content: "" }, "type", "a string, or a message's role"],
    [
      "another role",
      { role: "tool", content: "" },
      "role",
      '"user" or "assistant" or "system" or "developer"',
    ],
    ["no content", { type: "message", role: "user" }, "content", "a string or a list of content parts"],
    ["a part without a type", { role: "user", content: [{ text: "a" }] }, "content.0.type", "a string"],
    [
      "a part with a number as text",
      { role: "user", content: [{ type: "input_text", text: 3 }] },
      "content.0.text",
      "a string",
    ],
    [
      "a call whose arguments are no text",
      { type: "function_call", call_id: "c", name: "a", arguments: {} },
      "arguments",
      "a string",
    ],
    ["a type that is a number", { type: 3 }, "type", "a string"],
  ])("DIA-14 names the place and what was expected: %s", (_what, item, path, expected) => {
    expect(openai.checkMessage(item, 7)).toContainEqual({ index: 7, path, expected });
  });
});

describe("media in a Responses item", () => {
  const shown = (path: string, kind = "image", mime_type = "image/png", data = PNG) => ({
    kind,
    mime_type,
    data,
    path,
  });

  it("DIA-15 stand in message parts, tool outputs, screenshots and generated images", () => {
    const places = ITEMS.map((item) => slotsOf(openai, native(item)));
    expect(places.flat()).toEqual([
      shown("content.0.image_url"),
      shown("content.1.file_data", "document", "application/pdf", PDF),
      shown("output.0.image_url"),
      shown("output.image_url"),
      shown("result"),
    ]);
  });

  it("DIA-15 keep the prefix of their data URL when the data is replaced", () => {
    const message = deepFreeze(user(image, pdf));
    const marked = openai.mapMedia(message, () => MARKER);
    expect(valueAt(marked, "content.0.image_url")).toBe(`data:image/png;base64,${MARKER}`);
    expect(valueAt(marked, "content.1.file_data")).toBe(`data:application/pdf;base64,${MARKER}`);
    expect(slotsOf(openai, marked).map(({ data }) => data)).toEqual([MARKER, MARKER]);
    const back = openai.mapMedia(marked, ({ kind }) => (kind === "image" ? PNG : PDF));
    expect(back).toEqual(message);
  });

  it("DIA-15 may be bare base64, of the type that the file's name says", () => {
    const message = user({ type: "input_file", filename: "Plan.CSV", file_data: "YSxi" });
    expect(slotsOf(openai, message)).toEqual([shown("content.0.file_data", "document", "text/csv", "YSxi")]);
  });

  it("DIA-15 are neither web addresses nor text that looks like a marker", () => {
    const address = { ...image, image_url: "https://example.org/a.png" };
    expect(slotsOf(openai, user(address, { type: "input_text", text: MARKER }))).toEqual([]);
  });
});
