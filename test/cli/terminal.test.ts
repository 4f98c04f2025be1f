import { describe, expect, it } from "vitest";
import { Terminal } from "../../src/cli/terminal.js";
import { TurnDisplay } from "../../src/cli/turn-display.js";
import type { RunResult } from "../../src/client/run-result.js";
import type { Frame } from "../../src/core/conversation/frame.js";
import { type FakeStream, fakeStream } from "./fake-stream.js";

interface Screen {
  readonly out: FakeStream;
  readonly err: FakeStream;
  readonly terminal: Terminal;
}

function screen(terminal: boolean, env: NodeJS.ProcessEnv = {}): Screen {
  const out = fakeStream({ terminal, env });
  const err = fakeStream({ terminal, env });
  return { out, err, terminal: new Terminal(out.stream, err.stream) };
}

const RESULT: RunResult = {
  data: undefined,
  output: "The seller bears the risk.",
  turnId: "t1",
  provider: "anthropic",
  model: "claude-haiku-4-5",
  simulated: false,
  usage: {
    input_tokens: 5,
    output_tokens: 7,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
  },
  finishReason: null,
  providerCalls: 1,
  toolCalls: 0,
  mediaUploads: [],
  messages: { from: 0, to: 2 },
  digest: "",
  attempt: 1,
  turnsLeftOut: 0,
  requestMended: [],
  mediaReport: [],
};

type FrameBody = Frame extends infer F
  ? F extends Frame
    ? Omit<F, "turn" | "attempt" | "seq">
    : never
  : never;

const frames = (attempt: number, ...bodies: readonly FrameBody[]): readonly Frame[] =>
  bodies.map((body, seq) => ({ turn: "t1", attempt, seq, ...body }) as Frame);

const began = (simulated = false): FrameBody => ({
  type: "attempt",
  provider: "anthropic",
  model: "claude-haiku-4-5",
  simulated,
});
const says = (...texts: readonly string[]): readonly FrameBody[] =>
  texts.map((text) => ({ type: "text", text }));

function shown(on: Screen, given: readonly Frame[], result: RunResult = RESULT): void {
  const display = new TurnDisplay(on.terminal);
  for (const frame of given) display.take(frame);
  display.finish(result);
}

describe("what is written", () => {
  it("CMD-5 is coloured on a terminal only, and not there where NO_COLOR is set to anything", () => {
    const styled = (on: Screen): string => on.terminal.style("red", "text");
    expect(styled(screen(true))).toBe("\u001B[31mtext\u001B[39m");
    expect(styled(screen(false))).toBe("text");
    for (const NO_COLOR of ["1", "0", "yes"]) expect(styled(screen(true, { NO_COLOR }))).toBe("text");
    expect(styled(screen(true, { NO_COLOR: "" }))).toBe("\u001B[31mtext\u001B[39m");
  });

  it("CMD-6 cannot steer a terminal, and reaches a program as it is", () => {
    const text = "safe\u001B[2J\u0007\n\ttext";
    const [person, program] = [screen(true), screen(false)];
    for (const { terminal } of [person, program]) terminal.write(text);
    expect(person.out.text()).toBe("safe[2J\n\ttext");
    expect(program.out.text()).toBe(text);
  });
});

