import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { CompleteAsyncError } from "@temporalio/activity";
import { ActivityNotFoundError } from "@temporalio/client";
import { ApplicationFailure, CancelledFailure } from "@temporalio/common";
import type { LogEntry } from "@temporalio/worker";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { callModel, retryDelay } from "../../src/activities/call-model.js";
import type { ActivityDependencies } from "../../src/activities/dependencies.js";
import { DEFAULT_BOUNDS } from "../../src/activities/dependencies.js";
import { CallJournal } from "../../src/activities/journal/call-journal.js";
import { readRecord } from "../../src/activities/journal/journal-record.js";
import type { Progress } from "../../src/activities/progress.js";
import type { CallModelResult } from "../../src/core/conversation/activity-contract.js";
import type { ConversationState } from "../../src/core/conversation/state.js";
import { commitTurn } from "../../src/core/conversation/turn.js";
import { anthropic } from "../../src/core/dialects/anthropic/index.js";
import { ProviderFailure } from "../../src/core/errors/provider-failure.js";
import { extendRoot } from "../../src/core/hash.js";
import { jsonByteLength } from "../../src/core/json-byte-length.js";
import type { MediaStore } from "../../src/core/media/media-store.js";
import type { ModelProvider, ModelReply, ProviderFiles } from "../../src/providers/provider.js";
import {
  type ActivityStage,
  activityStage,
  activityWorld,
  callInput,
  replyOf,
} from "../support/activity-world.js";
import { answerTo, committed, freshConversation, running } from "../support/conversation-samples.js";
import { SAMPLE_TIME } from "../support/envelope-samples.js";
import { PLAIN, recorder } from "../support/journal-samples.js";

interface Scene {
  readonly call?: ModelProvider["call"];
  readonly stage?: ActivityStage;
  readonly dependencies?: Partial<ActivityDependencies>;
  readonly input?: Partial<ReturnType<typeof callInput>>;
}

const state = running(committed(freshConversation(), "a"), "b");

async function play({
  call,
  stage = activityStage({ state: () => state }),
  dependencies,
  input,
}: Scene = {}) {
  const world = activityWorld(call, dependencies);
  const thrown: unknown = await stage.environment
    .run(() => callModel(world.dependencies, callInput(state, input)))
    .catch((error: unknown) => error);
  return { ...world, stage, thrown, end: world.frames.at(-1) };
}

const failing = (failure: unknown, text = "") =>
  (async (_request, { onText }) => {
    onText(text);
    throw failure;
  }) satisfies ModelProvider["call"];

const hanging: ModelProvider["call"] = (_request, { signal, onText }) =>
  new Promise((_resolve, reject) => {
    onText("Clause");
    signal.addEventListener("abort", () => reject(signal.reason));
  });

