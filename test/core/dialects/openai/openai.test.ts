import { describe, expect, it } from "vitest";
import { openai } from "../../../../src/core/dialects/openai/index.js";

const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "look", arguments: '{"at":"it"}' };
const output = { type: "function_call_output", call_id: "call_1", output: "seen" };

describe("writing a Responses history", () => {
  it("DIA-16 puts files before the text: images as input_image, all others as input_file", () => {
    const message = openai.userMessage("Compare.", [
      { mime_type: "image/png", name: "a.png", data: "AAAA" },
      { mime_type: "application/pdf", name: "b.pdf", data: "$media:x" },
      { mime_type: "text/csv; charset=utf-8", name: "", data: "BBBB" },
    ]);
    expect(message).toEqual({
      type: "message",
      role: "user",
      content: [
        { type: "input_image", detail: "auto", image_url: "data:image/png;base64,AAAA" },
        { type: "input_file", filename: "b.pdf", file_data: "data:application/pdf;base64,$media:x" },
        { type: "input_file", filename: "file", file_data: "data:text/csv;base64,BBBB" },
        { type: "input_text", text: "Compare." },
      ],
    });
    expect(openai.checkMessage(message, 0)).toEqual([]);
  });

  it("DIA-16 leaves blank text beside a file out, and mends half characters", () => {
    const image = { mime_type: "image/png", name: "", data: "AAAA" };
    expect(openai.userMessage(" \n", [image]).content).toHaveLength(1);
    expect(openai.userMessage("a\uD83Db", []).content).toEqual([{ type: "input_text", text: "a\uFFFDb" }]);
  });

  it("DIA-17 defines functions that are not strict", () => {
    const schema = { type: "object", properties: { q: { type: "string" } } };
    expect(
      openai.toolDefinitions([{ name: "a" }, { name: "b", description: "B.", input_schema: schema }]),
    ).toEqual([
      { type: "function", name: "a", parameters: { type: "object", properties: {} }, strict: false },
      { type: "function", name: "b", description: "B.", parameters: schema, strict: false },
    ]);
  });

  it("DIA-17 answers each call of a round with an item of its own, as text", () => {
    const toolCall = (id: string) => ({ id, name: "look", arguments: {} });
    expect(
      openai.toolResultMessages([
        { call: toolCall("1"), output: "seen", is_error: false },
        { call: toolCall("2"), output: { found: 2 }, is_error: true },
      ]),
    ).toEqual([
      { type: "function_call_output", call_id: "1", output: "seen" },
      { type: "function_call_output", call_id: "2", output: '{"found":2}' },
    ]);
  });
});

