import { describe, expect, it } from "vitest";
import { readHistory } from "../../../../src/core/dialects/openai/read-history.js";
import type { PivotEntry, ReadHistory } from "../../../../src/core/dialects/pivot.js";
import { PLACEHOLDER } from "../../../../src/core/dialects/placeholder.js";
import { SessionCompatibilityError } from "../../../../src/core/errors/errors.js";
import type { JsonObject } from "../../../../src/core/json.js";
import { deepFreeze } from "../deep-freeze.js";
import { EVERY_ITEM, EVERY_PART, SAME_ITEM_KINDS, SAME_PART_KINDS } from "./every-item.js";

const PNG = "iVBORw0KGgo=";
const MARKER = `$media:${"a".repeat(64)}.pdf`;

/** Items as the SDK types them, or as a newer service would send them. */
const read = (...items: readonly object[]): ReadHistory => readHistory(deepFreeze(items as JsonObject[]));
/** `kind artefact index detail` of each entry. */
const said = ({ report }: ReadHistory): readonly string[] =>
  report.map(({ kind, artefact, index, detail }) =>
    [kind, artefact, index, detail].filter((word) => word !== undefined).join(" "),
  );
const texts = (entry: PivotEntry | undefined): readonly string[] =>
  entry?.kind === "user" || entry?.kind === "assistant"
    ? entry.parts.map((part) => (part.kind === "text" ? part.text : part.kind))
    : [];
const user = (...content: readonly object[]): object => ({ role: "user", content });
const fileOf = (part: object): unknown => {
  const [entry] = read(user(part)).entries;
  return entry?.kind === "user" ? entry.parts[0] : undefined;
};

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

describe("reading calls that the client ran", () => {
  const callOf = (item: object): unknown => {
    const [entry] = read(item).entries;
    return entry?.kind === "assistant" ? entry.parts[0] : undefined;
  };

  it.each([
    ["function_call", "look", { type: "text", text: '{"at":1}' }],
    ["custom_tool_call", "sql", { type: "object", value: { input: "select 1" } }],
    ["computer_call", "computer", { type: "object", value: { actions: [{ type: "screenshot" }] } }],
    [
      "local_shell_call",
      "local_shell",
      { type: "object", value: { type: "exec", command: ["ls"], env: {} } },
    ],
    ["shell_call", "shell", { type: "object", value: { commands: ["ls"] } }],
    ["apply_patch_call", "apply_patch", { type: "object", value: { type: "delete_file", path: "a.txt" } }],
  ] as const)("DIA-158 makes a %s a tool call with a name and arguments", (kind, name, expected) => {
    const item = EVERY_ITEM[kind];
    expect(callOf(item)).toEqual({
      kind: "call",
      origin: { index: 0, path: "" },
      id: "c1",
      name,
      arguments: expected,
    });
    const wrapped = said(read(item)).filter((line) => line.startsWith("wrapped args 0 c1"));
    expect(wrapped).toHaveLength(kind === "function_call" ? 0 : 1);
  });

  it("DIA-158 takes a computer's single action, and reports safety checks and what stands beside an action", () => {
    const action = { type: "wait" };
    const { actions, ...call } = EVERY_ITEM.computer_call;
    expect(actions).toHaveLength(1);
    expect(callOf({ ...call, action })).toMatchObject({ arguments: { value: { actions: [action] } } });
    const checked = read(
      { ...call, action, pending_safety_checks: [{ id: "sc_1" }] },
      { ...EVERY_ITEM.computer_call_output, acknowledged_safety_checks: [{ id: "sc_1" }] },
      { ...EVERY_ITEM.shell_call, environment: { type: "local" } },
    );
    expect(said(checked).filter((line) => line.includes("metadata"))).toEqual([
      "dropped metadata 0 pending_safety_checks",
      "dropped metadata 1 acknowledged_safety_checks",
      "dropped metadata 2 environment",
    ]);
  });

  it.each(["", undefined, null])(
    "DIA-159 refuses a call without a name (%j), naming it and its place",
    (name) => {
      const nameless = () => read({ role: "user", content: "go" }, { ...EVERY_ITEM.function_call, name });
      expect(nameless).toThrow(SessionCompatibilityError);
      expect(nameless).toThrow(/c1 at message 1/);
    },
  );
});

