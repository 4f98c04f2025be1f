import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Conversation } from "../../src/client/conversation.js";
import type { Conversations } from "../../src/client/conversations.js";
import { Agent } from "../../src/core/agent.js";
import type { Frame } from "../../src/core/conversation/frame.js";
import { TurnInterruptedError, UsageError } from "../../src/core/errors/errors.js";
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

const command = (...args: readonly string[]) => runCommand(args, { cwd: stack.folder });

/** A turn whose calls wait for approval, under ids that may be equal. */
async function startWaiting(...toolCalls: readonly { name: string; arguments: JsonObject; id?: string }[]) {
  stack.simulator.script({ reply: { toolCalls } });
  const turn = await session.submit("Pay for the lamps.", { turnId: "t1" });
  frames = collect<Frame>(turn.stream());
  await expect.poll(async () => (await session.status()).approvals.length).toBe(toolCalls.length);
  return turn;
}

const pay = (amount: number) => ({ name: "pay", arguments: { amount } });
const told = async () => (await frames).filter(({ type }) => type.startsWith("tool_"));

describe("what readers hear of a decision", () => {
  it("STR-80 is told by a frame: approved, edited or denied, with the reason, ahead of the call's result", async () => {
    const turn = await startWaiting(pay(20), pay(30), pay(40));
    await session.approve(1, { reason: "Agreed." });
    await expect.poll(paid).toContain("paid 20");
    await session.approve(2, { arguments: { amount: 7 } });
    await expect.poll(paid).toContain("paid 7");
    await session.deny(3, { reason: "Too much." });
    await turn.result();
    expect((await told()).slice(3)).toMatchObject([
      { type: "tool_approval", call: 1, approved: true, reason: "Agreed." },
      { type: "tool_result", output: "paid 20" },
      { type: "tool_approval", call: 2, approved: true, arguments: '{"amount":7}' },
      { type: "tool_result", output: "paid 7" },
      { type: "tool_approval", call: 3, approved: false, reason: "Too much." },
      { type: "tool_result", is_error: true, output: expect.stringContaining("Too much.") },
    ]);
    expect(JSON.stringify((await told())[3])).not.toContain('"arguments"');
  });

  it("STR-80 hears of a denial while another call of the round still waits, and of a local tool's approval", async () => {
    const turn = await startWaiting(pay(20), { name: "ask_first", arguments: {} });
    const heard: Frame[] = [];
    const reading = (async () => {
      for await (const frame of turn.stream()) heard.push(frame);
    })();
    await session.deny(1);
    await expect.poll(() => heard.map(({ type }) => type)).toContain("tool_approval");
    await session.approve(2);
    await reading;
    const decided = heard.filter(({ type }) => type === "tool_approval");
    expect(decided).toMatchObject([
      { call: 1, approved: false },
      { call: 2, approved: true },
    ]);
  });

  it("STR-81 comes to one who tails the conversation, a line a decision", async () => {
    const tail = command("tail", session.id, "--turn", "t1");
    const turn = await startWaiting(pay(20), pay(30));
    await session.approve(1, { arguments: { amount: 8 }, reason: "Less." });
    await session.deny(2, { reason: "No." });
    await turn.result();
    const { stderr } = await tail;
    expect(stderr).toContain('call 1 (pay) is approved with {"amount":8}: Less.');
    expect(stderr).toContain("call 2 (pay) is denied: No.");
    expect(stderr).not.toContain("pay failed");
  });
});

describe("an approver's arguments", () => {
  it("TOL-130 are refused by client and command where they do not fit the tool, which does not run; the call still waits", async () => {
    const turn = await startWaiting(pay(20));
    const wrong = session.approve(1, { arguments: { amount: "seven" } });
    await expect(wrong).rejects.toThrow(UsageError);
    await expect(wrong).rejects.toThrow(
      /^arguments do not fit pay: amount: [^\n]+\. Call 1 still waits: give it others, or deny it\.$/,
    );
    const refused = await command("approve", session.id, "1", "--arguments", "{}");
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("do not fit pay: amount") });
    expect(paid()).toBe("");
    const fits = await command("approve", session.id, "1", "--arguments", '{"amount":7}');
    expect(fits.code).toBe(0);
    await turn.result();
    expect(paid()).toBe("paid 7");
  });

  it("TOL-131 are refused by signal as well, in the recorded refusals, and other decisions do not wait for the check", async () => {
    const turn = await startWaiting(pay(20), pay(30));
    const handle = conversations.temporal.workflow.getHandle(session.id);
    await handle.signal(m.approveSignal, { call: 1, arguments: { amount: "seven" } });
    await handle.signal(m.denySignal, { call: 2 });
    await expect
      .poll(async () => (await session.status()).refusals)
      .toMatchObject([
        { name: "approve", reason: "unfit", error: expect.stringContaining("do not fit pay") },
      ]);
    expect((await session.status()).approvals).toMatchObject([{ call: 1 }]);
    await handle.signal(m.approveSignal, { call: 1, arguments: { amount: 9 } });
    await turn.result();
    expect(paid()).toBe("paid 9");
  });

  it("TOL-132 that come after another decision, or after a stop, change nothing", async () => {
    const turn = await startWaiting(pay(20));
    const both = await Promise.allSettled([
      session.approve(1, { arguments: { amount: 1 } }),
      session.approve(1, { arguments: { amount: 2 } }),
    ]);
    const [lost] = both.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []));
    expect(lost).toContain("Call 1 waits no longer: it was approved at");
    await turn.result();
    expect(paid().split("\n")).toHaveLength(1);
    await expect(session.approve(1, { arguments: { amount: 3 } })).rejects.toThrow(UsageError);
    stack.simulator.script({ reply: { toolCalls: [pay(20)] } });
    const stopped = await session.submit("Pay once more.", { turnId: "t2" });
    await expect.poll(async () => (await session.status()).approvals.length).toBe(1);
    const handle = conversations.temporal.workflow.getHandle(session.id);
    const told = handle.executeUpdate(m.approveUpdate, { args: [{ call: 1, arguments: { amount: 4 } }] });
    await Promise.allSettled([told, stopped.cancel()]);
    await expect(stopped.result()).rejects.toThrow(TurnInterruptedError);
    expect((await session.status()).state).toBe("idle");
  });
});
