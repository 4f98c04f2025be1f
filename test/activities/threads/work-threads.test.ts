import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { CallTask } from "../../../src/activities/perform-call.js";
import type { WorkThreads } from "../../../src/activities/threads/work-threads.js";
import { MemoryMediaStore } from "../../../src/media-stores/memory-media-store.js";
import { providerSettings } from "../../../src/providers/settings.js";
import { startSimulator } from "../../../src/simulator/simulator.js";
import { callInput } from "../../support/activity-world.js";
import { freshConversation } from "../../support/conversation-samples.js";
import { sourceThreads } from "../../support/source-threads.js";

const open: WorkThreads[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((threads) => threads.close()));
});

function task(): CallTask {
  const state = freshConversation();
  const { agent } = state.head;
  return {
    agent,
    system: null,
    served: [],
    input: callInput(state),
    attempt: 1,
    simulated: true,
    callMs: 60_000,
  };
}

async function scene(options: { readonly threads?: number; readonly idleMs?: number }) {
  const simulator = await startSimulator();
  const providers = providerSettings({ HOLDFAST_SIMULATOR_URL: simulator.url });
  const threads = sourceThreads({ providers, ...options });
  open.push(threads);
  const call = (): Promise<unknown> =>
    threads
      .run("callModel", task(), [], { mediaStore: new MemoryMediaStore() })
      .catch((error: unknown) => error);
  return { simulator, threads, call, [Symbol.asyncDispose]: () => simulator.close() };
}

describe("the threads of a worker", () => {
  it("ACT-72 start when they are needed, two at most, and share what comes", async () => {
    await using world = await scene({});
    const { simulator, threads, call } = world;
    simulator.script({ reply: { text: "word ".repeat(30) }, pace: { chunkDelayMs: 20 }, times: null });
    expect(await threads.count()).toBe(0);
    const calls = [call(), call(), call(), call(), call()];
    await simulator.waitForCall(({ id, chunksSent }) => id === 5 && chunksSent > 0, { timeoutMs: 25_000 });
    expect(await threads.count()).toBe(2);
    expect((await Promise.all(calls)).map((result) => (result as { attempt: number }).attempt)).toEqual([
      1, 1, 1, 1, 1,
    ]);
  });

  it("ACT-73 end when they have had nothing to do for a while, and start again", async () => {
    await using world = await scene({ idleMs: 20 });
    await world.call();
    await expect.poll(() => world.threads.count()).toBe(0);
    expect(await world.call()).toMatchObject({ attempt: 1 });
  });

  it("ACT-74 end with the worker; what still runs in them fails", async () => {
    await using world = await scene({ threads: 1 });
    const { simulator, threads, call } = world;
    simulator.script({ fault: { kind: "hang" } });
    const hanging = call();
    await simulator.waitForCall(() => true, { timeoutMs: 25_000 });
    await threads.close();
    expect(await threads.count()).toBe(0);
    expect((await hanging) as Error).toMatchObject({
      message: expect.stringMatching(/^A thread of this worker ended in the middle of its work \(/),
    });
  });

  it("ACT-75 keep no process from ending", async () => {
    const support = join(import.meta.dirname, "../../support");
    const child = spawn(
      process.execPath,
      ["--import", join(support, "typescript-hooks.mjs"), join(support, "threads-process.ts")],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
    });
    const [exitCode] = await once(child, "exit");
    expect([out, exitCode]).toEqual(["2\n", 0]);
  });
});