describe("a turn's activity that succeeds", () => {
  it("ACT-32 reads the history by query, completes by token and then tells the readers", async () => {
    const { stage, thrown, requests, end } = await play();
    expect(thrown).toBeInstanceOf(CompleteAsyncError);
    expect(requests[0]?.messages).toHaveLength(3);
    expect(stage.reports.map(({ kind }) => kind)).toEqual(["complete"]);
    expect(end).toMatchObject({
      type: "end",
      turn: "b",
      state: "committed",
      result: { output: "Clause 4 says so.", messages: { from: 2, to: 4 }, attempt: 1, provider_calls: 1 },
    });
  });

  it("ACT-33 reads nothing a second time: history and agent are known by their digests", async () => {
    const world = activityWorld();
    const first = activityStage({ state: () => state });
    await play({ stage: first, dependencies: world.dependencies });
    expect(first.asked).toEqual(["transcript", "transcript", "turn"]);
    const next = running(committed(state, "never"), "c");
    const report = first.reports[0]?.content as { readonly root: ReturnType<typeof callInput>["root"] };
    const second = activityStage({ state: () => next });
    await play({ stage: second, dependencies: world.dependencies, input: { root: report.root } });
    expect(second.asked).toEqual([]);
  });

  it("ACT-310 looks at a history once: the next turn finds known what lies before its window", async () => {
    const windowed = (from: ConversationState): ConversationState => ({
      ...from,
      head: { ...from.head, agent: { ...from.head.agent, send_window: { turns: 2 } } },
    });
    let past = freshConversation();
    for (let n = 0; n < 30; n++) past = committed(past, `turn-${n}`);
    const first = windowed(running(past, "b"));
    const looks = vi.spyOn(anthropic, "startsTurn");
    const world = activityWorld();
    const turnOf = async (of: ConversationState): Promise<CallModelResult> => {
      const stage = activityStage({ state: () => of });
      const input = callInput(of);
      await stage.environment.run(() => callModel(world.dependencies, input)).catch(() => undefined);
      return stage.reports[0]?.content as CallModelResult;
    };
    const result = await turnOf(first);
    expect(looks.mock.calls.length).toBeGreaterThanOrEqual(60);
    looks.mockClear();
    const next = windowed(running(commitTurn(first, result, SAMPLE_TIME), "c"));
    expect(await turnOf(next)).toMatchObject({ turns_left_out: 30, root: { count: 64 } });
    expect(looks.mock.calls.length).toBeGreaterThan(0);
    expect(looks.mock.calls.length).toBeLessThan(20);
    looks.mockRestore();
  });

  it("ACT-34 leaves a result above 64 KiB out of the end frame", async () => {
    const text = "x".repeat(70_000);
    const messages = [{ role: "assistant", content: text }];
    const { end, stage } = await play({ call: async () => replyOf({ messages }) });
    expect(stage.reports).toHaveLength(1);
    expect(end).toMatchObject({ type: "end", state: "committed" });
    expect(end).not.toHaveProperty("result");
  });

  it("ACT-321 says nothing of its end where the process stood still meanwhile, for it may not have heard of a stop", async () => {
    const call: ModelProvider["call"] = async () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 900);
      return replyOf();
    };
    const { stage, frames } = await play({ call });
    expect(stage.reports.map(({ kind }) => kind)).toEqual(["complete"]);
    expect(frames.map(({ type }) => type)).not.toContain("end");
  });

  it("ACT-35 sends no end frame where the checkpoint will", async () => {
    const { frames, stage } = await play({ input: { quiet: true } });
    expect(stage.reports.map(({ kind }) => kind)).toEqual(["complete"]);
    expect(frames.map(({ type }) => type)).toEqual(["attempt", "text"]);
  });

  it("ACT-36 beats before anything else, and says in each beat what has been called and has failed", async () => {
    const stage = activityStage({
      state: () => state,
      attempt: 3,
      heartbeatDetails: { attempt: 2, calls: 4, failures: 1 },
    });
    await play({ stage });
    expect(stage.beats[0]).toEqual({ attempt: 3, calls: 4, failures: 1 });
    expect(stage.beats.at(-1)).toEqual({ attempt: 3, calls: 5, failures: 1 });
    expect(stage.reports[0]?.content).toMatchObject({ attempt: 3, provider_calls: 5 });
  });

  it("ACT-320 calls nobody, and tells nobody, where the server has gone on without an attempt that a worker finds late", async () => {
    const beat = () => Promise.reject(new ActivityNotFoundError("Not found"));
    const stage = activityStage({ state: () => state, attempt: 2, beat });
    let calls = 0;
    const call: ModelProvider["call"] = async () => {
      calls++;
      return replyOf();
    };
    const { thrown, frames } = await play({ stage, call });
    expect(thrown).toBeInstanceOf(CompleteAsyncError);
    expect([calls, stage.reports, frames]).toEqual([0, [], []]);
  });

  it.each([
    ["a failure that was told", 2, { attempt: 1, calls: 1, failures: 1 }],
    ["a worker that was lost", 2, { attempt: 1, calls: 1, failures: 0 }],
    ["nothing, on a worker that does not know the conversation", 1, undefined],
  ])(
    "WFL-360 calls nobody for a turn that is being stopped behind %s",
    async (_, attempt, heartbeatDetails) => {
      const told = state.running;
      if (told === null) throw new TypeError("No turn runs.");
      const cancelled = { reason: "Enough." };
      const stopping = { ...state, running: { ...told, cancelled } } as ConversationState;
      const stage = activityStage({ state: () => stopping, attempt, heartbeatDetails });
      const stop = setTimeout(() => stage.cancel(), 100);
      const { requests } = await play({ stage });
      clearTimeout(stop);
      expect(requests).toEqual([]);
      expect(stage.reports.map(({ kind }) => kind)).toEqual(["cancel"]);
    },
  );

  it("ACT-320 hears as well of what is said while the history is read", async () => {
    let hasGoneOn = false;
    const stage: ActivityStage = activityStage({
      state: async () => {
        if (stage.asked.at(-1) === "transcript") {
          await delay(50);
          hasGoneOn = true;
        }
        return state;
      },
      attempt: 2,
      beat: async () => {
        if (hasGoneOn) throw new ActivityNotFoundError("Not found");
      },
    });
    const { thrown, requests } = await play({ stage });
    expect(thrown).toBeInstanceOf(CompleteAsyncError);
    expect(requests).toEqual([]);
  });

  it("ACT-37 refuses for good to work on a conversation that has moved on", async () => {
    const moved = activityStage({ state: () => committed(freshConversation(), "x", { text: "Other" }) });
    const { requests, stage } = await play({ stage: moved });
    expect(requests).toEqual([]);
    expect(stage.reports).toMatchObject([
      { kind: "fail", content: { type: "worker.stale", nonRetryable: true } },
    ]);
  });
});

