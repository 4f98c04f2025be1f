import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Conversation } from "../../src/client/conversation.js";
import type { Conversations } from "../../src/client/conversations.js";
import { Agent, type AgentOptions } from "../../src/core/agent.js";
import type { Frame } from "../../src/core/conversation/frame.js";
import { TurnInterruptedError, UsageError } from "../../src/core/errors/errors.js";
import { runCommand } from "../cli/run-command.js";
import { collect } from "../support/collect.js";
import { replay } from "../support/replay.js";
import { startTestStack, type TestStack } from "../support/stack.js";

const HAIKU = "claude-haiku-4-5";
/** A thousandth a token: what a table for a million of them says for a thousand. */
const PRICES = { "claude-haiku-*": { input: 1_000, output: 2_000, cache_read: 500 } };

let stack: TestStack;
let conversations: Conversations;

beforeAll(async () => {
  stack = await startTestStack({ tools: true, workers: 0, bounds: { retryDelaysMs: [10] } });
  writeFileSync(join(stack.folder, "prices.json"), JSON.stringify(PRICES));
  await stack.startWorker({ HOLDFAST_PRICES: "prices.json" });
  conversations = await stack.conversations();
});
afterAll(() => stack.stop());
beforeEach(() => {
  stack.simulator.reset();
  rmSync(join(stack.folder, "tools.log"), { force: true });
});

const start = (change: Partial<AgentOptions> = {}): Promise<Conversation> =>
  conversations.start(new Agent({ model: HAIKU, instructions: "Be brief.", ...change }));

const toolsRan = (): boolean => existsSync(join(stack.folder, "tools.log"));

async function record(turn: Promise<unknown>): Promise<TurnInterruptedError["record"]> {
  const error: unknown = await turn.catch((reason: unknown) => reason);
  if (error instanceof TurnInterruptedError) return error.record;
  throw new Error(`The turn was not interrupted: ${String(error)}`);
}

function scriptAnswer(input_tokens: number, output_tokens: number, ...tools: readonly string[]): void {
  const toolCalls = tools.map((name) => ({ name, arguments: { a: 2, b: 3 } }));
  stack.simulator.script({
    reply: {
      text: "One moment.",
      usage: { input_tokens, output_tokens },
      ...(toolCalls.length === 0 ? {} : { toolCalls }),
    },
  });
}

