import { ApplicationFailure } from "@temporalio/common";
import { describe, expect, it } from "vitest";
import { callModel } from "../../src/activities/call-model.js";
import type { ActivityDependencies } from "../../src/activities/dependencies.js";
import { estimateTokens } from "../../src/activities/estimate-tokens.js";
import { defineTool } from "../../src/activities/tools/define-tool.js";
import { TurnBudget } from "../../src/activities/turn-budget.js";
import { Agent, type AgentSpec } from "../../src/core/agent.js";
import type { CallModelInput } from "../../src/core/conversation/activity-contract.js";
import { ProviderFailure } from "../../src/core/errors/provider-failure.js";
import type { ModelProvider } from "../../src/providers/provider.js";
import { activityStage, activityWorld, callInput, replyOf } from "../support/activity-world.js";
import { freshConversation, ONE_CALL, running } from "../support/conversation-samples.js";

const SPENT = { tokens: 0, provider_calls: 0, tool_rounds: 0, cost: 0 };
const NEVER_MORE = { spent: SPENT, rounds: 0 };
const add = defineTool({ name: "add", description: "Adds.", execute: () => 5 });
const asksForTools: ModelProvider["call"] = async () =>
  replyOf({
    messages: [{ role: "assistant", content: [{ type: "tool_use", id: "c1", name: "add", input: {} }] }],
  });

interface Scene {
  readonly agent?: Partial<AgentSpec>;
  readonly input?: Partial<CallModelInput>;
  readonly call?: ModelProvider["call"];
  readonly dependencies?: Partial<ActivityDependencies>;
  readonly attempt?: number;
  readonly heartbeatDetails?: unknown;
}

async function play({ agent = {}, input, call, dependencies, ...stageOptions }: Scene) {
  const state = running(freshConversation({ agent }), "t");
  const world = activityWorld(call, dependencies);
  const stage = activityStage({ state: () => state, ...stageOptions });
  const given = callInput(state, { budget: NEVER_MORE, ...input });
  await stage.environment.run(() => callModel(world.dependencies, given)).catch(() => undefined);
  const [report] = stage.reports;
  const failure = report?.content instanceof ApplicationFailure ? report.content : undefined;
  return { ...world, report, failure, end: world.frames.at(-1) };
}

describe("the budget of a call", () => {
  it("BUD-6 counts what a dead worker has called, by its last heartbeat", async () => {
    const { failure, requests, end } = await play({
      agent: { budget: { turn: { provider_calls: 2 } } },
      attempt: 3,
      heartbeatDetails: { attempt: 2, calls: 2, failures: 0 },
    });
    expect(failure).toMatchObject({
      type: "budget.provider_calls",
      nonRetryable: true,
      details: [{ attempt: 3, provider_calls: 2 }],
    });
    expect(requests).toEqual([]);
    expect(end).toMatchObject({ type: "end", state: "interrupted" });
  });

  it("BUD-6 counts the turn's earlier calls and the conversation's, and leaves a final failure as it is", async () => {
    const before = {
      lost_attempts: 0,
      from: 0,
      provider_calls: 3,
      tool_calls: 1,
      asked_calls: 1,
      usage: ONE_CALL,
    };
    const budget = { spent: { ...SPENT, provider_calls: 6 }, rounds: 1 };
    const input = { before, budget, round: 1, results: [] };
    const agent = { budget: { conversation: { provider_calls: 10 } } };
    const overloaded = new ProviderFailure("overloaded", "The provider is overloaded.");
    const failing = (error: Error) => async () => Promise.reject(error);
    const passing = await play({ agent, input, call: failing(overloaded) });
    expect(passing.failure).toMatchObject({
      type: "budget.provider_calls",
      message: expect.stringContaining("10 used, 1 more needed. Raise the agent's budget.conversation"),
      details: [{ provider_calls: 1 }],
    });
    expect(passing.failure?.message).toContain("The last call failed: The provider is overloaded.");
    const refused = new ProviderFailure("bad_request", "No.");
    const final = await play({ agent, input, call: failing(refused) });
    expect(final.failure).toMatchObject({ type: "provider.bad_request" });
  });

  it("BUD-7 plans no tool that may not run, and tells the readers that the turn has ended", async () => {
    const { report, end } = await play({
      agent: { tools: [{ name: "add" }], budget: { turn: { tool_rounds: 2 } } },
      input: { budget: { spent: SPENT, rounds: 2 } },
      call: asksForTools,
      dependencies: { tools: new Map([["add", add]]) },
    });
    expect(report).toMatchObject({
      kind: "complete",
      content: { over_budget: { error_type: "budget.tool_rounds" }, tool_calls: [{ name: "add" }] },
    });
    expect(end).toMatchObject({ type: "end", state: "interrupted" });
  });

  it("BUD-16 is that of the agent deployed under the same name, and the error says so", async () => {
    const deployed = new Agent({
      name: "reviewer",
      model: "claude-haiku-4-5",
      budget: { turn: { tokens: 2 } },
    });
    const { failure } = await play({
      agent: { name: "reviewer", budget: { turn: { tokens: 1_000 } } },
      dependencies: { agents: new Map([["reviewer", deployed]]) },
    });
    expect(failure).toMatchObject({
      type: "budget.tokens",
      message: expect.stringMatching(/budget of 2 tokens .* budget\.turn\.tokens where it is deployed\.$/),
    });
  });

  it("BUD-12 the price is worked out with the answer, and the end frame shows the turn's whole cost", async () => {
    const { report, end } = await play({
      dependencies: { prices: { "claude-*": { input: 100_000, output: 0 } } },
    });
    expect(report).toMatchObject({ content: { cost: 1 } });
    expect(end).toMatchObject({ result: { cost: 1 } });
    const unpriced = await play({});
    expect(unpriced.report?.content).not.toHaveProperty("cost");
  });
});

describe("what a request holds at the least", () => {
  it("BUD-3 is four bytes of text a token, without what is opaque", () => {
    const signature = "Aa0+/".repeat(40);
    const text = "Grüße an alle, die dies lesen. ";
    expect(estimateTokens([])).toBe(0);
    expect(estimateTokens({ role: "user", content: [{ type: "text", text }] })).toBe(
      Math.floor((4 + 4 + 33) / 4),
    );
    expect(estimateTokens([{ signature }, { data: `$media:${"0".repeat(64)}.pdf` }, 12, null, true])).toBe(0);
  });

  it("BUD-3 is what the turn's last call was counted at and what is new, but for a window of tokens", () => {
    const { spec } = new Agent({ model: "claude-haiku-4-5" });
    const input = callInput(freshConversation(), { budget: { ...NEVER_MORE, carried: 900 } });
    const least = (agent: AgentSpec, given: CallModelInput): number =>
      new TurnBudget(given, agent).leastTokens(
        () => 400,
        () => 30,
      );
    expect(least(spec, input)).toBe(930);
    expect(least({ ...spec, send_window: { turns: 2 } }, input)).toBe(930);
    expect(least({ ...spec, send_window: { input_tokens: 500 } }, input)).toBe(400);
    expect(least(spec, callInput(freshConversation()))).toBe(400);
  });
});
