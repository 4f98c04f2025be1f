import { describe, expect, it } from "vitest";
import { SessionCompatibilityError } from "../../../../src/core/errors/errors.js";
import { EVERY_ITEM, EVERY_PART } from "./every-item.js";
import { read, said } from "./reading.js";

const PNG = "iVBORw0KGgo=";

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
      ...(kind === "custom_tool_call" ? { custom: "select 1" } : {}),
    });
    const wrapped = said(read(item)).filter((line) => line.startsWith("wrapped args 0 c1"));
    expect(wrapped).toHaveLength(kind === "function_call" || kind === "custom_tool_call" ? 0 : 1);
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