describe("a turn's activity with a journal", () => {
  let root = "";
  let journal: CallJournal | undefined;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "holdfast-journal-"));
    const { logger } = recorder();
    journal = await CallJournal.open({ folder: root, place: "here", converter: PLAIN, logger });
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const withJournal = () => (journal === undefined ? {} : { journal });
  const entries = async () =>
    Promise.all(
      (await readdir(root)).map(async (name) => readRecord(await readFile(join(root, name), "utf8"))),
    );

  it("JRN-12 writes the call before it goes out and the reply before it is delivered, and then nothing is left", async () => {
    const seen: unknown[] = [];
    const look = async (): Promise<void> => void seen.push(...(await entries()));
    const stage = activityStage({ state: () => state, report: look });
    const call: ModelProvider["call"] = async () => {
      await look();
      return replyOf();
    };
    await play({ stage, call, dependencies: withJournal() });
    expect(seen).toMatchObject([
      { turn_id: "b", progress: { attempt: 1, calls: 1, failures: 0 } },
      { reply: { digest: expect.any(String) } },
    ]);
    expect(seen[0]).not.toHaveProperty("reply");
    await vi.waitFor(async () => expect(await entries()).toEqual([]));
  });

  it("JRN-12 leaves nothing of a call that has failed", async () => {
    for (const failure of [
      new ProviderFailure("overloaded", "Busy."),
      new ProviderFailure("bad_request", "No."),
    ]) {
      await play({ call: failing(failure), dependencies: withJournal() });
      await vi.waitFor(async () => expect(await entries()).toEqual([]));
    }
  });

  it("ACT-13 tells the server of a call that the journal holds only where it is not answered at once", async () => {
    const calls = (stage: ActivityStage) => stage.beats.filter((beat) => (beat as Progress).calls === 1);
    const prompt = await play({ dependencies: withJournal() });
    await delay(100);
    expect(calls(prompt.stage)).toEqual([]);
    const slow = async (): Promise<ModelReply> => delay(100, replyOf());
    const { stage } = await play({ call: slow, dependencies: withJournal() });
    expect(calls(stage)).toHaveLength(1);
    expect(calls((await play()).stage)).toHaveLength(1);
  });

  it("JRN-15 leaves the reply there when the server cannot be told, and calls nobody again", async () => {
    const report = () => Promise.reject(new Error("UNAVAILABLE"));
    const stage = activityStage({ state: () => state, report });
    const { thrown, end } = await play({ stage, dependencies: withJournal() });
    expect(thrown).toBeInstanceOf(CompleteAsyncError);
    expect(stage.reports.map(({ kind }) => kind)).toEqual(["complete", "complete", "complete"]);
    expect(await entries()).toMatchObject([{ owner: null, reply: {} }]);
    expect(end?.type).not.toBe("end");
  });

  it("JRN-5 tells nobody of a reply whose turn has ended without it", async () => {
    const report = () => Promise.reject(new ActivityNotFoundError("Not found"));
    const stage = activityStage({ state: () => state, report });
    const { thrown, end } = await play({ stage, dependencies: withJournal() });
    expect(thrown).toBeInstanceOf(CompleteAsyncError);
    expect(stage.reports.map(({ kind }) => kind)).toEqual(["complete", "complete"]);
    expect(await entries()).toEqual([]);
    expect(end?.type).not.toBe("end");
  });
});

describe("what a turn's activity tells beside its end", () => {
  it("ACT-140 logs the failure that ends a turn in one line", async () => {
    const lines: LogEntry[] = [];
    const stage = activityStage({ state: () => state, log: (line) => lines.push(line) });
    await play({ stage, call: failing(new ProviderFailure("permission", "Not\nyours.")) });
    expect(lines.filter(({ level }) => level === "WARN").map(({ message }) => message)).toEqual([
      "Turn b was interrupted (provider.permission): Not yours.",
    ]);
  });

  it("ACT-141 says in its beats how the answer began, once it has", async () => {
    const stage = activityStage({ state: () => state });
    const call: ModelProvider["call"] = async (_request, { onText }) => {
      onText("Clause 4");
      await delay(400);
      return replyOf();
    };
    await play({ stage, call });
    expect(stage.beats[0]).not.toHaveProperty("partial_text");
    expect(stage.beats.at(-1)).toMatchObject({ calls: 1, partial_text: "Clause 4" });
  });
});

