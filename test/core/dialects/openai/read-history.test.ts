import { describe, expect, it } from "vitest";
import { EVERY_ITEM, EVERY_PART, SAME_ITEM_KINDS, SAME_PART_KINDS } from "./every-item.js";
import { read, said, texts, user } from "./reading.js";

describe("reading the kinds that the SDK names", () => {
  it("DIA-150 has a place for every item and every content part of the SDK's unions, and for no other", () => {
    expect([SAME_ITEM_KINDS, SAME_PART_KINDS]).toEqual([true, true]);
    expect(said(read(...Object.values(EVERY_ITEM))).join("\n")).not.toContain("unknown");
    expect(said(read(user(...Object.values(EVERY_PART)))).join("\n")).not.toContain("unknown");
  });

  it("DIA-151 reports kinds that it does not know by name, and carries the rest", () => {
    const history = read(
      { type: "telepathy_call", id: "tp_1" },
      user({ type: "input_text", text: "go" }, { type: "input_hologram", data: "x" }),
      { type: "constructor" },
      { role: "critic", content: "no" },
    );
    expect(said(history)).toEqual([
      "dropped metadata 0 unknown item telepathy_call tp_1",
      "dropped metadata 1 content[1] unknown content part input_hologram",
      "dropped metadata 2 unknown item constructor",
      "dropped metadata 3 message of an unknown role critic",
    ]);
    expect(history.entries).toHaveLength(1);
  });
});

describe("reading messages", () => {
  it("DIA-152 takes hand-written and model-made messages, of a string or of parts", () => {
    const { entries, report } = read(
      { role: "user", content: "one" },
      { role: "assistant", content: "two" },
      { type: "message", role: "user", content: [{ type: "input_text", text: "three" }] },
      { role: "assistant", content: [{ type: "output_text", text: "four", annotations: [] }] },
    );
    expect(report).toEqual([]);
    expect(entries).toEqual([
      {
        kind: "user",
        origin: { index: 0, path: "" },
        parts: [{ kind: "text", text: "one", origin: { index: 0, path: "content" } }],
        plain: true,
      },
      {
        kind: "assistant",
        origin: { index: 1, path: "" },
        parts: [{ kind: "text", text: "two", origin: { index: 1, path: "content" } }],
      },
      {
        kind: "user",
        origin: { index: 2, path: "" },
        parts: [{ kind: "text", text: "three", origin: { index: 2, path: "content[0]" } }],
      },
      {
        kind: "assistant",
        origin: { index: 3, path: "" },
        parts: [{ kind: "text", text: "four", origin: { index: 3, path: "content[0]" } }],
      },
    ]);
  });

  it("DIA-153 joins what the model made in a row, and the outputs in a row", () => {
    const { entries } = read(
      { role: "user", content: "go" },
      { type: "reasoning", id: "rs_1", summary: [] },
      { role: "assistant", content: "I look." },
      EVERY_ITEM.function_call,
      { type: "reasoning", id: "rs_2", summary: [] },
      { ...EVERY_ITEM.custom_tool_call, call_id: "c2" },
      EVERY_ITEM.function_call_output,
      { ...EVERY_ITEM.custom_tool_call_output, call_id: "c2" },
      { role: "assistant", content: "Done." },
      { role: "user", content: "thanks" },
      { role: "user", content: "bye" },
    );
    expect(entries.map(({ kind }) => kind)).toEqual([
      "user",
      "assistant",
      "results",
      "assistant",
      "user",
      "user",
    ]);
    expect(texts(entries[1])).toEqual(["I look.", "call", "call"]);
    expect(entries[2]).toMatchObject({ results: [{ callId: "c1" }, { callId: "c2" }] });
  });

  it("DIA-153 keeps text that follows calls apart, with the calls after it", () => {
    const { entries } = read(
      EVERY_ITEM.function_call,
      { role: "assistant", content: "working on it" },
      { ...EVERY_ITEM.function_call, call_id: "c2" },
      EVERY_ITEM.function_call_output,
    );
    expect(entries.map(texts)).toEqual([["call"], ["working on it", "call"], []]);
  });

  it("DIA-154 reports what no other dialect has a place for, and leaves defaults out", () => {
    const history = read(
      {
        type: "message",
        id: "msg_1",
        role: "assistant",
        status: "incomplete",
        phase: "commentary",
        content: [
          {
            type: "output_text",
            text: "It rained.",
            annotations: [{ type: "url_citation" }, { type: "file_path" }, { type: "url_citation" }],
            logprobs: [{ token: "It", logprob: -0.1 }],
          },
        ],
      },
      user({ type: "input_text", text: "so?", prompt_cache_breakpoint: { mode: "explicit" } }),
      {
        ...EVERY_ITEM.function_call,
        namespace: "crm",
        async: false,
        status: "in_progress",
        caller: { type: "direct" },
      },
      { ...EVERY_ITEM.function_call_output, id: "fco_1", status: "completed" },
    );
    expect(said(history)).toEqual([
      "dropped citation 0 content[0] 2 url_citation, 1 file_path",
      "dropped metadata 0 content[0] logprobs",
      "dropped item-id 0 msg_1",
      "dropped metadata 0 status incomplete",
      "dropped metadata 0 phase commentary",
      "dropped cache-marker 1 content[0]",
      "dropped metadata 2 namespace crm",
      "dropped metadata 2 status in_progress",
      "dropped metadata 2 caller",
      "dropped item-id 3 fco_1",
    ]);
  });

  it("DIA-155 carries a refusal as text", () => {
    const history = read({ role: "assistant", content: [{ type: "refusal", refusal: "I can't." }] });
    expect(texts(history.entries[0])).toEqual(["I can't."]);
    expect(said(history)).toEqual(["textified refusal 0 content[0]"]);
  });

  it("DIA-156 leaves empty text out, reports blank text, and drops a message that says nothing", () => {
    const history = read(
      user(
        { type: "input_text", text: "" },
        { type: "input_text", text: "go" },
        { type: "input_text", text: " \n" },
      ),
      { role: "assistant", content: "" },
      { role: "assistant", content: [] },
      { role: "user", content: "  " },
      { role: "system", content: "" },
    );
    expect(history.entries.map(texts)).toEqual([["go"]]);
    expect(said(history)).toEqual([
      "dropped empty 0 content[2] only whitespace",
      "dropped empty 1 assistant message without content",
      "dropped empty 2 assistant message without content",
      "dropped empty 3 content only whitespace",
    ]);
  });

  it("DIA-157 tells system text before the conversation from later system text, and keeps only text of it", () => {
    const history = read(
      { role: "system", content: "be kind" },
      {
        role: "developer",
        content: [
          { type: "input_text", text: "a" },
          EVERY_PART.input_image,
          { type: "input_text", text: "b" },
        ],
      },
      { role: "user", content: "hi" },
      { role: "developer", content: "now be brief" },
    );
    expect(history.entries).toMatchObject([
      { kind: "system", text: "be kind", leading: true },
      { kind: "system", text: "a\nb", leading: true },
      { kind: "user" },
      { kind: "system", text: "now be brief", leading: false },
    ]);
    expect(said(history)).toEqual(["dropped media 1 content[1] image/png in system text"]);
  });
});

