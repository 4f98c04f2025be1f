/** Conversations with workers of their own: on Temporal's time-skipping test server, where hours pass in moments, or on its development server. */
import { randomUUID } from "node:crypto";
import { Client, type WorkflowHandle } from "@temporalio/client";
import { TestWorkflowEnvironment } from "@temporalio/testing";
import { DefaultLogger, Runtime, Worker, type WorkerOptions } from "@temporalio/worker";
import { createActivities } from "../../src/activities/create-activities.js";
import { DEFAULT_BOUNDS, type TurnBounds } from "../../src/activities/dependencies.js";
import type { Tool } from "../../src/activities/tools/tool.js";
import { TranscriptCache } from "../../src/activities/transcript-cache.js";
import { builtFile } from "../../src/connection/built-file.js";
import { createDataConverter } from "../../src/connection/data-converter.js";
import { patientQueries } from "../../src/connection/patient-queries.js";
import type { ConversationActivities } from "../../src/core/conversation/activity-contract.js";
import type { Frame } from "../../src/core/conversation/frame.js";
import { type TurnView, WORKFLOW_TYPE } from "../../src/core/conversation/messages.js";
import { freshState } from "../../src/core/conversation/restore.js";
import type { RunLimits } from "../../src/core/conversation/run-limits.js";
import { EMPTY_USAGE } from "../../src/core/envelope/accounting.js";
import { prefixOf } from "../../src/core/envelope/fingerprint.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import type { ModelCallHooks, ModelProvider, ModelReply } from "../../src/providers/provider.js";
import { providerSettings } from "../../src/providers/settings.js";
import { findTemporalBinary, findTestServerBinary } from "../../src/server/find-temporal-binary.js";
import * as m from "../../src/workflows/messages.js";
import { historiesOf } from "./short-runs.js";

/** One for client and workers. */
const dataConverter = createDataConverter(new MemoryMediaStore());
const AGENT = { model: "claude-haiku-4-5", instructions: "Be brief.", tools: [], params: {} };

export type Behaviour = (hooks: ModelCallHooks) => Promise<ModelReply>;

export const answers: Behaviour = () =>
  Promise.resolve({
    messages: [{ role: "assistant", content: [{ type: "text", text: "An answer." }] }],
    usage: EMPTY_USAGE,
    raw_usage: null,
    finish_reason: { unified: "stop", raw: "end_turn" },
    model: "claude-haiku-4-5",
  });

/** Asks for tools, by name. */
export const calls =
  (...names: readonly string[]): Behaviour =>
  () =>
    Promise.resolve({
      messages: [
        {
          role: "assistant",
          content: names.map((name, index) => ({
            type: "tool_use",
            id: `${name}_${index}`,
            name,
            input: {},
          })),
        },
      ],
      usage: EMPTY_USAGE,
      raw_usage: null,
      finish_reason: { unified: "tool_calls", raw: "tool_use" },
      model: "claude-haiku-4-5",
    });

/** Nothing comes until the call is aborted. The server skips no time while a call runs or waits for a worker. */
export const hangs: Behaviour = ({ signal }) =>
  new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason));
  });

export interface ConverseOptions {
  /** What the provider does on its first call, its second, …; the last one again for ever. */
  readonly provider: readonly [Behaviour, ...Behaviour[]];
  readonly bounds?: Partial<TurnBounds>;
  /** When a run continues as new. */
  readonly limits?: Partial<RunLimits>;
  /** False: every activation begins with a replay, and another worker may take the next one at once. */
  readonly cached?: false;
  /** The tools of the worker and of its agent. */
  readonly tools?: readonly Tool[];
  /** Activities in the place of the real ones. */
  readonly activities?: (real: ConversationActivities) => Partial<ConversationActivities>;
}

export interface SkippingConversation {
  readonly handle: WorkflowHandle;
  /** When each call reached the provider, in milliseconds of the server's time after the first one. */
  readonly callTimes: readonly number[];
  readonly frames: readonly Frame[];
  submit(turnId: string): Promise<unknown>;
  turn(turnId: string): Promise<TurnView>;
  /** Each of its runs, under the built workflow. */
  replay(): Promise<void>;
  /** Nobody takes workflow tasks, so that what arrives meanwhile comes in one activation after `resumeWorkflows`. */
  pauseWorkflows(): Promise<void>;
  resumeWorkflows(): Promise<void>;
}

export interface SkippingServer extends AsyncDisposable {
  /** Lets the time pass. */
  sleep(duration: `${number} ${"seconds" | "minutes" | "days"}`): Promise<void>;
  /** A conversation with workers of its own, which stop with the server. */
  converse(options: ConverseOptions): Promise<SkippingConversation>;
}

export async function startSkippingServer(): Promise<SkippingServer> {
  quieten();
  const { path } = await findTestServerBinary();
  const server = { executable: { type: "existing-path", path } } as const;
  return serverOver(await TestWorkflowEnvironment.createTimeSkipping({ server, client: { dataConverter } }));
}

