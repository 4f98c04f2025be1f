import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleWorkflowCode, DefaultLogger, type NativeConnection, type Worker } from "@temporalio/worker";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { InProcessHub } from "../../src/connection/frame-buffer.js";
import { HoldfastPlugin, type HoldfastPluginOptions } from "../../src/worker/holdfast-plugin.js";

const workflowsPath = join(import.meta.dirname, "../support/their-workflows.ts");
const logger = new DefaultLogger("ERROR");
const taskQueue = "theirs";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-plugin-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const pluginOf = (options: HoldfastPluginOptions = {}): HoldfastPlugin =>
  new HoldfastPlugin({ cwd: folder, env: {}, ...options });

describe("what the plugin gives a worker", () => {
  it("WRK-4 is the built bundle, the activities, the data converter and short times, theirs kept", async () => {
    const own = async (): Promise<void> => undefined;
    const options = await pluginOf().configureWorker({
      taskQueue,
      activities: { own },
      maxHeartbeatThrottleInterval: "1 second",
      dataConverter: { payloadCodecs: [] },
    });
    expect(options).toMatchObject({
      taskQueue,
      activities: { own, callModel: expect.any(Function) },
      workflowBundle: { codePath: expect.stringMatching(/workflow-bundle\.js$/) },
      dataConverter: {
        payloadCodecs: [],
        payloadConverterPath: expect.stringMatching(/payload-converter\.cjs$/),
        externalStorage: { drivers: [{ name: "holdfast-payloads" }] },
      },
      maxHeartbeatThrottleInterval: "1 second",
      stickyQueueScheduleToStartTimeout: "2 seconds",
    });
    const beside = await pluginOf().configureWorker({ taskQueue, workflowsPath });
    expect([beside.workflowsPath, beside.workflowBundle]).toEqual([workflowsPath, undefined]);
  });

  it("WRK-360 leaves the number of calls that begin with their workflow task to the worker", async () => {
    const theirs = { taskQueue, maxEagerActivityReservationsPerWorkflowTask: 7 };
    const of = "maxEagerActivityReservationsPerWorkflowTask";
    expect(await pluginOf().configureWorker({ taskQueue })).not.toHaveProperty(of);
    expect(await pluginOf().configureWorker(theirs)).toHaveProperty(of, 7);
  });

  it("API-174 is the asking again of late queries, after interceptors of theirs", async () => {
    const theirs = {};
    const { interceptors } = await pluginOf({ env: { HOLDFAST_JOURNAL: "none" } }).configureWorker({
      taskQueue,
      connection: {} as NativeConnection,
      interceptors: { client: { workflow: [theirs] }, activity: [] },
    });
    expect(interceptors).toEqual({
      client: { workflow: [theirs, { query: expect.any(Function) }] },
      activity: [expect.any(Function)],
    });
  });

  it("WRK-5 is refused where an activity has the name of one of conversations, or there is another payload converter", async () => {
    const callModel = async (): Promise<void> => undefined;
    await expect(pluginOf().configureWorker({ taskQueue, activities: { callModel } })).rejects.toThrow(
      /^This worker has an activity of its own named callModel, .+: rename it, or run/,
    );
    const dataConverter = { payloadConverterPath: join(folder, "converter.cjs") };
    const taken =
      /^A worker has one payload converter, .+converter\.cjs.+: run conversations by createWorker/;
    await expect(pluginOf().configureWorker({ taskQueue, dataConverter })).rejects.toThrow(taken);
    expect(() => pluginOf().configureClient({ dataConverter })).toThrow(taken);
  });

  it("WRK-5 is refused for an option that it does not have, and a payload store that cannot be used", async () => {
    const mistyped = { agent: [] } as unknown as HoldfastPluginOptions;
    expect(() => pluginOf(mistyped)).toThrow(/^HoldfastPlugin has no option "agent": did you mean agents/);
    const elsewhere = { address: "127.0.0.1:7233" } as unknown as HoldfastPluginOptions;
    expect(() => pluginOf(elsewhere)).toThrow(/^HoldfastPlugin has no option "address"/);
    await writeFile(join(folder, "file"), "no folder");
    await expect(
      pluginOf({ payloadStore: join(folder, "file") }).configureWorker({ taskQueue }),
    ).rejects.toThrow(/^The payload store .+ cannot be used/);
  });

  it("WRK-3 is closed when the worker has drained, also where that fails; a sink that was given is only flushed", async () => {
    const done: string[] = [];
    class Sink extends InProcessHub {
      override async flush(): Promise<void> {
        done.push("flushed");
      }
      async close(): Promise<void> {
        done.push("closed");
      }
    }
    const plugin = pluginOf({ frames: new Sink() });
    const { activities } = await plugin.configureWorker({ taskQueue });
    const worker = {
      options: { activities: new Map(Object.entries(activities ?? {})) },
      shutdown: () => undefined,
    } as unknown as Worker;
    const running = plugin.runWorker(worker, async () => {
      done.push("ran");
      throw new Error("lost");
    });
    // At once: only a worker that runs can be stopped.
    expect(done).toEqual(["ran"]);
    await expect(running).rejects.toThrow("lost");
    expect(done).toEqual(["ran", "flushed"]);
  });
});

describe("a bundle that is built with the plugin", () => {
  it("WRK-6 has their workflows, the conversation and its interceptors, and no SDK of a provider", async () => {
    const plugin = pluginOf();
    const { code } = await bundleWorkflowCode({ workflowsPath, plugins: [plugin], logger });
    const modules = [...code.matchAll(/^\/\*\*\*\/ "(\.\/[^"]+)"/gm)].map(([, path]) => path ?? "");
    expect(modules).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/their-workflows\.ts$/),
        expect.stringMatching(/dist\/workflows\/index\.js$/),
        expect.stringMatching(/dist\/workflows\/interceptors\.js$/),
        expect.stringMatching(/payload-converter\.cjs$/),
      ]),
    );
    const strangers = modules
      .filter((path) => /node_modules/.test(path))
      .map((path) => path.split("node_modules/").at(-1));
    const known = /^(@temporalio\/(workflow|common)|nexus-rpc|long|ms|@noble\/hashes|canonicalize)\//;
    expect(strangers.filter((path) => !known.test(path ?? ""))).toEqual([]);
    const workflowBundle = { code };
    expect(await plugin.configureWorker({ taskQueue, workflowBundle })).toMatchObject({ workflowBundle });
    expect(await plugin.configureReplayWorker({ workflowBundle })).toMatchObject({ workflowBundle });
  });

  it("WRK-6 is asked for where a bundle has no conversations in it", async () => {
    const configured = pluginOf().configureWorker({
      taskQueue,
      workflowBundle: { code: "exports.none = 1;" },
    });
    await expect(configured).rejects.toThrow(
      /^The workflow bundle of this worker has no conversations in it: build it with bundleWorkflowCode\(\{ plugins: \[plugin\]/,
    );
  });
});
