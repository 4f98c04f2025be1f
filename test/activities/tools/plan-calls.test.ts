import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool } from "../../../src/activities/tools/define-tool.js";
import { planCalls, withDefinitions } from "../../../src/activities/tools/plan-calls.js";
import { Agent } from "../../../src/core/agent.js";
import { workerTools } from "../../../src/worker/create-worker.js";

const execute = () => "found";
const look = defineTool({ name: "look", description: "Looks.", execute, timeout: 5_000 });
const fast = defineTool({ name: "fast", execute, idempotent: true, local: true });
const tools = new Map([look, fast].map((tool) => [tool.name, tool]));
const { spec } = new Agent({ model: "claude-haiku-4-5", tools: ["look", "fast"] });

const quiet = { warn: () => undefined };

describe("the tools of a turn", () => {
  it("TOL-40 get the worker's definition where no more than the name is known", () => {
    expect(withDefinitions(tools, spec).tools).toEqual([
      { name: "look", description: "Looks.", input_schema: look.input_schema },
      { name: "fast", input_schema: fast.input_schema },
    ]);
    const whole = { ...spec, tools: [{ name: "look", input_schema: { type: "object" } }] };
    expect(withDefinitions(tools, whole)).toBe(whole);
    const described = { ...spec, tools: [{ name: "look", description: "Mine." }] };
    expect(withDefinitions(tools, described).tools[0]?.description).toBe("Mine.");
  });

  it("TOL-11 are planned with their bounds, and without where the agent or the worker does not have them", async () => {
    const calls = ["look", "fast", "other"].map((name) => ({ id: name, name, arguments: {} }));
    expect(await planCalls(tools, spec, calls, quiet)).toEqual([
      { ...calls[0], timeout_ms: 5_000 },
      { ...calls[1], timeout_ms: 2_000, local: true },
      calls[2],
    ]);
    expect(await planCalls(tools, { ...spec, tools: [] }, calls, quiet)).toEqual(calls);
  });

  it("TOL-50 are asked for where the tool says so, or its function does of the arguments, or fails", async () => {
    const needsApproval = ({ amount }: { readonly amount: number }) => {
      if (amount === 0) throw new Error("Nothing.");
      return amount > 10;
    };
    const input = z.object({ amount: z.number() });
    const pay = defineTool({ name: "pay", input, execute, needsApproval });
    const drop = defineTool({ name: "drop", execute, needsApproval: true });
    const asking = new Map([pay, drop].map((tool) => [tool.name, tool]));
    const agent = { ...spec, tools: [{ name: "pay" }, { name: "drop" }] };
    const calls = [5, 50, 0, "much"].map((amount) => ({ id: "a", name: "pay", arguments: { amount } }));
    const planned = await planCalls(
      asking,
      agent,
      [...calls, { id: "b", name: "drop", arguments: {} }],
      quiet,
    );
    expect(planned.map(({ approval = false }) => approval)).toEqual([false, true, true, false, true]);
  });

  it("TOL-50 are asked for where nobody says in time whether they need it, and the worker's log names the tool", async () => {
    const needsApproval = () => new Promise<boolean>(() => undefined);
    const pay = defineTool({ name: "pay", execute, needsApproval });
    const said: string[] = [];
    const asking = { withinMs: 20, warn: (text: string) => void said.push(text) };
    const agent = { ...spec, tools: [{ name: "pay" }] };
    const call = { id: "a", name: "pay", arguments: {} };
    const planned = await planCalls(new Map([["pay", pay]]), agent, [call], asking);
    expect(planned).toMatchObject([{ approval: true }]);
    expect(said).toEqual([expect.stringMatching(/^A call of pay waits for approval.*within 0\.02 seconds$/)]);
  });

  it("ACT-370 are not asked about a call that is one too many for its answer", async () => {
    let asked = 0;
    const pay = defineTool({ name: "pay", execute, needsApproval: () => ++asked > 0 });
    const agent = { ...spec, tools: [{ name: "pay" }] };
    const calls = Array.from({ length: 129 }, () => ({ id: "a", name: "pay", arguments: {} }));
    const planned = await planCalls(new Map([["pay", pay]]), agent, calls, quiet);
    expect(planned.filter(({ approval }) => approval)).toHaveLength(128);
    expect(planned.at(-1)).toEqual({ ...calls[0], refused: expect.stringContaining("not run") });
    expect(asked).toBe(128);
  });

  it("TOL-44 cannot answer a call for a screenshot", async () => {
    const call = { id: "a", name: "computer", arguments: {}, answer: "computer_call_output" };
    await expect(planCalls(tools, spec, [call], quiet)).rejects.toMatchObject({
      type: "turn.unsupported_call",
      nonRetryable: true,
    });
  });
});

describe("a worker's tools", () => {
  it("TOL-42 are those of its option and of its agents", () => {
    const agent = new Agent({ name: "a", model: "claude-haiku-4-5", tools: [look, "elsewhere"] });
    expect([...workerTools({ agents: [agent], tools: [fast, look] }).keys()]).toEqual(["fast", "look"]);
    expect(agent.spec.tools).toEqual([
      { name: "look", description: "Looks.", input_schema: look.input_schema },
      { name: "elsewhere" },
    ]);
  });

  it("TOL-42 refuse another tool of the same name, and what is no tool", () => {
    const other = defineTool({ name: "look", execute });
    expect(() => workerTools({ tools: [look, other] })).toThrow("Two tools are named look");
    expect(() => workerTools({ tools: [{ name: "look" } as never] })).toThrow("tools[0] is no tool");
  });
});