/** As users have it: its time is the machine's. */
export async function startPlainServer(): Promise<SkippingServer> {
  quieten();
  const { path } = await findTemporalBinary();
  const server = { executable: { type: "existing-path", path } } as const;
  return serverOver(await TestWorkflowEnvironment.createLocal({ server, client: { dataConverter } }));
}

function quieten(): void {
  if (Runtime._instance !== undefined) return;
  Runtime.install({
    logger: new DefaultLogger("ERROR"),
    telemetryOptions: { logging: { filter: "OFF", forward: {} } },
  });
}

function serverOver(environment: TestWorkflowEnvironment): SkippingServer {
  const parts = new AsyncDisposableStack();
  parts.defer(() => environment.teardown());
  return {
    sleep: (duration) => environment.sleep(duration),
    converse: (options) => converse(environment, options, parts),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

async function converse(
  environment: TestWorkflowEnvironment,
  options: ConverseOptions,
  parts: AsyncDisposableStack,
): Promise<SkippingConversation> {
  const id = randomUUID();
  const calls: number[] = [];
  const frames: Frame[] = [];
  const provider: ModelProvider = {
    async call(_request, hooks) {
      const behave = options.provider[calls.length] ?? options.provider.at(-1) ?? answers;
      calls.push(await environment.currentTimeMs());
      return behave(hooks);
    },
  };
  const activities = activitiesOf(provider, frames, options);
  const start = (more: Partial<WorkerOptions>): Promise<() => Promise<void>> =>
    startWorker({
      connection: environment.nativeConnection,
      taskQueue: id,
      dataConverter,
      maxHeartbeatThrottleInterval: "500 milliseconds",
      interceptors: { client: { workflow: [patientQueries(environment.nativeConnection)] } },
      ...more,
    });
  const workflows = (): Promise<() => Promise<void>> =>
    start({
      workflowBundle: { codePath: builtFile("workflow-bundle.js") },
      // Its local activities run where the workflow does.
      activities,
      enableNonLocalActivities: false,
      ...(options.cached === false ? { maxCachedWorkflows: 0 } : {}),
    });
  parts.defer(await start({ activities }));
  let stopWorkflows = await workflows();
  parts.defer(() => stopWorkflows());
  const handle = await startConversation(environment, id, options);
  return {
    handle,
    get callTimes() {
      return calls.map((time) => time - (calls[0] ?? 0));
    },
    frames,
    submit: (turnId) =>
      handle.executeUpdate(m.submitTurn, { args: [{ turn_id: turnId, message: `Question of ${turnId}` }] }),
    turn: (turnId) => handle.query(m.turn, { turn_id: turnId }),
    replay: async () => {
      const workflowBundle = { codePath: builtFile("workflow-bundle.js") };
      for (const history of await historiesOf({ temporal: environment.client }, id))
        await Worker.runReplayHistory({ workflowBundle, dataConverter }, history, id);
    },
    pauseWorkflows: () => stopWorkflows(),
    resumeWorkflows: async () => {
      stopWorkflows = await workflows();
    },
  };
}

/** Resolves to its stop, which may be called twice. */
async function startWorker(options: WorkerOptions): Promise<() => Promise<void>> {
  const worker = await Worker.create(options);
  const ended = worker.run();
  return async () => {
    if (worker.getState() === "RUNNING") worker.shutdown();
    await ended;
  };
}

function activitiesOf(
  provider: ModelProvider,
  frames: Frame[],
  { bounds = {}, tools = [], activities }: ConverseOptions,
): object {
  const real = createActivities({
    providers: { get: () => Promise.resolve(provider) },
    providerSettings: providerSettings({}),
    mediaStore: new MemoryMediaStore(),
    closedFolder: undefined,
    frames: { push: (_conversation, frame) => void frames.push(frame), flush: () => Promise.resolve() },
    transcripts: new TranscriptCache(),
    agents: new Map(),
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    convert: true,
    bounds: { ...DEFAULT_BOUNDS, ...bounds },
  });
  return { ...real, ...activities?.(real) };
}

async function startConversation(
  environment: TestWorkflowEnvironment,
  id: string,
  { limits, tools = [] }: Pick<ConverseOptions, "limits" | "tools">,
): Promise<WorkflowHandle> {
  const agent = {
    ...AGENT,
    tools: tools.map(({ name, input_schema }) => ({ name, input_schema })),
  };
  const { head, tail } = freshState({
    conversationId: id,
    now: new Date().toISOString(),
    agent,
    prefix: prefixOf(agent),
    checkpoint: null,
  });
  const args = [{ ...head, ...(limits === undefined ? {} : { limits }) }, tail];
  await environment.client.workflow.start(WORKFLOW_TYPE, {
    workflowId: id,
    taskQueue: id,
    args,
    workflowTaskTimeout: "5 seconds",
  });
  const { connection } = environment;
  const interceptors = { workflow: [patientQueries(connection)] };
  return new Client({ connection, dataConverter, interceptors }).workflow.getHandle(id);
}