describe("a turn's activity that fails", () => {
  it("ACT-38 throws what may be tried again, with the wait, the count of failures and what had been said", async () => {
    const failure = new ProviderFailure("overloaded", "Busy.");
    const { stage, thrown, frames } = await play({ call: failing(failure, "Clau") });
    expect(thrown).toBeInstanceOf(ApplicationFailure);
    expect(thrown).toMatchObject({
      type: "provider.overloaded",
      nonRetryable: false,
      nextRetryDelay: 1_000,
      details: [{ attempt: 1, provider_calls: 1, partial_text: "Clau" }],
    });
    expect(stage.reports).toEqual([]);
    expect(stage.beats.at(-1)).toEqual({ attempt: 1, calls: 1, failures: 1 });
    expect(frames.at(-1)).toMatchObject({
      type: "retry",
      error_type: "provider.overloaded",
      delay_ms: 1_000,
    });
  });

  it("ACT-39 ends the turn by token after the sixth failure, whichever workers met the others", async () => {
    const stage = activityStage({
      state: () => state,
      attempt: 6,
      heartbeatDetails: { attempt: 5, calls: 5, failures: 5 },
    });
    const call = failing(new ProviderFailure("network", "No answer."));
    const { thrown, end } = await play({ stage, call });
    expect(thrown).toBeInstanceOf(CompleteAsyncError);
    expect(stage.reports).toMatchObject([
      {
        kind: "fail",
        content: {
          type: "provider.network",
          nonRetryable: true,
          details: [{ attempt: 6, provider_calls: 6 }],
        },
      },
    ]);
    expect(end).toMatchObject({ type: "end", state: "interrupted", digest: null });
  });

  it("ACT-40 ends the turn at once on a failure that will not pass", async () => {
    for (const kind of ["authentication", "bad_request", "context_too_long", "content_refused"] as const) {
      const { stage } = await play({ call: failing(new ProviderFailure(kind, "No.")) });
      expect(stage.reports).toMatchObject([
        { kind: "fail", content: { type: `provider.${kind}`, nonRetryable: true } },
      ]);
    }
  });

  it("ACT-41 tries the worker's own troubles again like the provider's, with the same waits", async () => {
    const stage = activityStage({
      state: () => state,
      attempt: 3,
      heartbeatDetails: { attempt: 2, calls: 0, failures: 2 },
    });
    const { thrown } = await play({ stage, call: failing(new TypeError("fetch failed")) });
    expect(thrown).toMatchObject({ type: "worker.error", nonRetryable: false, nextRetryDelay: 4_000 });
  });

  it("ACT-42 keeps an error of megabytes within 2 KiB and its details within 4 KiB", async () => {
    const call = failing(
      new ProviderFailure("server_error", '"'.repeat(3_000_000)),
      "語\u0000".repeat(2_000),
    );
    const { thrown } = await play({ call });
    const failure = thrown as ApplicationFailure;
    expect(Buffer.byteLength(failure.message)).toBeLessThanOrEqual(2 * 1024);
    expect(jsonByteLength(failure.details)).toBeLessThanOrEqual(4 * 1024);
  });

  it("ACT-43 throws the failure where the server does not take it by token", async () => {
    const stage = activityStage({
      state: () => state,
      report: () => Promise.reject(new Error("UNAVAILABLE")),
    });
    const { thrown, end } = await play({ stage, call: failing(new ProviderFailure("bad_request", "No.")) });
    expect(thrown).toMatchObject({ type: "provider.bad_request", nonRetryable: true });
    expect(end?.type).not.toBe("end");
  });

  it("ACT-44 reports a user's stop as cancelled, with what had been said, and then tells the readers", async () => {
    const stage = activityStage({ state: () => state });
    const call: ModelProvider["call"] = (request, hooks) => {
      setImmediate(stage.cancel);
      return hanging(request, hooks);
    };
    const { thrown, end } = await play({ stage, call });
    expect(thrown).toBeInstanceOf(CompleteAsyncError);
    expect(stage.reports).toMatchObject([
      { kind: "cancel", content: { attempt: 1, provider_calls: 1, partial_text: "Clause" } },
    ]);
    expect(end).toMatchObject({ type: "end", state: "interrupted" });
  });

  it("ACT-45 takes the drain of its worker for no interruption: nothing is reported, another worker goes on", async () => {
    const stage = activityStage({ state: () => state });
    const call: ModelProvider["call"] = (request, hooks) => {
      setImmediate(stage.drain);
      return hanging(request, hooks);
    };
    const { thrown, end } = await play({ stage, call });
    expect(thrown).toBeInstanceOf(CancelledFailure);
    expect(stage.reports).toEqual([]);
    expect(end?.type).toBe("text");
  });
});

