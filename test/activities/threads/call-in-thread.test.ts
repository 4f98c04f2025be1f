import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { callModel } from "../../../src/activities/call-model.js";
import type { ActivityDependencies } from "../../../src/activities/dependencies.js";
import { callProvider, type ModelCall } from "../../../src/activities/model-call.js";
import type { WorkThreads } from "../../../src/activities/threads/work-threads.js";
import { TurnFrames } from "../../../src/activities/turn-frames.js";
import type { AgentSpec } from "../../../src/core/agent.js";
import { EMPTY_ROOT, extendRoot } from "../../../src/core/hash.js";
import { MemoryMediaStore } from "../../../src/media-stores/memory-media-store.js";
import { createProviders } from "../../../src/providers/providers.js";
import { type ProviderSettings, providerSettings } from "../../../src/providers/settings.js";
import { type Simulator, startSimulator } from "../../../src/simulator/simulator.js";
import { FAILURE_CASES } from "../../providers/failure-cases.js";
import { activityStage, activityWorld, callInput } from "../../support/activity-world.js";
import { freshConversation, running } from "../../support/conversation-samples.js";
import { sourceThreads } from "../../support/source-threads.js";

const MIB = 1024 * 1024;
const HISTORY = 8 * MIB;
const MODELS = [
  "claude-haiku-4-5",
  "gpt-6-luna",
  "gemini-3.5-flash",
  "accounts/fireworks/models/kimi-k3",
] as const;

let simulator: Simulator;
let settings: ProviderSettings;
let threads: WorkThreads;
beforeAll(async () => {
  simulator = await startSimulator({ contextTokens: 100_000_000 });
  settings = providerSettings({ HOLDFAST_SIMULATOR_URL: simulator.url });
  threads = sourceThreads({ providers: settings, threads: 1 });
});
beforeEach(() => simulator.reset());
afterAll(async () => {
  await threads.close();
  await simulator.close();
});

/** A conversation whose one earlier question is above 1 MiB. */
const LONG = [
  { role: "user", content: `Read this: ${"x".repeat(HISTORY)}` },
  { role: "assistant", content: "Done." },
];

interface Scene {
  readonly agent?: Partial<AgentSpec>;
  readonly messages?: ModelCall["transcript"]["messages"];
  readonly dependencies?: Partial<ActivityDependencies>;
  readonly input?: Partial<ModelCall["input"]>;
  readonly signal?: AbortSignal;
}

/** The call, and all that somebody learns of it. */
function play(
  { agent = {}, messages = LONG, dependencies, input, signal }: Scene = {},
  where: Pick<ActivityDependencies, "threads"> = { threads },
) {
  const world = activityWorld(undefined, {
    providers: createProviders(settings),
    providerSettings: settings,
    ...where,
    ...dependencies,
  });
  const state = freshConversation({ agent });
  let calls = 0;
  const call: ModelCall = {
    input: callInput(state, { root: extendRoot(EMPTY_ROOT, messages), ...input }),
    transcript: { agent: state.head.agent, system: null, served: [], messages },
    frames: new TurnFrames(world.dependencies.frames, { conversation: "review", turn: "t", attempt: 1 }),
    attempt: 1,
    signal: signal ?? new AbortController().signal,
    onCall: () => ++calls,
  };
  const answered = callProvider(world.dependencies, call);
  const outcome = answered.catch((error: unknown) => error);
  return { answered, outcome, frames: world.frames, calls: () => calls };
}

/** The same call on the main loop. */
const here = (scene: Scene = {}) => play(scene, {});

/** What an activity reads of an error. */
function shapeOf(error: unknown): object {
  if (!(error instanceof Error)) return { thrown: error };
  const { name, message, cause, ...rest } = error as Error & Record<string, unknown>;
  return { name, message, cause, ...rest, stack: undefined };
}