describe("a budget of a turn", () => {
  it("BUD-4 ends it before the tools whose next call is bound to pass the tokens, and every reader hears of it", async () => {
    const session = await start({ tools: ["add"], budget: { turn: { tokens: 1_500 } } });
    const frames = collect<Frame>(session.turn("t1").stream());
    scriptAnswer(1_000, 100, "add");
    const interrupted = await record(session.run("What is the sum?", { turnId: "t1" }));
    expect(interrupted).toMatchObject({
      error_type: "budget.tokens",
      error:
        "The turn's budget of 1,500 tokens does not allow the next call: 1,100 used, at least about 1,100 more needed. Ask for less at once, or raise the agent's budget.turn.tokens by a rebind.",
      tool_calls: [{ name: "add", state: "not_started" }],
      usage: { input_tokens: 1_000, output_tokens: 100 },
      cost: 1.2,
    });
    expect((await frames).at(-1)).toMatchObject({ type: "end", state: "interrupted" });
    expect([stack.simulator.calls.length, toolsRan()]).toEqual([1, false]);
    const { messages, accounting } = await session.toEnvelope();
    expect(messages).toEqual([]);
    expect(accounting.totals).toMatchObject({ turns: 0, provider_calls: 1, cost: 1.2 });
    await replay(conversations, session.id);
  });

  it("BUD-5 lets a call that passes it by its own answer stand, and the turn end", async () => {
    const session = await start({ budget: { turn: { tokens: 1_500 } } });
    scriptAnswer(1_000, 900);
    expect(await session.run("Tell me all.")).toMatchObject({ usage: { output_tokens: 900 }, cost: 2.8 });
    expect((await session.status()).budget).toEqual({
      turn: {
        limits: { tokens: 1_500 },
        used: { tokens: 0, provider_calls: 0, tool_rounds: 0, cost: 0 },
      },
    });
  });

  it("BUD-3 is looked at before the first call, with an estimate of what it holds", async () => {
    const session = await start();
    const asked = session.run("word ".repeat(2_000), { budget: { tokens: 2_000 } });
    expect(await record(asked)).toMatchObject({
      error_type: "budget.tokens",
      error: expect.stringMatching(
        /0 used, at least about 2,5\d\d more needed\. .*send the message again with a larger/,
      ),
      attempts: 1,
    });
    expect(stack.simulator.calls).toEqual([]);
    expect((await session.run("word ".repeat(2_000))).output).toContain("simulated");
  });

  it("BUD-6 counts failed calls among the provider calls, and waits for no retry that may not be", async () => {
    const session = await start({ budget: { turn: { provider_calls: 2 } } });
    for (let call = 0; call < 3; call++) stack.simulator.script({ fault: { kind: "status", status: 529 } });
    const interrupted = await record(session.run("Hello?"));
    expect(interrupted).toMatchObject({
      error_type: "budget.provider_calls",
      error: expect.stringMatching(/2 used, 1 more needed\. Ask for less .* The last call failed: .+/),
      attempts: 2,
    });
    expect(stack.simulator.calls).toHaveLength(2);
    expect((await session.toEnvelope()).accounting.totals.provider_calls).toBe(2);
  });

  it("BUD-7 of no tool rounds lets no tool run", async () => {
    const session = await start({ tools: ["add"], budget: { turn: { tool_rounds: 0 } } });
    scriptAnswer(10, 10, "add");
    expect(await record(session.run("Add."))).toMatchObject({
      error_type: "budget.tool_rounds",
      error: expect.stringContaining("0 tool rounds does not allow the tools that the model asks for"),
    });
    expect(toolsRan()).toBe(false);
    expect((await session.run("Without tools, then.")).toolCalls).toBe(0);
  });

  it("BUD-2 is the tighter one of the agent's and the message's", async () => {
    const session = await start({ tools: ["add"], budget: { turn: { tool_rounds: 1, tokens: 100_000 } } });
    scriptAnswer(10, 10, "add");
    const limits = { tool_rounds: 5, provider_calls: 1 };
    expect(await record(session.run("Add.", { budget: limits }))).toMatchObject({
      error_type: "budget.provider_calls",
    });
    for (let round = 0; round < 2; round++) scriptAnswer(10, 10, "add");
    expect(await record(session.run("Add.", { budget: { tool_rounds: 5 } }))).toMatchObject({
      error_type: "budget.tool_rounds",
      error: expect.stringContaining("The turn's budget of 1 tool round "),
      tool_calls: [{ state: "settled" }, { state: "not_started" }],
    });
  });
});

