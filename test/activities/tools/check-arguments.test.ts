import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { checkArguments } from "../../../src/activities/tools/check-arguments.js";
import { defineTool } from "../../../src/activities/tools/define-tool.js";
import { ASKING_MS } from "../../../src/activities/tools/plan-calls.js";
import { activityStage, activityWorld } from "../../support/activity-world.js";

const execute = () => "done";
const never = {
  "~standard": { version: 1, vendor: "own", validate: () => new Promise<never>(() => undefined) },
};
const broken = {
  "~standard": {
    version: 1,
    vendor: "own",
    validate: () => {
      throw new Error("The schema is broken.");
    },
  },
};
const pay = defineTool({ name: "pay", input: z.object({ amount: z.number().positive() }), execute });
const tools = [
  pay,
  ...[never, broken].map((input, index) =>
    defineTool({ name: `odd${index}`, input: input as never, inputSchema: {}, execute }),
  ),
  defineTool({ name: "wide", input: z.object({ list: z.array(z.number()) }), execute }),
];

function check(name: string, given: object) {
  const world = activityWorld(undefined, { tools: new Map(tools.map((tool) => [tool.name, tool])) });
  const input = { name, arguments: given as never };
  return activityStage().environment.run(() => checkArguments(world.dependencies, input));
}

describe("arguments that an approver gives", () => {
  it("TOL-130 are checked by the tool's own schema, each fault a line, as many as are read", async () => {
    expect(await check("pay", { amount: 5 })).toEqual({ issues: [] });
    const { issues } = (await check("pay", { amount: -5 })) as { issues: readonly string[] };
    expect(issues).toEqual([expect.stringMatching(/^amount: .*>0/)]);
    const many = { list: Array.from({ length: 1_000 }, () => "x".repeat(500)) };
    expect(await check("wide", many)).toMatchObject({ issues: { length: 20 } });
  });

  it("TOL-133 are left to the tool's own call where this worker cannot tell: no such tool, a schema that fails or never answers", async () => {
    vi.useFakeTimers();
    try {
      for (const name of ["nobody_has_it", "odd1"]) expect(await check(name, {})).toEqual({ issues: [] });
      const unanswered = check("odd0", {});
      await vi.advanceTimersByTimeAsync(ASKING_MS);
      expect(await unanswered).toEqual({ issues: [] });
    } finally {
      vi.useRealTimers();
    }
  });
});