describe("reading what only OpenAI has", () => {
  it.each([
    ["reasoning", "thinking"],
    ["web_search_call", "server-tool"],
    ["file_search_call", "server-tool"],
    ["code_interpreter_call", "server-tool"],
    ["mcp_call", "server-tool"],
    ["program", "server-tool"],
    ["program_output", "server-tool"],
    ["mcp_list_tools", "tool-definition"],
    ["tool_search_call", "tool-definition"],
    ["tool_search_output", "tool-definition"],
    ["additional_tools", "tool-definition"],
    ["mcp_approval_request", "control"],
    ["mcp_approval_response", "control"],
    ["configuration_update", "control"],
    ["compaction_trigger", "control"],
    ["compaction", "compaction"],
    ["item_reference", "reference"],
  ] as const)("DIA-163 leaves a %s behind, reported once as %s", (kind, artefact) => {
    const { entries, report } = read(EVERY_ITEM[kind]);
    expect(entries).toEqual([]);
    expect(report).toMatchObject([{ kind: "dropped", artefact, index: 0 }]);
    expect(report[0]?.detail).toContain(kind);
  });

  it("DIA-163 reports a generated image as what the service ran and as a medium", () => {
    expect(said(read(EVERY_ITEM.image_generation_call))).toEqual([
      "dropped server-tool 0 image_generation_call ig_1",
      "dropped media 0 result png image made by the service",
    ]);
    expect(said(read({ ...EVERY_ITEM.image_generation_call, result: null }))).toHaveLength(1);
  });

  it("DIA-163 knows a reference that is an id alone", () => {
    expect(said(read({ id: "msg_9" }))).toEqual(["dropped reference 0 item_reference msg_9"]);
  });
});
