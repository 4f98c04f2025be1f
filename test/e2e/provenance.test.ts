/** Reasoning that is bound to its model, in a conversation that changes its model, on a real server. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Conversations } from "../../src/client/conversations.js";
import { Agent } from "../../src/core/agent.js";
import { startTestStack, type TestStack } from "../support/stack.js";

const SONNET = "claude-sonnet-4-5";
const HAIKU = "claude-haiku-4-5";
const params = { thinking: { type: "enabled", budget_tokens: 2_000 } };
const agentOn = (model: string): Agent => new Agent({ model, instructions: "Be brief.", params });

describe("thinking under changing models", () => {
  let stack: TestStack;
  let conversations: Conversations;

  beforeAll(async () => {
    stack = await startTestStack();
    conversations = await stack.conversations();
  });
  afterAll(() => stack.stop());

  /** What the last call sent, and how many there were. */
  const lastCall = () => {
    const { calls } = stack.simulator;
    const call = calls.at(-1);
    expect(call).toMatchObject({ status: 200, issues: [] });
    return { body: JSON.stringify(call?.body), count: calls.length };
  };

  it("WFL-97 is sent to the model that made it only, in one call a turn, and stays in the history byte for byte", async () => {
    stack.simulator.reset();
    stack.simulator.script(
      ...["first", "second", "third", "fourth"].map((name) => ({
        reply: { text: `The ${name} answer.`, reasoning: `The ${name} thought.` },
      })),
    );
    const session = await conversations.start(agentOn(SONNET), { id: "provenance" });
    await session.run("Clause 4?");
    const before = JSON.stringify(await session.messages()).slice(0, -1);
    expect(before).toContain("The first thought.");

    await session.rebind(agentOn(HAIKU));
    await session.run("Clause 5?");
    const there = lastCall();
    expect(there.count).toBe(2);
    expect(there.body).toContain("The first answer.");
    expect(there.body).not.toContain("The first thought.");
    expect(JSON.stringify(await session.messages()).startsWith(before)).toBe(true);

    await session.rebind(agentOn(SONNET));
    await session.run("Clause 6?");
    const back = lastCall();
    expect(back.count).toBe(3);
    expect(back.body).toContain("The first thought.");
    expect(back.body).not.toContain("The second thought.");

    const copy = await conversations.fromJson(await session.toJson(), {
      agent: agentOn(HAIKU),
      id: "provenance-copy",
    });
    await copy.run("Clause 7?");
    const restored = lastCall();
    expect(restored.count).toBe(4);
    expect(restored.body).toContain("The second thought.");
    expect(restored.body).not.toMatch(/The (first|third) thought/);
    const kept = JSON.stringify(await copy.messages());
    expect(
      ["first", "second", "third", "fourth"].filter((name) => !kept.includes(`The ${name} thought.`)),
    ).toEqual([]);
  });

  it("WFL-98 comes back to its model from another provider, and is not sent to another model there", async () => {
    stack.simulator.reset();
    stack.simulator.script({ reply: { text: "The first answer.", reasoning: "The first thought." } });
    const session = await conversations.start(agentOn(SONNET), { id: "provenance-across" });
    await session.run("Clause 4?");
    await session.rebind(new Agent({ model: "gpt-6-luna", instructions: "Be brief." }));
    await session.run("Clause 5?");
    await session.rebind(agentOn(HAIKU));
    await session.run("Clause 6?");
    const other = lastCall();
    expect(other.count).toBe(3);
    expect(other.body).not.toContain("The first thought.");
    await session.rebind(agentOn(SONNET));
    await session.run("Clause 7?");
    const back = lastCall();
    expect(back.count).toBe(4);
    expect(back.body).toContain("The first thought.");
  });
});