describe("the wait between two attempts", () => {
  it("ACT-46 takes 1, 2, 4, 8, 16 s, and 16 s from then on", () => {
    const waits = [1, 2, 3, 4, 5, 6, 60].map((failures) => retryDelay(DEFAULT_BOUNDS, failures, undefined));
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 16_000, 16_000]);
  });

  it("ACT-47 is the one that the provider asked for, up to 120 s", () => {
    const waits = [0, 1, 500, 30_000, 120_000, 3_600_000];
    expect(waits.map((asked) => retryDelay(DEFAULT_BOUNDS, 3, asked))).toEqual([
      1, 1, 500, 30_000, 120_000, 120_000,
    ]);
  });
});

describe("a turn's activity whose provider keeps files", () => {
  const sha256 = "a".repeat(64);
  const marker = `$media:${sha256}.wav`;
  const uri = (name: string): string => `https://generativelanguage.googleapis.com/v1beta/files/${name}`;
  const answer = { messages: [{ role: "model", parts: [{ text: "!" }] }], model: "gemini-3.5-flash" };
  const told = {
    messages: [
      { role: "user", parts: [{ inlineData: { mimeType: "audio/wav", data: marker } }, { text: "?" }] },
      ...answer.messages,
    ],
    media: {
      [sha256]: {
        mime_type: "audio/wav",
        size_bytes: 3,
        ref: `${sha256}.wav`,
        uri: uri("old"),
        expiration_time: SAMPLE_TIME,
      },
    },
  };
  const conversation = (): ConversationState => {
    const started = running(freshConversation({ agent: { model: "gemini-3.5-flash" } }), "a");
    const root = extendRoot(started.head.root, told.messages);
    return running(commitTurn(started, answerTo(started, { ...told, root }), SAMPLE_TIME), "b");
  };

  function scene(hasBlob: boolean) {
    const files: ProviderFiles = {
      upload: async () => ({ uri: uri("new"), expiration_time: "2100-01-01T00:00:00.000Z" }),
      isUsable: async () => true,
    };
    const world = activityWorld(async () => replyOf(answer));
    const mediaStore: MediaStore = {
      get: async () => (hasBlob ? new Uint8Array(3) : undefined),
      put: async () => undefined,
    };
    const get: ActivityDependencies["providers"]["get"] = async (name) => ({
      ...(await world.dependencies.providers.get(name)),
      files,
    });
    return { world, dependencies: { ...world.dependencies, mediaStore, providers: { get } } };
  }

  it("ACT-114 asks for the media table once, and knows it after the turn", async () => {
    const { dependencies, world } = scene(true);
    const state = conversation();
    const stage = activityStage({ state: () => state });
    await stage.environment.run(() => callModel(dependencies, callInput(state))).catch(() => undefined);
    expect(stage.asked).toEqual(["transcript", "transcript", "turn", "transcript"]);
    expect(world.requests[0]?.messages[0]).toMatchObject({
      parts: [{ fileData: { fileUri: uri("new") } }, {}],
    });
    const result = stage.reports[0]?.content as CallModelResult;
    expect(result.media_report).toMatchObject([{ reason: "expired_reuploaded", uri: uri("old") }]);
    const next = running(commitTurn(state, result, SAMPLE_TIME), "c");
    const later = activityStage({ state: () => next });
    await later.environment.run(() => callModel(dependencies, callInput(next))).catch(() => undefined);
    expect(later.asked).toEqual([]);
    expect(world.requests[1]?.messages[0]).toEqual(world.requests[0]?.messages[0]);
    expect(later.reports[0]?.content).not.toHaveProperty("media_report");
  });

  it.each([
    [true, "INFO", "expired_reuploaded"],
    [false, "WARN", "expired_unavailable"],
  ])("ACT-115 logs what became of a file (its bytes are there: %s) at %s", async (hasBlob, level, reason) => {
    const { dependencies } = scene(hasBlob);
    const state = conversation();
    const lines: LogEntry[] = [];
    const stage = activityStage({ state: () => state, log: (line) => lines.push(line) });
    await stage.environment.run(() => callModel(dependencies, callInput(state))).catch(() => undefined);
    expect(lines).toMatchObject([{ level, message: expect.stringContaining(`${reason}: `) }]);
  });
});
