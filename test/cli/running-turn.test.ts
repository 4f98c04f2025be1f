import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Conversations } from "../../src/client/conversations.js";
import { Agent } from "../../src/core/agent.js";
import { startTestStack, type TestStack } from "../support/stack.js";
import { type Outcome, runCommand } from "./run-command.js";

const agent = new Agent({ model: "claude-haiku-4-5", tools: ["pay", "wait_once", "add"] });

let stack: TestStack;
let conversations: Conversations;
beforeAll(async () => {
  stack = await startTestStack({ tools: true });
  conversations = await stack.conversations();
});
afterAll(() => stack.stop());
beforeEach(() => stack.simulator.reset());

const run = (...args: readonly string[]): Promise<Outcome> => runCommand(args, { cwd: stack.folder });

const CALLS = [
  { name: "pay", arguments: { amount: 50 } },
  { name: "wait_once", arguments: { file: "never" } },
  { name: "add", arguments: { a: 1, b: 2 } },
];

/** A turn of which one call waits for approval, one runs and one is done. */
async function startCalling(id: string) {
  stack.simulator.script({ reply: { toolCalls: CALLS } });
  const session = await conversations.start(agent, { id });
  const turn = await session.submit("Pay the\nbill.", { turnId: `turn-of-${id}` });
  const states = async () =>
    (await session.describe()).running_turn?.tool_calls.map(({ state }) => state).join(" ");
  await expect.poll(states).toBe("waits_for_approval running settled");
  return { session, turn };
}

describe("holdfast show of a turn with tools", () => {
  it("CMD-300 tells a running turn's question and what has become of its tool calls, and of a stopped one what is known", async () => {
    const { session, turn } = await startCalling("busy");
    const { stdout } = await run("show", "busy");
    expect(stdout).toContain("\n1 since ");
    expect(stdout).toMatch(
      /UTC · turn-of-busy · running\n {2}› Pay the bill\.\n {2}· call 1 pay\(\{"amount":50\}\): waits for approval\n {2}· call 2 wait_once\(.*\): runs\n {2}· call 3 add\(.*\): done\n/,
    );
    expect(stdout).toMatch(/`(npx )?holdfast approve busy 1`/);
    const told = JSON.parse((await run("show", "busy", "--json")).stdout);
    expect(told.running_turn).toMatchObject({ message: "Pay the\nbill.", tool_call_count: 3 });
    await turn.cancel();
    await turn.result().catch(() => undefined);
    const stopped = (await run("show", "busy")).stdout;
    expect(stopped).toContain("call 1 pay: not started\n");
    expect(stopped).toMatch(/call 2 wait_once: (nobody knows whether it ran|done)\n/);
    expect(stopped).toContain("call 3 add: done\n");
    await session.close();
  });

  it("CMD-301 list says of each open conversation what it does, and --state names those in one state", async () => {
    const { session, turn } = await startCalling("parked");
    await conversations.start(agent, { id: "quiet" });
    const { stdout } = await run("list");
    expect(stdout).toMatch(/^ID +MODEL +STARTED +STATE\n/);
    expect(stdout).toMatch(/^parked .* waiting for approval$/m);
    expect(stdout).toMatch(/^quiet .* idle$/m);
    const waiting = JSON.parse((await run("list", "--state", "waiting_for_approval", "--json")).stdout);
    expect(waiting).toMatchObject([{ id: "parked", state: "waiting_for_approval" }]);
    await session.deny(1);
    const states = async () =>
      (await conversations.list({ activity: 10 })).map(({ id, state }) => [id, state]);
    await expect.poll(states).toContainEqual(["parked", "running"]);
    expect((await run("list", "--state", "closing")).stderr).toContain(
      "None of the 2 that are open is closing",
    );
    expect(await run("list", "--state", "idle", "--closed")).toMatchObject({ code: 2, stdout: "" });
    expect((await conversations.list()).map(({ state }) => state)).toEqual(["open", "open"]);
    await turn.cancel();
    await session.close();
  });
});
