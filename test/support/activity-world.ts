/** What activities work with, made for tests: a scripted provider, recorded frames, a server that takes reports by token. */
import type { Client } from "@temporalio/client";
import { ActivityCancellationDetails } from "@temporalio/common";
import { MockActivityEnvironment } from "@temporalio/testing";
import { DefaultLogger, type LogEntry } from "@temporalio/worker";
import { type ActivityDependencies, DEFAULT_BOUNDS } from "../../src/activities/dependencies.js";
import { TranscriptCache } from "../../src/activities/transcript-cache.js";
import type { CallModelInput } from "../../src/core/conversation/activity-contract.js";
import type { Frame } from "../../src/core/conversation/frame.js";
import type { ConversationState } from "../../src/core/conversation/state.js";
import type { ProviderName } from "../../src/core/providers.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import type { ModelProvider, ModelReply, ModelRequest } from "../../src/providers/provider.js";
import { providerSettings } from "../../src/providers/settings.js";
import { freshConversation, ONE_CALL } from "./conversation-samples.js";
import { queryHandle } from "./query-handle.js";

/** A whole reply of one assistant message. */
export function replyOf(change: Partial<ModelReply> = {}): ModelReply {
  return {
    messages: [{ role: "assistant", content: [{ type: "text", text: "Clause 4 says so." }] }],
    usage: ONE_CALL,
    raw_usage: { input_tokens: 10, output_tokens: 5 },
    finish_reason: { unified: "stop", raw: "end_turn" },
    model: "claude-haiku-4-5-20261001",
    ...change,
  };
}

export interface ActivityWorld {
  readonly dependencies: ActivityDependencies;
  /** What the provider was asked, in order. */
  readonly requests: readonly ModelRequest[];
  readonly frames: readonly Frame[];
}

/** `call` answers in the place of every provider; by default with a whole reply, its text streamed first. */
export function activityWorld(
  call: ModelProvider["call"] = async (_request, { onText }) => {
    onText("Clause 4 says so.");
    return replyOf();
  },
  change: Partial<ActivityDependencies> = {},
): ActivityWorld {
  const requests: ModelRequest[] = [];
  const frames: Frame[] = [];
  const provider: ModelProvider = {
    call: (request, hooks) => {
      requests.push(request);
      return call(request, hooks);
    },
  };
  return {
    requests,
    frames,
    dependencies: {
      providers: { get: async (_name: ProviderName) => provider },
      providerSettings: providerSettings({ ANTHROPIC_API_KEY: "sk-ant-test" }),
      mediaStore: new MemoryMediaStore(),
      closedFolder: undefined,
      frames: { push: (_conversation, frame) => void frames.push(frame), flush: async () => undefined },
      transcripts: new TranscriptCache(),
      agents: new Map(),
      tools: new Map(),
      bounds: DEFAULT_BOUNDS,
      convert: true,
      ...change,
    },
  };
}

/** The input with which a workflow in this state asks for a call. */
export function callInput(
  { head, running }: ConversationState,
  change: Partial<CallModelInput> = {},
): CallModelInput {
  return {
    conversation_id: head.conversation_id,
    run_id: "run",
    turn_id: running?.turn_id ?? "turn",
    root: head.root,
    user: { text: running?.message ?? "What does clause 4 say?" },
    agent: head.agent_digest,
    ...(head.agent.name === undefined ? {} : { prefix: head.prefix.fingerprint }),
    ...change,
  };
}

export interface Report {
  readonly kind: "complete" | "fail" | "cancel";
  readonly content: unknown;
}

export interface ActivityStage {
  readonly environment: MockActivityEnvironment;
  /** What was told to the server by token. */
  readonly reports: readonly Report[];
  /** Queries that were asked of the conversation. */
  readonly asked: readonly string[];
  readonly beats: readonly unknown[];
  /** A user's stop reaches the activity. */
  cancel(): void;
  /** The worker drains. */
  drain(): void;
}

/** An activity's context whose client reads the given conversation and takes reports, or refuses them. */
export function activityStage(
  options: {
    readonly state?: () => ConversationState | Promise<ConversationState>;
    readonly attempt?: number;
    readonly heartbeatDetails?: unknown;
    readonly isLocal?: boolean;
    readonly report?: (report: Report) => Promise<void>;
    /** What the server says to a beat by token. */
    readonly beat?: () => Promise<void>;
    /** Hears what the activity logs, from INFO on. */
    readonly log?: (entry: LogEntry) => void;
  } = {},
): ActivityStage {
  const { state = () => freshConversation(), attempt = 1, report = async () => undefined } = options;
  const reports: Report[] = [];
  const { handle, asked } = queryHandle(state);
  const beats: unknown[] = [];
  const take = (kind: Report["kind"]) => async (_token: unknown, content: unknown) => {
    reports.push({ kind, content });
    await report({ kind, content });
  };
  const client = {
    workflow: { getHandle: () => handle },
    withAbortSignal: (_signal: AbortSignal, call: () => Promise<unknown>) => call(),
    withDeadline: (_deadline: number, call: () => Promise<unknown>) => call(),
    activity: {
      complete: take("complete"),
      fail: take("fail"),
      reportCancellation: take("cancel"),
      heartbeat: async (_token: unknown, details: unknown) => {
        beats.push(details);
        await options.beat?.();
      },
    },
  } as unknown as Client;
  const info = { attempt, heartbeatDetails: options.heartbeatDetails, isLocal: options.isLocal ?? false };
  const environment = new MockActivityEnvironment(info, { client, logger: loggerFor(options.log) });
  environment.on("heartbeat", (details: unknown) => beats.push(details));
  return {
    environment,
    reports,
    asked,
    beats,
    cancel: () => environment.cancel("CANCELLED", new ActivityCancellationDetails({ cancelRequested: true })),
    drain: () =>
      environment.cancel("WORKER_SHUTDOWN", new ActivityCancellationDetails({ workerShutdown: true })),
  };
}

function loggerFor(log: ((entry: LogEntry) => void) | undefined): DefaultLogger {
  return log === undefined ? new DefaultLogger("ERROR") : new DefaultLogger("INFO", log);
}
