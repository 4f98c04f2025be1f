import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readRunBeginning } from "../../src/activities/run-beginning.js";
import type { Conversation } from "../../src/client/conversation.js";
import type { Conversations } from "../../src/client/conversations.js";
import { Agent } from "../../src/core/agent.js";
import { EMPTY_ROOT, extendRoot } from "../../src/core/hash.js";
import { historiesOf } from "../support/short-runs.js";
import { startTestStack, type TestStack } from "../support/stack.js";
import { eventBytes, eventsOf, eventText } from "../support/temporal-view.js";

const MOST_A_TURN = 4_500;
/** Two hundred turns are more than one run. */
const CASES = [
  { name: "short instructions", instructions: "Be brief.", lengths: [10, 50, 200] },
  { name: "50 KB of instructions", instructions: "Be brief. ".repeat(5_000), lengths: [10, 50, 200] },
];
const question = (turn: number): string => `Question ${turn}. `.padEnd(200, "Why is that so? ");
const ANSWER = "Because. ".repeat(50).slice(0, 400);

let stack: TestStack;
let conversations: Conversations;

beforeAll(async () => {
  stack = await startTestStack();
  conversations = await stack.conversations();
  stack.simulator.script({ reply: { text: ANSWER }, times: null });
});
afterAll(() => stack.stop());

/** Bytes of the histories of all runs, without the state that each hands to the next. */
async function totalOf(session: Conversation): Promise<number> {
  const histories = await historiesOf(conversations, session.id);
  const events = histories
    .flatMap(({ events: ofRun }) => ofRun ?? [])
    .filter(
      (event) =>
        !event.workflowExecutionContinuedAsNewEventAttributes &&
        !event.workflowExecutionStartedEventAttributes?.continuedExecutionRunId,
    );
  return events.reduce((sum, event) => sum + eventBytes(event), 0);
}

/** Bytes of the history a turn, from after the start, at each of the lengths. */
async function bytesATurn(session: Conversation, lengths: readonly number[]): Promise<readonly number[]> {
  await session.status();
  const atStart = await totalOf(session);
  const measured: number[] = [];
  for (let turn = 1; turn <= Math.max(...lengths); turn++) {
    await session.run(question(turn));
    if (!lengths.includes(turn)) continue;
    await session.status();
    measured.push(Math.round(((await totalOf(session)) - atStart) / turn));
  }
  return measured;
}

describe("the event history", () => {
  it("WFL-15 grows by at most 4,500 bytes a turn at every length, whatever the instructions", async () => {
    const measured = await Promise.all(
      CASES.map(async ({ name, instructions, lengths }) => {
        const session = await conversations.start(new Agent({ model: "claude-haiku-4-5", instructions }));
        const bytes = await bytesATurn(session, lengths);
        console.log(
          `history bytes a turn, ${name}: ${lengths.map((turns, at) => `${turns} turns: ${bytes[at]}`).join(", ")}`,
        );
        return bytes;
      }),
    );
    const all = measured.flat();
    expect(all).toHaveLength(6);
    expect(Math.max(...all)).toBeLessThanOrEqual(MOST_A_TURN);
  }, 120_000);

  it("WFL-16 never carries the transcript: an early message stands in no event of a later turn", async () => {
    const session = await conversations.start(new Agent({ model: "claude-haiku-4-5" }));
    const early = "The password of the day is Schildkröte.";
    stack.simulator.reset();
    stack.simulator.script({ reply: { text: "I shall remember the Wanderfalke." } });
    await session.run(early);
    await session.status();
    const before = (await eventsOf(conversations, session.id)).length;
    for (let turn = 0; turn < 5; turn++) await session.run(question(turn));
    await session.status();
    await stack.workers[0]?.kill();
    await stack.startWorker();
    await session.run("After the worker's end: the cache is gone.");
    expect(JSON.stringify(stack.simulator.calls.at(-1)?.body)).toContain("Schildkröte");
    const events = await eventsOf(conversations, session.id);
    const first = events.slice(0, before).map(eventText).join();
    expect(first).toContain("Schildkröte");
    expect(first).toContain("Wanderfalke");
    const later = events.slice(before).map(eventText).join();
    expect(later).toContain(question(4));
    expect(later).not.toContain("Schildkröte");
    expect(later).not.toContain("Wanderfalke");
  });

  it("WFL-263 begins with the whole history, which a worker reads from the payload store at once", async () => {
    const agent = new Agent({ model: "claude-haiku-4-5" });
    const list = Array.from({ length: 12 }, (_, turn) => [
      { role: "user", content: question(turn) },
      { role: "assistant", content: `${turn} `.repeat(20_000) },
    ]).flat();
    const session = await conversations.fromMessages(list, { dialect: "anthropic", agent });
    await session.run("After the run's beginning.");
    const [started] = await eventsOf(conversations, session.id);
    const { originalExecutionRunId: run_id } = started?.workflowExecutionStartedEventAttributes ?? {};
    const of = { conversation_id: session.id, run_id: run_id ?? "" };
    const beginning = await readRunBeginning(conversations.temporal, of);
    expect(beginning?.messages).toEqual(list);
    expect(beginning?.root).toEqual(extendRoot(EMPTY_ROOT, list));
    expect(beginning?.bytes).toBeGreaterThan(JSON.stringify(list).length * 0.99);
  });
});
