import { describe, expect, it } from "vitest";
import { sendWindow } from "../../../src/core/conversation/send-window.js";
import { grownHistory } from "../../../src/core/conversation/turn-starts.js";
import { anthropic } from "../../../src/core/dialects/anthropic/index.js";
import { fireworks } from "../../../src/core/dialects/fireworks/index.js";
import { openai } from "../../../src/core/dialects/openai/index.js";
import { repairText } from "../../../src/core/dialects/repair-message.js";
import type { NativeMessage } from "../../../src/core/envelope/envelope.js";

const turn = (n: number, size = 20): readonly NativeMessage[] => [
  { role: "user", content: `question ${n} `.padEnd(size, "q") },
  { role: "assistant", content: `answer ${n}` },
];
const newest: NativeMessage = { role: "user", content: "question now" };
const history = [...turn(1), ...turn(2), ...turn(3), newest];

describe("sendWindow", () => {
  it("CNV-70 sends the whole history without a window, and the very same messages", () => {
    expect(sendWindow(anthropic, history, undefined)).toEqual({ messages: history, turnsLeftOut: 0 });
    expect(sendWindow(anthropic, history, { turns: 10 }).messages).toBe(history);
  });

  it("CNV-71 sends the last whole turns, the running one counted, and says how many were left out", () => {
    const sent = sendWindow(anthropic, history, { turns: 2 });
    expect(sent).toEqual({ messages: [...turn(3), newest], turnsLeftOut: 2, leftOut: { from: 0, to: 4 } });
  });

  it("CNV-72 keeps a tool round whole: its results do not start a turn", () => {
    const round: readonly NativeMessage[] = [
      { role: "user", content: "look it up" },
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "look", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "found" }] },
      { role: "assistant", content: "found it" },
    ];
    const sent = sendWindow(anthropic, [...turn(1), ...round, newest], { turns: 2 });
    expect(sent).toEqual({ messages: [...round, newest], turnsLeftOut: 1, leftOut: { from: 0, to: 2 } });
  });

  it("TOL-45 keeps the files of a tool with its round: they follow the results as a user's message", () => {
    const round: readonly NativeMessage[] = [
      { role: "user", content: "draw it" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "a", function: { name: "draw", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "a", content: "[image in the next user message]" },
      { role: "user", content: [{ type: "text", text: "Image from tool call a" }] },
      { role: "assistant", content: "drawn" },
    ];
    const sent = sendWindow(fireworks, [...turn(1), ...round, newest], { turns: 2 });
    expect(sent).toEqual({ messages: [...round, newest], turnsLeftOut: 1, leftOut: { from: 0, to: 2 } });
  });

  it("CNV-73 keeps system text that stands before the first turn", () => {
    const system: NativeMessage = { role: "developer", content: "Be brief." };
    const sent = sendWindow(openai, [system, ...turn(1), ...turn(2), newest], { turns: 1 });
    expect(sent).toEqual({ messages: [system, newest], turnsLeftOut: 2, leftOut: { from: 1, to: 5 } });
  });

  it("CNV-74 keeps whole turns within input_tokens, at four bytes a token, and always the running one", () => {
    const long = [...turn(1, 4_000), ...turn(2, 400), newest];
    expect(sendWindow(anthropic, long, { input_tokens: 300 }).turnsLeftOut).toBe(1);
    expect(sendWindow(anthropic, long, { input_tokens: 1 })).toMatchObject({
      messages: [newest],
      turnsLeftOut: 2,
    });
    expect(sendWindow(anthropic, long, { input_tokens: 100_000 }).turnsLeftOut).toBe(0);
  });

  it("ACT-310 looks at a long history once: later at what a turn has added, and at the turns that are sent", () => {
    let looked = 0;
    const counting = {
      hasToolResults: anthropic.hasToolResults,
      startsTurn: (message: NativeMessage) => {
        looked++;
        return anthropic.startsTurn(message);
      },
    };
    let grown: readonly NativeMessage[] = Array.from({ length: 1_000 }, (_, n) => turn(n)).flat();
    sendWindow(counting, grown, { turns: 3 }, [newest]);
    expect(looked).toBeGreaterThanOrEqual(2_000);
    looked = 0;
    for (let n = 1; n <= 10; n++) {
      grown = grownHistory(grown, turn(n));
      const sent = sendWindow(counting, grown, { turns: 3 }, [newest]);
      expect(sent).toMatchObject({ turnsLeftOut: 998 + n, leftOut: { from: 0, to: 1_996 + 2 * n } });
      expect(sent.messages).toEqual([...grown.slice(-4), newest]);
    }
    expect(looked).toBeLessThan(100);
  });

  it("ACT-310 sends of a history that has grown what it would of one that is looked at anew", () => {
    const round: readonly NativeMessage[] = [
      { role: "user", content: "draw it" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "a", function: { name: "draw", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "a", content: "[image in the next user message]" },
    ];
    const files: readonly NativeMessage[] = [{ role: "user", content: "Image from tool call a" }];
    const repair: NativeMessage = { role: "user", content: repairText(["/a: missing"]) };
    const steps = [
      [{ role: "system", content: "Be brief." }],
      [repair],
      turn(1),
      [],
      round,
      [...files, { role: "assistant", content: "drawn" }],
      [...turn(2, 4_000), repair, { role: "assistant", content: "{}" }],
      turn(3),
    ];
    const windows = [
      { turns: 1 },
      { turns: 2 },
      { turns: 9 },
      { input_tokens: 40 },
      { input_tokens: 1_100 },
      {},
    ];
    let grown: readonly NativeMessage[] = [];
    const unlike: unknown[] = [];
    for (const [index, step] of steps.entries()) {
      for (const window of windows) {
        for (const added of [[], [newest], [...files, repair], steps[index + 1] ?? []]) {
          const sent = sendWindow(fireworks, grown, window, added);
          unlike.push(sent.turnsLeftOut);
          expect(sent).toEqual(sendWindow(fireworks, [...grown, ...added], window));
        }
      }
      grown = grownHistory(grown, step);
    }
    expect(new Set(unlike).size).toBeGreaterThan(3);
  });
});
