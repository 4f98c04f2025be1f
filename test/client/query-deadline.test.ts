import type { Client } from "@temporalio/client";
import { describe, expect, it } from "vitest";
import { queryDeadline } from "../../src/client/query-deadline.js";

describe("a query", () => {
  it("API-173 is given ten seconds, and its answer is handed on", async () => {
    const deadlines: number[] = [];
    const connection = {
      withDeadline: <T>(deadline: number, call: () => Promise<T>) => {
        deadlines.push(deadline - Date.now());
        return call();
      },
    } as unknown as Client["connection"];
    const { query } = queryDeadline(connection);
    const input = { queryType: "status", args: [], headers: {}, workflowExecution: { workflowId: "c" } };
    expect(await query?.(input, () => Promise.resolve("answered"))).toBe("answered");
    expect(deadlines).toHaveLength(1);
    expect(Math.abs((deadlines[0] ?? 0) - 10_000)).toBeLessThan(1_000);
  });
});