describe("a turn on its way", () => {
  it("CMD-15 shows its text as it comes on a terminal", () => {
    const on = screen(true);
    const display = new TurnDisplay(on.terminal);
    for (const frame of frames(1, began(), ...says("The seller ", "bears "))) display.take(frame);
    expect(on.out.text()).toBe("The seller bears ");
    display.take({ turn: "t1", attempt: 1, seq: 3, type: "text", text: "the risk." });
    display.finish(RESULT);
    expect(on.out.text()).toBe("The seller bears the risk.\n");
    expect(on.err.text()).toContain("5 in, 7 out");
  });

  it("CMD-16 begins anew with a new attempt, says so, and ends on the answer that was committed", () => {
    const on = screen(true);
    shown(on, [
      ...frames(1, began(), ...says("The sel")),
      ...frames(2, began(), ...says("The seller bears the risk.")),
    ]);
    expect(on.out.text()).toBe("The sel\nThe seller bears the risk.\n");
    expect(on.err.text()).toContain("the answer begins anew");
  });

  it("CMD-16 prints the committed answer where the stream showed another", () => {
    const on = screen(true);
    shown(on, frames(1, began(), ...says("The buyer")));
    expect(on.out.text()).toBe("The buyer\nThe seller bears the risk.\n");
    expect(on.err.text()).toContain("as it was committed");
  });

  it("CMD-14 puts the committed answer on stdout exactly once where a program reads", () => {
    const on = screen(false);
    shown(on, [
      ...frames(1, began(), ...says("The sel")),
      ...frames(2, began(), ...says("The seller bears the risk.")),
    ]);
    expect(on.out.text()).toBe("The seller bears the risk.\n");
  });

  it("CMD-120 shows what a model says before and after a tool, and the answer once", () => {
    const on = screen(true);
    shown(
      on,
      frames(
        1,
        began(),
        ...says("I look it up."),
        { type: "tool_call", call: 1, id: "1", name: "look_up", arguments: "{}" },
        { type: "tool_result", id: "1", output: "Clause 4\u001B[2J\nsays so", is_error: false },
        { type: "tool_result", id: "2", output: "no", is_error: true },
        { type: "tool_call", call: 2, id: "3", name: "pay", arguments: "{}", approval: 2 },
        ...says("The seller ", "bears the risk."),
      ),
    );
    expect(on.out.text()).toBe("I look it up.\nThe seller bears the risk.\n");
    expect(on.err.text()).not.toContain("as it was committed");
    expect(on.err.text()).toContain("look_up answers: Clause 4[2J says so");
    expect(on.err.text()).toContain("the tool failed: no");
    expect(on.err.text()).toMatch(/`(npx )?holdfast approve ID 2` or `(npx )?holdfast deny ID 2`/);
  });

  it("STR-81 shows a decision in one line, by the number of the call: ids may be equal", () => {
    const on = screen(false);
    const called = { type: "tool_call", id: "same", arguments: "{}" } as const;
    const result = { type: "tool_result", id: "same", output: "done", is_error: false } as const;
    shown(
      on,
      frames(
        1,
        { ...called, call: 1, name: "pay", approval: 1 },
        { ...called, call: 2, name: "ship", approval: 2 },
        { ...called, call: 3, name: "look" },
        { ...result, call: 3 },
        { type: "tool_approval", call: 2, id: "same", approved: false, reason: "Not\u001B[2J yet." },
        { ...result, call: 2, output: "Error: not approved", is_error: true },
        { type: "tool_approval", call: 1, id: "same", approved: true, arguments: '{"amount":5}' },
        { ...result, call: 1 },
      ),
    );
    const [look, denied, approved, pay] = on.err.text().split("\n").slice(5);
    expect([look, denied, approved, pay]).toEqual([
      "look answers: done",
      "call 2 (ship) is denied: Not[2J yet.",
      'call 1 (pay) is approved with {"amount":5}',
      "pay answers: done",
    ]);
  });

  it("CMD-120 says where text on the way is missing, and shows the answer whole", () => {
    const on = screen(true);
    shown(on, frames(1, ...says("The se"), { type: "missed", frames: 3 }, ...says("risk.")));
    expect(on.err.text()).toContain("no longer kept");
    expect(on.out.text()).toMatch(/\nThe seller bears the risk\.\n$/);
  });

  it("CMD-17 says of a simulated answer that it is simulated, once", () => {
    const on = screen(false);
    shown(on, frames(1, began(true), ...says("x")), { ...RESULT, simulated: true });
    expect(on.err.text()).toBe("simulated: the simulator answers in the place of claude-haiku-4-5\n");
  });

  it("CMD-18 says on stderr when the provider is called again, and which tool is called", () => {
    const on = screen(false);
    shown(
      on,
      frames(
        1,
        began(),
        { type: "retry", error_type: "provider.overloaded", error: "Overloaded\nright now", delay_ms: 1_500 },
        { type: "tool_call", call: 1, id: "1", name: "look_up", arguments: '{"clause":4}' },
      ),
    );
    expect(on.err.text()).toBe(
      'provider.overloaded: Overloaded right now; once more in 2 s\ncalls look_up({"clause":4})\n',
    );
  });
});
