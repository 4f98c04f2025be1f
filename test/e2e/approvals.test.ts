import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Conversation } from "../../src/client/conversation.js";
import type { Conversations } from "../../src/client/conversations.js";
import { Agent } from "../../src/core/agent.js";
import type { Frame } from "../../src/core/conversation/frame.js";
import { UsageError } from "../../src/core/errors/errors.js";
import type { JsonObject } from "../../src/core/json.js";
import * as m from "../../src/workflows/messages.js";
import { runCommand } from "../cli/run-command.js";
import { collect } from "../support/collect.js";
import { startTestStack, type TestStack } from "../support/stack.js";

let stack: TestStack;
let conversations: Conversations;
let session: Conversation;
let frames: Promise<readonly Frame[]>;

beforeAll(async () => {
  stack = await startTestStack({ tools: true });
  conversations = await stack.conversations();
});
afterAll(() => stack.stop());
beforeEach(async () => {
  stack.simulator.reset();
  rmSync(join(stack.folder, "tools.log"), { force: true });
  session = await conversations.start(new Agent({ model: "claude-haiku-4-5", tools: ["pay", "ask_first"] }));
});

const paid = (): string => {
  const file = join(stack.folder, "tools.log");
  return existsSync(file) ? readFileSync(file, "utf8").trim() : "";
};

/** A turn that waits for approval of its calls above 10. */
async function startPaying(...amounts: readonly number[]) {
  const toolCalls = amounts.map((amount) => ({ name: "pay", arguments: { amount } as JsonObject }));
  stack.simulator.script({ reply: { toolCalls } });
  const turn = await session.submit("Pay.", { turnId: "t1" });
  frames = collect<Frame>(turn.stream());
  // Of a turn that is not waited for, the file's end may break the reading off.
  frames.catch(() => undefined);
  const above = amounts.filter((amount) => amount > 10).length;
  await expect.poll(async () => (await session.status()).approvals.length).toBe(above);
  return turn;
}

describe("a tool call that waits for approval", () => {
  it("TOL-53 is not run where it is denied, the model is told why, and calls that wait for nobody run at once", async () => {
    const turn = await startPaying(5, 50);
    await expect.poll(paid).toBe("paid 5");
    expect((await session.status()).approvals).toMatchObject([
      { call: 2, name: "pay", arguments: '{"amount":50}' },
    ]);
    await session.deny(2, { reason: "Too much." });
    const result = await turn.result();
    expect(result.output).toMatch(
      /“paid 5”.*“Error: This call was not approved, and was not run: Too much\./s,
    );
    expect(result.toolCalls).toBe(1);
    const asked = (await frames).flatMap((frame) => (frame.type === "tool_call" ? [frame.approval] : []));
    expect(asked).toEqual([undefined, 2]);
    expect(paid()).toBe("paid 5");
  });

  it("TOL-54 runs with other arguments where the approver gives some, and the history says so", async () => {
    const turn = await startPaying(50);
    await session.approve(1, { arguments: { amount: 7 } });
    expect((await turn.result()).output).toContain("paid 7");
    expect(paid()).toBe("paid 7");
    expect(JSON.stringify(await session.messages())).toContain(
      'run with other arguments, by whom approved it: {\\"amount\\":7}',
    );
  });

  it("TOL-52 is decided by command, by update and by signal; what does not wait is refused", async () => {
    const turn = await startPaying(20, 30, 40);
    const { id } = session;
    const options = { cwd: stack.folder };
    await expect(session.approve(9)).rejects.toThrow(UsageError);
    const shown = await runCommand(["show", id], options);
    expect(shown.stdout).toContain(`holdfast approve ${id} 1`);
    expect((await runCommand(["approve", id, "1"], options)).stderr).toContain(
      `Call 1 of ${id} is approved.`,
    );
    const wrong = await runCommand(["deny", id, "7"], options);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("No call 7") });
    const handle = conversations.temporal.workflow.getHandle(id);
    await expect(handle.executeUpdate(m.approveUpdate, { args: [{ call: 9 }] })).rejects.toMatchObject({
      cause: { type: "UsageError", message: expect.stringContaining("No call 9 waits for approval") },
    });
    const status = await handle.executeUpdate(m.denyUpdate, { args: [{ call: 2 }] });
    expect(status.approvals).toMatchObject([{ call: 3 }]);
    await handle.signal(m.approveSignal, { call: 2 });
    await handle.signal(m.denySignal, { call: 3, reason: "No." });
    const { output } = await turn.result();
    expect(output).toMatch(/“paid 20”.*not run\.”.*not run: No\./s);
    expect((await session.status()).refusals).toMatchObject([{ name: "approve", reason: "not_waiting" }]);
  });

  it("TOL-57 is decided once: the loser of a race hears how, and so does whoever comes too late", async () => {
    const turn = await startPaying(50, 60);
    const both = await Promise.allSettled([session.approve(1), session.deny(1)]);
    const lost = both.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []));
    const verdict = both[0]?.status === "fulfilled" ? "approved" : "denied";
    expect(lost).toEqual([expect.stringContaining(`Call 1 waits no longer: it was ${verdict} at `)]);
    await expect(session.approve("x".repeat(100_000))).rejects.toThrow(/^No call x{200} waits/);
    const handle = conversations.temporal.workflow.getHandle(session.id);
    await handle.signal(m.approveSignal, { call: 2, arguments: { text: "x".repeat(70_000) } });
    await expect
      .poll(async () => (await session.status()).refusals)
      .toMatchObject([{ name: "approve", error: expect.stringContaining("at most 65536") }]);
    await session.deny(2);
    await turn.result();
  });

  it("TOL-38 begins no local tool in a turn whose stop is known", async () => {
    stack.simulator.script({ reply: { toolCalls: [{ name: "ask_first", arguments: {} }] } });
    const turn = await session.submit("Look.", { turnId: "t1" });
    await expect.poll(async () => (await session.status()).approvals.length).toBe(1);
    await Promise.all(stack.workers.map((worker) => worker.kill()));
    await session.cancel();
    await conversations.temporal.workflow.getHandle(session.id).signal(m.approveSignal, { call: 1 });
    await stack.startWorker();
    await expect(turn.result()).rejects.toMatchObject({
      record: { error_type: "turn.cancelled", tool_calls: [{ name: "ask_first", state: "not_started" }] },
    });
    expect(paid()).toBe("");
  });

  it("TOL-51 outlives every worker", async () => {
    const turn = await startPaying(50);
    await Promise.all(stack.workers.map((worker) => worker.kill()));
    await stack.startWorker();
    await session.approve(1);
    expect((await turn.result()).output).toContain("paid 50");
  });
});
