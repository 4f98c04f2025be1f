import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Conversation } from "../../src/client/conversation.js";
import type { Conversations } from "../../src/client/conversations.js";
import { Agent } from "../../src/core/agent.js";
import { TurnInterruptedError } from "../../src/core/errors/errors.js";
import type { ScriptEntry } from "../../src/simulator/script.js";
import { startTestStack, type TestStack } from "../support/stack.js";

const agent = new Agent({ model: "claude-haiku-4-5", instructions: "Be brief." });
const SPOKEN = { reply: { text: "word ".repeat(100) }, pace: { chunkDelayMs: 20 }, times: null } as const;

let stack: TestStack;
let conversations: Conversations;
let session: Conversation;

beforeAll(async () => {
  stack = await startTestStack({ bounds: { providerFailures: 2, retryDelaysMs: [10], callMs: 2_000 } });
  conversations = await stack.conversations();
});
afterAll(() => stack.stop());
beforeEach(async () => {
  stack.simulator.reset();
  session = await conversations.start(agent);
});

interface Way {
  readonly way: string;
  readonly entry: ScriptEntry;
  readonly type: string;
  readonly calls: number;
  readonly partial: RegExp;
}

const WAYS: readonly Way[] = [
  {
    way: "retries that are used up",
    entry: { ...SPOKEN, fault: { kind: "stream_error", afterChunks: 3, type: "overloaded_error" } },
    type: "provider.overloaded",
    calls: 2,
    partial: /^word /,
  },
  {
    way: "a failure that will not pass",
    entry: { ...SPOKEN, fault: { kind: "stream_error", afterChunks: 3, type: "invalid_request_error" } },
    type: "provider.bad_request",
    calls: 1,
    partial: /^word /,
  },
  {
    way: "a call that takes too long",
    entry: { ...SPOKEN, fault: { kind: "hang", afterChunks: 3 } },
    type: "provider.timeout",
    calls: 2,
    partial: /^word /,
  },
  {
    way: "a refusal by the service's policy",
    entry: { reply: { text: "", finishReason: "content_filter" }, times: null },
    type: "provider.content_refused",
    calls: 1,
    partial: /^$/,
  },
];

describe("a turn that fails", () => {
  it.each(WAYS)(
    "WFL-141 by $way leaves its whole record, a line in the log, and can be sent again",
    async ({ entry, type, calls, partial }) => {
      stack.simulator.script(entry);
      const error = await session.run("Question", { turnId: "t1" }).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(TurnInterruptedError);
      const { record } = error as TurnInterruptedError;
      expect(record).toMatchObject({
        turn_id: "t1",
        error_type: type,
        message: "Question",
        attempts: calls,
        partial_text: expect.stringMatching(partial),
      });
      const { accounting } = await session.toEnvelope();
      expect(accounting.turns).toMatchObject([{ state: "interrupted", provider_calls: calls }]);
      expect(stack.simulator.calls).toHaveLength(calls);
      const said = `${session.id}: Turn t1 was interrupted (${type})`;
      await expect.poll(() => stack.workers.map((worker) => worker.log()).join("")).toContain(said);
      stack.simulator.reset();
      expect((await session.resend()).messages).toEqual({ from: 0, to: 2 });
    },
  );
});

describe("a service that asks for a pause", () => {
  const inThreeSeconds = (): string => new Date(Date.now() + 3_000).toUTCString();

  it.each([
    ["in seconds", () => ({ kind: "status", status: 429, retryAfter: 1 }) as const, 1_000, 1_000],
    ["in milliseconds", () => ({ kind: "overloaded", retryAfterMs: 70 }) as const, 70, 70],
    ["as a date", () => ({ kind: "status", status: 429, retryAfter: inThreeSeconds() }) as const, 500, 3_000],
  ])("WFL-142 is called again after it, said %s", async (_, fault, least, most) => {
    stack.simulator.script({ fault: fault() });
    const turn = await session.submit("Question");
    const delays: number[] = [];
    for await (const frame of turn.stream()) if (frame.type === "retry") delays.push(frame.delay_ms);
    expect(delays).toHaveLength(1);
    expect(delays[0]).toBeGreaterThanOrEqual(least);
    expect(delays[0]).toBeLessThanOrEqual(most);
    expect(await turn.result()).toMatchObject({ providerCalls: 2 });
  });
});

describe("an answer that is no failure", () => {
  it.each([
    ["cut at its limit of tokens", "length"],
    ["broken off by a filter", "content_filter"],
  ] as const)(
    "WFL-143 though %s is committed and says so, and the next question is taken",
    async (_, finishReason) => {
      stack.simulator.script({ reply: { text: "Clause 4 is", finishReason } });
      const result = await session.run("Clause 4?");
      expect(result).toMatchObject({ output: "Clause 4 is", finishReason: { unified: finishReason } });
      expect((await session.run("Go on.")).messages).toEqual({ from: 2, to: 4 });
    },
  );

  it("WFL-143 though empty is committed, and the next question is taken", async () => {
    stack.simulator.script({ reply: { text: "" } });
    expect(await session.run("Say nothing.")).toMatchObject({ output: "", messages: { from: 0, to: 1 } });
    expect((await session.run("And now?")).output).not.toBe("");
    expect(stack.simulator.calls.at(-1)).toMatchObject({ status: 200, issues: [] });
  });
});