describe("reading outputs", () => {
  const resultOf = (...items: readonly object[]): unknown => {
    const entry = read(...items).entries.at(-1);
    return entry?.kind === "results" ? entry.results.at(-1) : undefined;
  };
  const shell = JSON.stringify(EVERY_ITEM.shell_call_output.output);

  it.each([
    ["function_call_output", "seen", false],
    ["custom_tool_call_output", "1", false],
    ["shell_call_output", shell, false],
    ["apply_patch_call_output", "no a.txt", true],
  ] as const)("DIA-160 makes a %s the result of its call", (kind, text, isError) => {
    expect(resultOf(EVERY_ITEM[kind])).toEqual({
      origin: { index: 0, path: "" },
      callId: "c1",
      parts: [{ kind: "text", text, origin: { index: 0, path: "output" } }],
      isError,
    });
  });

  it("DIA-160 says that a shell's output became text", () => {
    expect(said(read(EVERY_ITEM.shell_call_output))).toEqual([
      "textified tool-output 0 output output of a shell as JSON",
    ]);
  });

  it("DIA-160 takes lists of text, images and files, and a screenshot", () => {
    const output = [EVERY_PART.input_text, EVERY_PART.input_image, EVERY_PART.input_file];
    expect(resultOf({ type: "function_call_output", call_id: "c1", name: "look", output })).toMatchObject({
      name: "look",
      parts: [
        { kind: "text", text: "go" },
        { kind: "media", mime_type: "image/png", origin: { index: 0, path: "output[1]" } },
        { kind: "media", mime_type: "application/pdf", name: "a.pdf" },
      ],
    });
    expect(resultOf(EVERY_ITEM.computer_call_output)).toMatchObject({
      parts: [{ kind: "media", mime_type: "image/png", source: { type: "data", data: PNG } }],
    });
  });

  it("DIA-161 finds a local shell's call by the id of the call or of its item", () => {
    const again = { ...EVERY_ITEM.local_shell_call, id: "lsh_2", call_id: "c2" };
    expect(resultOf(EVERY_ITEM.local_shell_call, EVERY_ITEM.local_shell_call_output)).toMatchObject({
      callId: "c1",
    });
    expect(resultOf(again, { ...EVERY_ITEM.local_shell_call_output, id: "c2" })).toMatchObject({
      callId: "c2",
    });
    expect(said(read(again, { ...EVERY_ITEM.local_shell_call_output, id: "c2" }))).toEqual([
      "wrapped args 0 c2: action of a local shell",
      "dropped item-id 0 lsh_2",
    ]);
  });

  it("DIA-162 pairs an output without a call id by its place, and keeps an empty one", () => {
    expect(resultOf({ type: "function_call_output", output: "" })).toEqual({
      origin: { index: 0, path: "" },
      callId: null,
      parts: [],
      isError: false,
    });
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

describe("reading media", () => {
  const origin = { index: 0, path: "content[0]" };
  const media = (mime_type: string | null, source: object, more: object = {}): object => ({
    kind: "media",
    origin,
    mime_type,
    source,
    ...more,
  });
  const url = "https://example.org/a";
  const text = "YSxi";

  it.each([
    ["a data URL", EVERY_PART.input_image, media("image/png", { type: "data", data: PNG })],
    [
      "an image's address",
      { type: "input_image", image_url: `${url}.webp?x=1`, detail: "high" },
      media("image/webp", { type: "url", url: `${url}.webp?x=1` }, { detail: "high" }),
    ],
    [
      "an address that says nothing",
      { type: "input_image", image_url: url },
      media(null, { type: "url", url }),
    ],
    [
      "a file's address",
      { type: "input_file", file_url: `${url}.pdf` },
      media("application/pdf", { type: "url", url: `${url}.pdf` }),
    ],
    [
      "a file's address that says nothing",
      { type: "input_file", file_url: url },
      media("application/octet-stream", { type: "url", url }),
    ],
    [
      "bare base64 with a name",
      { type: "input_file", filename: "Plan.CSV", file_data: text },
      media("text/csv", { type: "data", data: text }, { name: "Plan.CSV" }),
    ],
    [
      "a marker without a name",
      { type: "input_file", file_data: MARKER },
      media("application/pdf", { type: "data", data: MARKER }),
    ],
    [
      "a data URL without a type",
      { type: "input_file", filename: "a.md", file_data: `data:;base64,${text}` },
      media("text/markdown", { type: "data", data: text }, { name: "a.md" }),
    ],
    ["audio", EVERY_PART.input_audio, media("audio/mpeg", { type: "data", data: "SUQz" })],
  ])("DIA-164 carries %s with its type", (_what, part, expected) => {
    expect(fileOf(part)).toEqual(expected);
  });

  it("DIA-165 corrects the type of an image, and reports it", () => {
    const part = { type: "input_image", detail: "auto", image_url: `data:image/JPG;base64,${PNG}` };
    expect(fileOf(part)).toMatchObject({ mime_type: "image/jpeg" });
    expect(said(read(user(part)))).toEqual(["changed media 0 content[0] image/JPG -> image/jpeg"]);
  });

  it.each([
    [{ type: "input_image", detail: "auto", file_id: "file_1" }, "file-ref 0 content[0] file_1"],
    [{ type: "input_file", file_id: "file_1" }, "file-ref 0 content[0] file_1"],
    [
      { type: "input_file", file_url: "https://api.openai.com/v1/files/a/content" },
      "file-ref 0 content[0] https://api.openai.com/v1/files/a/content",
    ],
    [
      { type: "input_image", image_url: "data:image/svg+xml,<svg/>" },
      "media 0 content[0] a data URL that is not base64",
    ],
    [{ type: "input_file", filename: "a.pdf" }, "media 0 content[0] without bytes or address"],
  ])("DIA-166 drops %j, which others cannot read, and fills the message that it emptied", (part, entry) => {
    const alone = read(user(part));
    expect(said(alone)).toEqual([`dropped ${entry}`, "added placeholder 0"]);
    expect(texts(alone.entries[0])).toEqual([PLACEHOLDER]);
    const accompanied = read(user(part, { type: "input_text", text: "look" }));
    expect(said(accompanied)).toEqual([`dropped ${entry}`]);
    expect(texts(accompanied.entries[0])).toEqual(["look"]);
  });

  it("DIA-166 fills an output that it emptied", () => {
    const screenshot = {
      ...EVERY_ITEM.computer_call_output,
      output: { type: "computer_screenshot", file_id: "file_1" },
    };
    const { entries, report } = read(screenshot);
    expect(report).toMatchObject([{ artefact: "file-ref" }, { kind: "added", artefact: "placeholder" }]);
    expect(entries).toMatchObject([{ results: [{ parts: [{ text: PLACEHOLDER }] }] }]);
  });
});
