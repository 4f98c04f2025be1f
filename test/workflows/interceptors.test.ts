import { beforeEach, describe, expect, it, vi } from "vitest";
import { interceptors, takeSignalsApart } from "../../src/workflows/interceptors.js";

let workflowType = "conversation";

vi.mock("@temporalio/workflow", () => ({
  CancellationScope: { nonCancellable: <T>(work: () => Promise<T>) => work() },
  condition: () => Promise.resolve(),
  workflowInfo: () => ({ workflowType }),
}));

type Activate = NonNullable<NonNullable<ReturnType<typeof interceptors>["internals"]>[number]["activate"]>;
type Input = Parameters<Activate>[0];

const result = { resolveActivity: { seq: 1 } };
const update = { doUpdate: { id: "one" } };
const signal = { signalWorkflow: { signalName: "cancel_turn" } };
const cancel = { cancelWorkflow: {} };

let handled: unknown[][];
beforeEach(() => {
  handled = [];
  workflowType = "conversation";
  takeSignalsApart({});
});

async function activate(jobs: readonly unknown[]): Promise<void> {
  const [internals] = interceptors().internals ?? [];
  const input = { activation: { jobs }, batchIndex: 0 } as unknown as Input;
  internals?.activate?.(input, (next) => {
    handled.push([...(next.activation.jobs ?? [])]);
  });
  // As long as the worker drains the workflow's microtasks.
  await new Promise(setImmediate);
}

describe("what a workflow task brings", () => {
  it("WFL-110 of activities is handled to its end before the messages that come with it", async () => {
    await activate([update, signal, cancel, result]);
    expect(handled).toEqual([[result], [update, signal, cancel]]);
  });

  it("WFL-110 is handled in the same order when a query has shown the worker the result before", async () => {
    await activate([result]);
    await activate([update]);
    const inPieces = handled.flat();
    handled = [];
    await activate([update, result]);
    expect(handled.flat()).toEqual(inPieces);
  });

  it("WFL-270 has each signal handled to its end before the next, and all before the updates", async () => {
    takeSignalsApart({ signals_apart: true });
    const other = { signalWorkflow: { signalName: "submit_turn" } };
    await activate([update, signal, other, cancel, result]);
    expect(handled).toEqual([[result], [signal], [other], [cancel], [update]]);
  });

  it("WFL-270 is handled in the same order when a query has shown the worker some of the signals before", async () => {
    takeSignalsApart({ signals_apart: true });
    const other = { signalWorkflow: { signalName: "submit_turn" } };
    await activate([result, signal]);
    await activate([other, update]);
    const inPieces = handled;
    handled = [];
    await activate([result, signal, other, update]);
    expect(handled).toEqual(inPieces);
  });

  it("WFL-110 stays in one piece where it is of one kind, and at the start of a conversation", async () => {
    const start = { initializeWorkflow: {} };
    for (const jobs of [[update, signal], [result], [start, update]]) {
      handled = [];
      await activate(jobs);
      expect(handled).toEqual([jobs]);
    }
  });

  it("WRK-7 keeps its order for workflows that are no conversations", () => {
    workflowType = "reviewContract";
    expect(interceptors()).toEqual({});
  });
});