describe("reading a Responses history", () => {
  it.each([
    ["the user's message", { type: "message", role: "user", content: [] }, true],
    ["a message without a type", { role: "user", content: "Hello" }, true],
    ["a tool's output", output, false],
    ["developer text", { role: "developer", content: "Be brief." }, false],
    ["the model's answer", { role: "assistant", content: "Hi" }, false],
    ["what is no item", { role: "user" }, false],
  ])("DIA-18 finds where a user's turn starts: %s", (_what, message, starts) => {
    expect(openai.startsTurn(message)).toBe(starts);
  });

  it("DIA-19 reads the model's visible text, refusals included", () => {
    expect(
      openai.outputText([
        { role: "user", content: "What?" },
        { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "secret" }] },
        {
          type: "message",
          role: "assistant",
          content: [
            { type: "output_text", text: "It is " },
            { type: "output_text", text: "blue." },
          ],
        },
        call,
        { role: "assistant", content: "Done." },
        { type: "message", role: "assistant", content: [{ type: "refusal", refusal: "No more." }] },
      ]),
    ).toBe("It is blue.\nDone.\nNo more.");
  });

  it("DIA-20 finds the calls that no output answers, with their arguments as JSON", () => {
    const broken = { ...call, call_id: "call_2", arguments: '{"at":' };
    const empty = { ...call, call_id: "call_3", arguments: "" };
    expect(openai.openToolCalls([call, output, broken, empty])).toEqual([
      { id: "call_2", name: "look", arguments: '{"at":' },
      { id: "call_3", name: "look", arguments: {} },
    ]);
  });

  it("DIA-20 counts every kind of call that the client runs, each answered by its own kind of output", () => {
    const action = { type: "exec", command: ["ls"] };
    const calls = [
      { type: "custom_tool_call", call_id: "c1", name: "sql", input: "select 1" },
      { type: "computer_call", call_id: "c2", action: { type: "wait" } },
      { type: "local_shell_call", id: "lsh_1", call_id: "c3", action },
      { type: "shell_call", call_id: "c4", action: { commands: ["ls"] } },
      { type: "apply_patch_call", call_id: "c5", operation: { type: "delete_file", path: "a" } },
      { type: "web_search_call", id: "ws_1", status: "completed" },
    ];
    expect(openai.openToolCalls(calls)).toEqual([
      { id: "c1", answer: "custom_tool_call_output", name: "sql", arguments: "select 1" },
      { id: "c2", answer: "computer_call_output", name: "computer", arguments: { type: "wait" } },
      { id: "c3", answer: "local_shell_call_output", name: "local_shell", arguments: action },
      { id: "c4", answer: "shell_call_output", name: "shell", arguments: { commands: ["ls"] } },
      {
        id: "c5",
        answer: "apply_patch_call_output",
        name: "apply_patch",
        arguments: { type: "delete_file", path: "a" },
      },
    ]);
    const answers = [
      { type: "custom_tool_call_output", call_id: "c1", output: "1" },
      { type: "computer_call_output", call_id: "c2", output: {} },
      { type: "local_shell_call_output", id: "lsh_1", output: "a" },
      { type: "shell_call_output", call_id: "c4", output: [] },
      { type: "function_call_output", call_id: "c5", output: "of another kind" },
    ];
    expect(openai.openToolCalls([...calls, ...answers]).map(({ id }) => id)).toEqual(["c5"]);
  });

  it("DIA-21 counts cached input and reasoning as the parts of their totals that they are", () => {
    expect(
      openai.usage({
        input_tokens: 240,
        input_tokens_details: { cached_tokens: 200, cache_write_tokens: 30 },
        output_tokens: 50,
        output_tokens_details: { reasoning_tokens: 40 },
        total_tokens: 290,
      }),
    ).toEqual({
      input_tokens: 240,
      output_tokens: 50,
      cache_read_tokens: 200,
      cache_write_tokens: 30,
      reasoning_tokens: 40,
    });
  });

  it.each([[undefined], [null], [{}], [{ input_tokens: null, input_tokens_details: null }]])(
    "DIA-21 counts what is absent as 0: %j",
    (raw) => {
      expect(Object.values(openai.usage(raw))).toEqual([0, 0, 0, 0, 0]);
    },
  );

  it.each([
    ["completed", "stop"],
    ["max_output_tokens", "length"],
    ["content_filter", "content_filter"],
    ["failed", "error"],
    ["steered", "other"],
  ] as const)("DIA-22 unifies the status or reason %s", (raw, unified) => {
    expect(openai.finishReason(raw)).toEqual({ unified, raw });
  });

  it("DIA-22 has null for a reason that was not given", () => {
    expect(openai.finishReason(null)).toEqual({ unified: "other", raw: null });
  });

  it("DIA-23 takes images, PDF and text as attachments, and holds system text in the history", () => {
    expect(openai.capabilities).toEqual({
      endpoint: "openai-responses",
      attachments: [
        "image/png",
        "image/jpeg",
        "image/gif",
        "image/webp",
        "application/pdf",
        "text/*",
        "application/json",
        "application/xml",
        "application/rtf",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
      ],
      systemInHistory: true,
    });
  });
});
