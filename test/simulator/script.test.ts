import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ScriptEntry } from "../../src/simulator/script.js";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.js";
import { ask, MODELS, textIn, WIRES } from "./ask.js";

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
});
beforeEach(() => simulator.reset());
afterAll(() => simulator.close());

async function replyText(text?: string): Promise<string> {
  const response = await ask(simulator, "anthropic", text === undefined ? {} : { text });
  return textIn(await response.text());
}

describe("scripted replies", () => {
  it("SIM-18 serves entries in order, each as often as it says, then the default reply", async () => {
    simulator.script({ reply: { text: "first" } }, { times: 2, reply: { text: "second" } });
    expect(await replyText()).toBe("first");
    expect(await replyText()).toBe("second");
    expect(await replyText()).toBe("second");
    expect(await replyText()).toContain("[simulated]");
  });

  it("SIM-18 serves an entry only to the wire, the model and the text that it names", async () => {
    simulator.script(
      { match: { wire: "openai" }, times: null, reply: { text: "for openai" } },
      { match: { model: "claude-opus-5" }, times: null, reply: { text: "for opus" } },
      { match: { text: "clause 9" }, times: null, reply: { text: "for clause 9" } },
    );
    expect(await replyText()).toContain("[simulated]");
    expect(await replyText("What of clause 9?")).toBe("for clause 9");
    const opus = await ask(simulator, "anthropic", { model: "claude-opus-5" });
    expect(textIn(await opus.text())).toBe("for opus");
    const openai = await (await ask(simulator, "openai")).text();
    expect(openai).toContain("for openai");
  });

  it.each(WIRES)("SIM-19 gives %s the scripted text, call, usage, finish reason and model", async (wire) => {
    const entry: ScriptEntry = {
      times: 2,
      reply: {
        text: "Scripted words.",
        reasoning: "Scripted thoughts.",
        toolCalls: [{ id: "call_1", name: "lookup", arguments: { query: "x" } }],
        usage: { input_tokens: 1_111, output_tokens: 222, cache_read_tokens: 0, reasoning_tokens: 0 },
        model: MODELS[wire],
      },
    };
    simulator.script(entry);
    const whole = await (await ask(simulator, wire)).text();
    const streamed = await (await ask(simulator, wire, { stream: true })).text();
    for (const payload of [whole, streamed]) {
      expect(payload).toContain("1111");
      expect(payload).toContain("222");
      expect(payload).toContain("lookup");
      expect(payload).toContain("call_1");
      expect(payload).toContain(MODELS[wire]);
      expect(textIn(payload)).toContain("Scripted words.");
    }
    expect(whole).toContain("Scripted thoughts.");
  });

  it.each([
    ["anthropic", "max_tokens", "refusal"],
    ["openai", "max_output_tokens", "content_filter"],
    ["google", "MAX_TOKENS", "SAFETY"],
    ["fireworks", "length", "content_filter"],
  ] as const)(
    "SIM-19 states on %s a reply cut for length or content in the vendor's word",
    async (wire, length, filter) => {
      simulator.script({ reply: { text: "x", finishReason: "length" } });
      simulator.script({ reply: { text: "x", finishReason: "content_filter" } });
      simulator.script({ reply: { text: "x", rawFinishReason: "a_new_reason" } });
      expect(await (await ask(simulator, wire)).text()).toContain(`"${length}"`);
      expect(await (await ask(simulator, wire)).text()).toContain(`"${filter}"`);
      expect(await (await ask(simulator, wire)).text()).toContain('"a_new_reason"');
    },
  );

  it("SIM-28 spreads a reply over the time that it shall last", async () => {
    simulator.script({ reply: { text: "a b c d e f" }, pace: { minimumReplyMs: 200, chunkSize: 2 } });
    const started = performance.now();
    const payload = await (await ask(simulator, "anthropic", { stream: true })).text();
    expect(performance.now() - started).toBeGreaterThanOrEqual(180);
    expect(textIn(payload)).toBe("a b c d e f");
    expect(simulator.calls[0]?.chunksSent).toBe(6);
  });

  it("SIM-28 paces every reply of a simulator that was started with a pace", async () => {
    await using slow = await startSimulator({ chunkDelayMs: 20 });
    slow.script({ reply: { text: "word ".repeat(40) } });
    const started = performance.now();
    await (await ask(slow, "google", { stream: true })).text();
    expect(performance.now() - started).toBeGreaterThanOrEqual(190);
  });

  it.each([
    [{ replay: {} }, "script[0] has no replay"],
    [{ times: 0 }, "script[0].times must be a whole number from 1, or null, and is 0."],
    [{ match: { wire: "azure" } }, "script[0].match.wire must be one of"],
    [{ fault: { kind: "explode" } }, "script[0].fault.kind must be one of status, overloaded, hang"],
    [{ fault: { kind: "status" } }, "script[0].fault.status must be a number"],
    [
      { fault: { kind: "cut", after: 1 } },
      "script[0].fault has no after. Known: kind, afterChunks, afterFinish.",
    ],
    [{ reply: { toolCalls: [{ arguments: {} }] } }, "script[0].reply.toolCalls[0].name must be a text"],
    [{ pace: { chunkDelayMs: "1" } }, "script[0].pace.chunkDelayMs must be a number from 0"],
    ["hang", "script[0] must be an object"],
  ])("SIM-31 refuses the entry %j, naming what is wrong", (entry, message) => {
    expect(() => simulator.script(entry as ScriptEntry)).toThrow(message);
  });
});
