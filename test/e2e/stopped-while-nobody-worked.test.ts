import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Conversation } from "../../src/client/conversation.js";
import { Agent } from "../../src/core/agent.js";
import { TurnInterruptedError } from "../../src/core/errors/errors.js";
import * as m from "../../src/workflows/messages.js";
import { fileStack } from "../support/file-stack.js";
import { startLongTurn } from "../support/long-turn.js";

const { stack, conversations } = await fileStack({ workers: 0, tools: true });
const AGENT = new Agent({ model: "claude-haiku-4-5", tools: ["pay", "wait_again"] });
let session: Conversation;

beforeEach(async () => {
  session = await conversations.start(AGENT);
});
afterEach(async () => {
  await Promise.all(stack.workers.map((worker) => worker.kill()));
});

async function interruption(turnId: string): Promise<TurnInterruptedError> {
  const error = await session
    .turn(turnId)
    .result()
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(TurnInterruptedError);
  expect(error).toMatchObject({ record: { error_type: "turn.cancelled" } });
  return error as TurnInterruptedError;
}

const toolLog = (): string => {
  const file = join(stack.folder, "tools.log");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
};
const cancel = (turnId: string): Promise<void> => handle().signal(m.cancelTurn, { turn_id: turnId });
const handle = () => conversations.temporal.workflow.getHandle(session.id);

describe("a turn that was stopped while no worker lived", () => {
  it("WFL-360 in the wait for a retry is not called again", async () => {
    const worker = await stack.startWorker();
    stack.simulator.script({ fault: { kind: "status", status: 429, retryAfter: 4 } });
    await session.submit("Busy?", { turnId: "t1" });
    await expect.poll(() => stack.simulator.calls.length).toBe(1);
    await delay(500);
    await worker.kill();
    await cancel("t1");
    await delay(4_000);
    await stack.startWorker();
    await interruption("t1");
    expect(stack.simulator.calls).toHaveLength(1);
    expect((await session.status()).run_count).toBe(0);
  });

  it("WFL-360 before it had begun is not called at all", async () => {
    await handle().signal(m.submitTurnSignal, { message: "Forget it.", turn_id: "t1" });
    await cancel("t1");
    await stack.startWorker();
    await interruption("t1");
    expect(stack.simulator.calls).toHaveLength(0);
  });

  it("WFL-360 twice, in the middle of its answer, beside another that goes on, is not called again", async () => {
    const worker = await stack.startWorker();
    const other = await conversations.start(AGENT);
    await startLongTurn(stack, session, 3_000);
    await other.submit("Go on.", { turnId: "other" });
    await expect.poll(() => stack.simulator.calls.length).toBe(2);
    await worker.kill();
    await delay(3_000);
    await session.cancel("t1");
    await session.cancel("t1");
    await stack.startWorker();
    await interruption("t1");
    await other.turn("other").result();
    const texts = stack.simulator.calls.map(({ lastUserText }) => lastUserText);
    expect(texts.filter((text) => text === "slow")).toHaveLength(1);
  });

  it("ACT-360 behind an approval runs no tool", async () => {
    const worker = await stack.startWorker();
    stack.simulator.script({ reply: { toolCalls: [{ name: "pay", arguments: { amount: 50 } }] } });
    await session.submit("Pay.", { turnId: "t1" });
    const waits = async () => (await session.describe()).running_turn?.tool_calls.map(({ state }) => state);
    await expect.poll(waits).toEqual(["waits_for_approval"]);
    await worker.kill();
    await handle().signal(m.approveSignal, { call: 1 });
    await cancel("t1");
    await stack.startWorker();
    const { record } = await interruption("t1");
    expect(record.tool_calls).toMatchObject([{ name: "pay", state: "not_started" }]);
    expect(toolLog()).not.toContain("paid");
  });

  it("ACT-360 while a tool ran that may be repeated does not run it again", async () => {
    const worker = await stack.startWorker();
    stack.simulator.script({ reply: { toolCalls: [{ name: "wait_again", arguments: { file: "never" } }] } });
    await session.submit("Wait.", { turnId: "t1" });
    const starts = () => toolLog().match(/wait_again started/g)?.length ?? 0;
    await expect.poll(starts).toBe(1);
    await worker.kill();
    await delay(4_000);
    await cancel("t1");
    await stack.startWorker();
    const { record } = await interruption("t1");
    expect(record.tool_calls).toMatchObject([{ name: "wait_again", state: "unknown" }]);
    expect(starts()).toBe(1);
  });
});
