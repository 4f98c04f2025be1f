import { setTimeout as delay } from "node:timers/promises";
import type { WorkflowHandle } from "@temporalio/client";
import { msToTs } from "@temporalio/common/lib/time.js";
import { afterEach, describe, expect, it, vi } from "vitest";
import { recordedTranscript } from "../../src/activities/recorded-transcript.js";
import type { Conversation } from "../../src/client/conversation.js";
import { leaveStickyQueue } from "../../src/connection/leave-sticky-queue.js";
import { valuesOf } from "../../src/connection/payload-values.js";
import { Agent } from "../../src/core/agent.js";
import type { CallModelInput } from "../../src/core/conversation/activity-contract.js";
import { TurnInterruptedError } from "../../src/core/errors/errors.js";
import * as m from "../../src/workflows/messages.js";
import { fileStack } from "../support/file-stack.js";
import { ANSWER, startLongTurn } from "../support/long-turn.js";
import { eventsOf } from "../support/temporal-view.js";

/** Nothing here takes so long but on a machine that has too much to do. */
vi.setConfig({ testTimeout: 90_000 });

const { stack, conversations } = await fileStack({ workers: 0, tools: true });
const AGENT = new Agent({ model: "claude-haiku-4-5", instructions: "Be brief.", tools: ["add"] });
const ADDING = { name: "add", arguments: { a: 1, b: 2 } };
let session: Conversation;

afterEach(async () => {
  await Promise.all(stack.workers.map((worker) => worker.kill()));
});