describe("a budget of a conversation", () => {
  it("BUD-8 counts all ended turns, before an import too, and a rebind within the model raises it", async () => {
    const session = await start({
      tools: ["add"],
      budget: { conversation: { tokens: 2_000, tool_rounds: 1 } },
    });
    scriptAnswer(500, 100, "add");
    scriptAnswer(700, 100);
    await session.run("One.");
    const text = await session.toJson();
    await session.close();
    const again = await conversations.fromJson(text, { id: `${session.id}-again` });
    scriptAnswer(500, 200, "add");
    expect(await record(again.run("Two."))).toMatchObject({
      error_type: "budget.tool_rounds",
      error: expect.stringContaining("The conversation's budget of 1 tool round "),
    });
    expect(await record(again.run("Three."))).toMatchObject({
      error_type: "budget.tokens",
      error: expect.stringContaining("2,100 used"),
    });
    expect((await again.status()).budget?.conversation?.used).toMatchObject({
      tokens: 2_100,
      provider_calls: 3,
      tool_rounds: 1,
    });
    await again.rebind(HAIKU, { budget: { conversation: { tokens: 10_000 } } });
    expect((await again.run("Four.")).output).toContain("simulated");
    expect((await again.describe()).budget).toMatchObject({ conversation: { limits: { tokens: 10_000 } } });
  });

  it("BUD-9 of cost counts by the prices of the file, cached input at its own, each turn as it was priced", async () => {
    const session = await start({ budget: { conversation: { cost: 3 } } });
    stack.simulator.script({
      reply: { text: "Yes.", usage: { input_tokens: 1_000, cache_read_tokens: 800, output_tokens: 1_000 } },
    });
    expect((await session.run("One.")).cost).toBe(2.6);
    expect(await record(session.run("word ".repeat(800)))).toMatchObject({
      error_type: "budget.cost",
      error: expect.stringMatching(
        /budget of cost 3 does not allow the next call: 2\.6 used, at least about 0\.5/,
      ),
    });
    const { accounting } = await session.toEnvelope();
    expect(accounting.turns).toMatchObject([{ cost: 2.6 }, { state: "interrupted" }]);
    expect(accounting.totals.cost).toBe(2.6);
  });

  it("BUD-10 of cost refuses the turn of a model without a price, before its first call", async () => {
    const session = await start({ model: "claude-opus-5-5", budget: { turn: { cost: 1 } } });
    await expect(session.run("Hello.")).rejects.toMatchObject({
      code: "TurnRefusedError",
      reason: "no_price",
      message: expect.stringContaining("claude-opus-5-5 has no price"),
    });
    expect(stack.simulator.calls).toEqual([]);
    await session.rebind(HAIKU);
    expect((await session.run("Hello.")).cost).toBeGreaterThan(0);
  });
});

describe("a budget as it is given and shown", () => {
  it("BUD-1 that is none is refused before anything is sent", async () => {
    const session = await start();
    const none = { tokens: 0 };
    const said = "budget.tokens: expected a whole number of 1 or more, found 0.";
    await expect(session.run("Hello.", { budget: none })).rejects.toThrow(new UsageError(`run: ${said}`));
    await expect(session.submit("Hello.", { budget: none })).rejects.toThrow(UsageError);
    await expect(session.rebind(HAIKU, { budget: { turn: none } })).rejects.toThrow(
      "rebind: budget.turn.tokens: expected a whole number of 1 or more, found 0.",
    );
    expect((await session.describe()).totals).toMatchObject({ provider_calls: 0 });
    await record(session.run("word ".repeat(100), { budget: { tokens: 9 } }));
    expect((await record(session.resend({ budget: { tokens: 10 } }))).error).toContain("budget of 10 tokens");
    expect((await session.resend()).output).toContain("simulated");
  });

  it("BUD-15 by the command, which says how to go on, and what it has cost", async () => {
    const { id } = await start({ budget: { conversation: { tokens: 2_000 } } });
    const command = (...args: string[]) => runCommand(args, { cwd: stack.folder });
    scriptAnswer(1_000, 500);
    expect((await command("send", id, "One.")).code).toBe(0);
    const tight = await command("send", id, "word ".repeat(900), "--budget", "provider_calls=5");
    expect(tight.code).toBe(1);
    expect(tight.stderr).toMatch(/1,500 used, .* Raise it with `.*holdfast rebind ID MODEL --budget conv/);
    expect((await command("rebind", id, HAIKU, "--budget", "conversation.cost=9,turn.tokens=70")).code).toBe(
      0,
    );
    const { stdout } = await command("show", id);
    expect(stdout).toContain("1,000 in, 500 out tokens · cost 2 ·");
    expect(stdout).toContain("budget of a turn: 0 of 70 tokens\nbudget of the conversation: cost 2 of 9\n");
    expect((await command("report", id)).stdout).toMatch(/\ncost 2\n$/);
  });
});