describe("a call above 1 MiB", () => {
  it.each(MODELS)(
    "ACT-61 is made in a thread, with the reply, the frames and the request of the main loop: %s",
    async (model) => {
      const messages = model.startsWith("gemini")
        ? [
            { role: "user", parts: [{ text: "x".repeat(HISTORY) }] },
            { role: "model", parts: [{ text: "Done." }] },
          ]
        : LONG;
      const scene = { agent: { model }, messages };
      const script = { reply: { text: "It is about payment.", reasoning: "Let me see." } };
      simulator.script(script, script);
      const before = threads.tasks;
      const inside = play(scene);
      const answered = await inside.answered;
      expect(threads.tasks).toBe(before + 1);
      const outside = here(scene);
      expect(answered).toEqual(await outside.answered);
      expect(inside.frames).toEqual(outside.frames);
      expect(inside.frames.map(({ type }) => type)).toContain("text");
      expect([inside.calls(), outside.calls()]).toEqual([1, 1]);
      const [first, second] = simulator.calls;
      expect(first).toMatchObject({ status: 200, issues: [] });
      expect(first?.body).toEqual(second?.body);
    },
  );

  it("ACT-62 is not what a small call is: that stays on the main loop", async () => {
    const before = threads.tasks;
    await play({ messages: [] }).answered;
    await play({
      messages: [
        { role: "user", content: "y".repeat(HISTORY / 2) },
        { role: "assistant", content: "Yes." },
      ],
    }).answered;
    expect(threads.tasks).toBe(before);
    expect(simulator.calls).toHaveLength(2);
  });

  it("WFL-262 is weighed by what its send window lets through, and gives a thread no more than that", async () => {
    const turn = (text: string) => [
      { role: "user", content: text },
      { role: "assistant", content: "Yes." },
    ];
    const messages = [...LONG, ...turn("second"), ...turn("z".repeat(HISTORY)), ...turn("last")];
    const windows = [{ turns: 2 }, { turns: 3 }];
    const before = threads.tasks;
    for (const send_window of windows) {
      const scene = { agent: { send_window }, messages };
      expect(await play(scene).answered).toEqual(await here(scene).answered);
    }
    // The long turn is the last but one of the history, and the question is a turn as well.
    expect(threads.tasks).toBe(before + 1);
    const [small, smallHere, large, largeHere] = simulator.calls.map(({ body }) => body);
    expect(small).toMatchObject({ messages: { length: 3 } });
    expect(small).toEqual(smallHere);
    expect(large).toMatchObject({ messages: { length: 5 } });
    expect(large).toEqual(largeHere);
  });

  it("WFL-262 says as much of the turns and messages that it left out as the whole history would tell", async () => {
    const messages = [...LONG, ...LONG, ...LONG];
    const scene = { agent: { send_window: { turns: 2 } }, messages };
    const { result } = await play(scene).answered;
    expect(result).toMatchObject({ turns_left_out: 2, root: { count: messages.length + 2 } });
  });

  it("ACT-80 stays on the main loop where the host has set a dispatcher of its own, a proxy say", async () => {
    new Headers();
    const place = Symbol.for("undici.globalDispatcher.1");
    const nodes = Reflect.get(globalThis, place);
    class Proxied {
      dispatched = 0;
      dispatch(...options: unknown[]): boolean {
        this.dispatched += 1;
        return nodes.dispatch(...options);
      }
    }
    const proxied = new Proxied();
    const before = threads.tasks;
    try {
      Reflect.set(globalThis, place, proxied);
      await play().answered;
    } finally {
      Reflect.set(globalThis, place, nodes);
    }
    expect([proxied.dispatched, threads.tasks]).toEqual([1, before]);
    await play().answered;
    expect([proxied.dispatched, threads.tasks]).toEqual([1, before + 1]);
  });

  it("ACT-63 counts the bytes of its attachments, new ones and earlier ones, and reads them through the worker's own store", async () => {
    const mediaStore = new MemoryMediaStore();
    const bytes = Buffer.concat([Buffer.from("%PDF-1.7\n"), randomBytes(2 * MIB), Buffer.from("\n%%EOF\n")]);
    const key = `${createHash("sha256").update(bytes).digest("hex")}.pdf`;
    await mediaStore.put(key, bytes);
    const file = {
      marker: `$media:${key}`,
      mime_type: "application/pdf",
      size_bytes: bytes.length,
      name: "c.pdf",
    };
    const before = threads.tasks;
    const scene = {
      messages: [],
      dependencies: { mediaStore },
      input: { user: { text: "Read it.", files: [file] } },
    };
    const { result } = await play(scene).answered;
    const later = await play({ dependencies: { mediaStore }, messages: result.messages }).answered;
    expect(threads.tasks).toBe(before + 2);
    expect(JSON.stringify(result)).not.toContain(bytes.toString("base64").slice(0, 100));
    expect(later.result.root.count).toBe(result.messages.length + 2);
    for (const { body } of simulator.calls) {
      expect(JSON.stringify(body).includes(bytes.toString("base64"))).toBe(true);
    }
    expect((await mediaStore.get(key))?.byteLength).toBe(bytes.byteLength);
  });

  it("ACT-64 fails as on the main loop where a blob is missing, the store fails, or a key is not set", async () => {
    const file = {
      marker: `$media:${"a".repeat(64)}.pdf`,
      mime_type: "application/pdf",
      size_bytes: 9,
      name: "c.pdf",
    };
    const input = { user: { text: "Read it.", files: [file] } };
    const missing = [play({ input }), here({ input })].map(({ outcome }) => outcome.then(shapeOf));
    const [inside, outside] = await Promise.all(missing);
    expect(inside).toMatchObject({ type: "media.missing_blob", nonRetryable: true });
    expect(inside).toEqual(outside);
    const broken = new Error("out of reach");
    const mediaStore = { put: async () => undefined, get: () => Promise.reject(broken) };
    expect(await play({ input, dependencies: { mediaStore } }).outcome).toBe(broken);
    const keyless = sourceThreads({ providers: providerSettings({}), keyRemedy: "in the test" });
    const unset = await play({ dependencies: { threads: keyless } }).outcome;
    await keyless.close();
    expect(unset).toMatchObject({ code: "MissingKeyError", holdfast: true });
    expect((unset as Error).message).toMatch(/ANTHROPIC_API_KEY in the test/);
    expect(simulator.calls).toHaveLength(0);
  });

  it.each(FAILURE_CASES)("ACT-65 fails as on the main loop: %s", async (_name, fault, expected) => {
    simulator.script({ fault, reply: { text: "Clause 4 is about payment, and nothing else." }, times: null });
    const before = threads.tasks;
    const [inside, outside] = [play(), here()];
    const failure = await inside.outcome;
    expect(threads.tasks).toBe(before + 1);
    expect(failure).toMatchObject(expected);
    const [a, b] = [shapeOf(failure), shapeOf(await outside.outcome)].map((shape) =>
      JSON.parse(JSON.stringify(shape).replace(/request [\w-]+/g, "request")),
    );
    expect(a).toEqual(b);
    expect(inside.frames).toEqual(outside.frames);
    expect(inside.calls()).toBe(1);
  });

  it("ACT-65 gives up as on the main loop beyond its bound", async () => {
    simulator.script({ fault: { kind: "hang" } });
    const bounds = { ...activityWorld().dependencies.bounds, callMs: 50 };
    const failure = await play({ dependencies: { bounds } }).outcome;
    expect(failure).toMatchObject({ name: "ProviderFailure", kind: "timeout", retryable: true });
    expect((failure as Error).message).toContain("within 0.05 seconds");
  });

  it("ACT-66 ends at once with a stop's reason, and its socket is closed in the middle of the answer", async () => {
    // For every call: one that the test before gave up may only now reach the simulator.
    simulator.script({ reply: { text: "word ".repeat(4_000) }, pace: { chunkDelayMs: 20 }, times: null });
    const stop = new AbortController();
    const { outcome, frames } = play({ signal: stop.signal });
    const call = await simulator.waitForCall(
      ({ chunksSent, clientClosed }) => chunksSent > 2 && !clientClosed,
    );
    stop.abort("stopped by a user");
    expect(await outcome).toBe("stopped by a user");
    const told = frames.length;
    await simulator.waitForCall(({ id, clientClosed }) => id === call.id && clientClosed);
    expect(call.finished).toBe(false);
    expect(frames).toHaveLength(told);
    const { length: made } = simulator.calls;
    expect(await play({ signal: AbortSignal.abort("too late") }).outcome).toBe("too late");
    expect(simulator.calls).toHaveLength(made);
  });

  it("ACT-67 whose thread dies may be tried again, and the next attempt completes the turn", async () => {
    simulator.script(
      { reply: { text: "word ".repeat(400) }, pace: { chunkDelayMs: 20 } },
      { reply: { text: "Whole." } },
    );
    const state = running(freshConversation({ agent: { instructions: "z".repeat(2 * MIB) } }), "t");
    const world = activityWorld(undefined, {
      providers: createProviders(settings),
      providerSettings: settings,
      threads,
    });
    const attempt = async (stage: ReturnType<typeof activityStage>): Promise<unknown> =>
      stage.environment
        .run(() => callModel(world.dependencies, callInput(state)))
        .catch((error: unknown) => error);
    const first = activityStage({ state: () => state });
    const failing = attempt(first);
    await simulator.waitForCall(({ chunksSent }) => chunksSent > 2);
    await threads.terminate();
    expect(await failing).toMatchObject({ type: "worker.error", nonRetryable: false });
    expect(world.frames.at(-1)).toMatchObject({ type: "retry", error_type: "worker.error" });
    const second = activityStage({ state: () => state, attempt: 2, heartbeatDetails: first.beats.at(-1) });
    await attempt(second);
    expect(second.reports).toMatchObject([{ kind: "complete", content: { provider_calls: 2, attempt: 2 } }]);
    expect(world.frames.at(-1)).toMatchObject({
      type: "end",
      state: "committed",
      result: { output: "Whole." },
    });
  });
});