/** What the conversation's last model call was given. */
async function lastInput(): Promise<CallModelInput> {
  const scheduled = (await eventsOf(conversations, session.id)).findLast(
    (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === "callModel",
  );
  const { payloads } = scheduled?.activityTaskScheduledEventAttributes?.input ?? {};
  const [input] = await valuesOf(conversations.temporal, payloads);
  return input as CallModelInput;
}

/** The transcript of the call that runs, from the events and as the conversation itself tells it. */
async function transcripts() {
  const input = await lastInput();
  const recorded = await recordedTranscript(conversations.temporal, input);
  const { root: _, ...context } = await told({ agent: true });
  const { root, entries } = await told({ from: 0 });
  expect(root).toEqual(input.root);
  return { recorded, told: { messages: entries, context: context.entries[0] } };
}

/** One page is enough here. */
async function told(request: m.TranscriptRequest) {
  const handle = conversations.temporal.workflow.getHandle(session.id);
  const { root, entries } = await handle.query(m.transcript, request);
  return { root, entries: entries.map((entry) => ("value" in entry ? entry.value : entry.text)) };
}

describe("a transcript from the event history alone", () => {
  it("WFL-350 is what the conversation tells: after tools, turns that failed, a rebind, in the middle of a round", async () => {
    await stack.startWorker();
    session = await conversations.start(AGENT);
    await session.run("A first turn.");
    stack.simulator.script(
      { reply: { text: "One moment.", toolCalls: [ADDING] } },
      { fault: { kind: "status", status: 400, message: "Simulated." } },
      { reply: { text: "One moment.", toolCalls: [ADDING] } },
      { reply: { text: "Three." } },
    );
    await expect(session.run("Fails after its tool.")).rejects.toThrow(TurnInterruptedError);
    await session.run("Add them.");
    await session.rebind("claude-opus-4-5");
    await session.run("Under another model.");
    stack.simulator.script(
      { reply: { text: "One moment.", toolCalls: [ADDING] } },
      { reply: { text: ANSWER }, pace: { minimumReplyMs: 3_000 } },
    );
    const { length: before } = stack.simulator.calls;
    const turn = await session.submit("Add them again.");
    await expect.poll(() => stack.simulator.calls.length).toBe(before + 2);
    const { recorded, told } = await transcripts();
    expect(told.messages).toHaveLength(10);
    expect(recorded).toMatchObject(told);
    expect(recorded?.bytes).toBeGreaterThanOrEqual(JSON.stringify(told.messages).length);
    await turn.result();
  });

  it("WFL-350 begins with what the run was handed, a history under another provider included", async () => {
    await stack.startWorker();
    const source = await conversations.start(AGENT);
    await source.run("Under the first provider.");
    session = await conversations.fromJson(await source.toJson(), {
      agent: new Agent({ model: "gpt-5-mini" }),
      id: `${source.id} under another`,
    });
    await session.run("Under the second.");
    stack.simulator.reset();
    await startLongTurn(stack, session, 3_000);
    const { recorded, told } = await transcripts();
    expect(told.messages.length).toBeGreaterThan(3);
    expect(recorded).toMatchObject(told);
    expect(await recordedTranscript(conversations.temporal, { ...(await lastInput()), agent: "other" })).toBe(
      undefined,
    );
    await session.turn("t1").result();
  });

  it("WFL-351 is not to be had where the history was converted within the run", async () => {
    await stack.startWorker();
    session = await conversations.start(AGENT);
    await session.run("Hello.");
    const input = await lastInput();
    const root = { count: 2, digest: "of a converted history" };
    expect(await recordedTranscript(conversations.temporal, { ...input, root })).toBe(undefined);
  });
});

describe("a worker that is killed with a workflow task in hand", () => {
  const { temporal, settings } = conversations;
  const { workflowService } = temporal;
  const TASK_MS = 60_000;
  let taskToken: Uint8Array;

  /** Of this one a task is waited for as long as that. */
  function startConversation(): Promise<Conversation> {
    const start = workflowService.startWorkflowExecution.bind(workflowService);
    const spy = vi.spyOn(workflowService, "startWorkflowExecution");
    spy.mockImplementation((request: Parameters<typeof start>[0]) =>
      start({ ...request, workflowTaskTimeout: msToTs(TASK_MS) }),
    );
    return conversations.start(AGENT).finally(() => spy.mockRestore());
  }

  /** The middle of a turn whose worker is dead; a message came, and its workflow task lies with somebody who does not answer. */
  async function taskInDeadHands(tell: (handle: WorkflowHandle) => Promise<void>): Promise<void> {
    const first = await stack.startWorker();
    session = await startConversation();
    await session.run("Hello.");
    stack.simulator.reset();
    await startLongTurn(stack, session, 2_000);
    await first.kill();
    await leaveStickyQueue(temporal, session.id);
    await tell(temporal.workflow.getHandle(session.id));
    const { namespace, taskQueue } = settings;
    const request = { namespace, taskQueue: { name: taskQueue }, identity: "dead" };
    const task = await temporal.withDeadline(Date.now() + 60_000, () =>
      workflowService.pollWorkflowTaskQueue(request),
    );
    expect(task.workflowExecution?.workflowId).toBe(session.id);
    taskToken = task.taskToken;
    await stack.startWorker();
  }

  /** The task is given to the next one. */
  async function release(): Promise<void> {
    await workflowService.respondWorkflowTaskFailed({ namespace: settings.namespace, taskToken });
  }

  async function isHeld(): Promise<boolean> {
    const events = await eventsOf(conversations, session.id);
    return events.at(-1)?.workflowTaskStartedEventAttributes?.identity === "dead";
  }

  async function attempt(): Promise<number | null | undefined> {
    const { raw } = await temporal.workflow.getHandle(session.id).describe();
    return raw.pendingActivities?.[0]?.attempt;
  }

  /** Of the turn: a worker may find others that the test before has left. */
  const paidCalls = (): number =>
    stack.simulator.calls.filter(({ body }) => JSON.stringify(body).includes('"slow"')).length;

  it("WFL-352 does not keep the call from being made again: its history is read from the events", async () => {
    await taskInDeadHands((handle) => handle.signal(m.submitTurnSignal, { message: "Now?", turn_id: "t2" }));
    await expect.poll(paidCalls, { interval: 10 }).toBe(2);
    expect(await isHeld()).toBe(true);
    expect(stack.simulator.calls[1]?.body).toMatchObject({
      messages: [{ role: "user" }, { role: "assistant" }, { role: "user", content: [{ text: "slow" }] }],
    });
    await release();
    expect(await session.turn("t1").result()).toMatchObject({ output: ANSWER, attempt: 2, providerCalls: 2 });
    expect(await session.turn("t2").result()).toMatchObject({ attempt: 1 });
  });

  const interrupting = { message: "No.", turn_id: "t2", on_busy: "interrupt" } as const;
  it.each<[string, (handle: WorkflowHandle) => Promise<void>]>([
    ["a stop", (handle) => handle.signal(m.cancelTurn, { turn_id: "t1" })],
    ["a message that interrupts", (handle) => handle.signal(m.submitTurnSignal, interrupting)],
    ["Temporal's own cancel", async (handle) => void (await handle.cancel())],
  ])("WFL-353 and with %s among what came, is not paid once more", async (_what, tell) => {
    await taskInDeadHands(tell);
    await expect.poll(attempt).toBe(2);
    await delay(2_000);
    expect(await isHeld()).toBe(true);
    expect(paidCalls()).toBe(1);
    await release();
    await expect(session.turn("t1").result()).rejects.toThrow(TurnInterruptedError);
    expect(paidCalls()).toBe(1);
  });
});
