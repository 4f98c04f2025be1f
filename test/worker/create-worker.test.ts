import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NativeConnection } from "@temporalio/worker";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Agent } from "../../src/core/agent.js";
import { ServerUnreachableError, UsageError } from "../../src/core/errors/errors.js";
import type { MediaStore } from "../../src/core/media/media-store.js";
import { DirectoryMediaStore } from "../../src/media-stores/directory-media-store.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import { ConversationWorker } from "../../src/worker/conversation-worker.js";
import { agentsByName, besideSimulator, createWorker } from "../../src/worker/create-worker.js";
import { probePayloadStore } from "../../src/worker/probe-payload-store.js";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-worker-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("a worker that starts", () => {
  it("ACT-56 writes a probe to the payload store and reads it back, the same few bytes each time", async () => {
    const keys: string[] = [];
    const memory = new MemoryMediaStore();
    const store: MediaStore = {
      put: async (key, bytes) => {
        keys.push(key);
        expect(key).toBe(`${createHash("sha256").update(bytes).digest("hex")}.payload`);
        await memory.put(key, bytes);
      },
      get: (key) => memory.get(key),
    };
    await probePayloadStore(store, "/var/payloads");
    await probePayloadStore(store, "/var/payloads");
    expect(new Set(keys).size).toBe(1);
  });

  it("ACT-57 is refused in one line that names HOLDFAST_PAYLOAD_STORE where the store fails, loses or changes what it is given", async () => {
    const put = async (): Promise<void> => undefined;
    await writeFile(join(folder, "file"), "no folder");
    const stores: readonly MediaStore[] = [
      new DirectoryMediaStore(join(folder, "file")),
      { put, get: async () => undefined },
      { put, get: async () => new Uint8Array([1]) },
      { put, get: () => Promise.reject(new Error("out of reach")) },
    ];
    for (const store of stores) {
      const probing = probePayloadStore(store, "/var/payloads");
      await expect(probing).rejects.toThrow(UsageError);
      await expect(probing).rejects.toThrow(
        /^The payload store \/var\/payloads cannot be used \(.+\): set HOLDFAST_PAYLOAD_STORE/,
      );
    }
  });

  it("ACT-58 knows its agents by name, and refuses two of one name", () => {
    const [named, unnamed] = [
      new Agent({ name: "reviewer", model: "gpt-6-luna" }),
      new Agent({ model: "o3" }),
    ];
    expect([...agentsByName([named, unnamed])]).toEqual([["reviewer", named]]);
    const namesake = new Agent({ name: "reviewer", model: "o3" });
    expect(() => agentsByName([named, namesake])).toThrow("Two agents are named reviewer");
  });

  it("ACT-190 simulates beside a `holdfast dev --simulate`, unless its environment says where to call", () => {
    const simulatorUrl = "http://127.0.0.1:1";
    expect(besideSimulator({}, { simulatorUrl })).toEqual({ HOLDFAST_SIMULATOR_URL: simulatorUrl });
    expect(besideSimulator({}, { simulatorUrl: null })).toEqual({});
    const own = { HOLDFAST_SIMULATOR_URL: "http://127.0.0.1:2" };
    expect(besideSimulator(own, { simulatorUrl })).toBe(own);
  });

  it("ACT-59 says in one line which server does not answer, and refuses a wrong setting before it connects", async () => {
    const here = { cwd: folder, address: "127.0.0.1:1" };
    const starting = createWorker({ ...here, env: {} });
    await expect(starting).rejects.toThrow(ServerUnreachableError);
    await expect(starting).rejects.toThrow(/127\.0\.0\.1:1.*holdfast dev/);
    await expect(createWorker({ ...here, env: { OPENAI_BASE_URL: "nonsense" } })).rejects.toThrow(
      /OPENAI_BASE_URL/,
    );
  });

  it("WRK-360 takes up to ten calls of a round with the workflow task that asks for them", async () => {
    const connection = { close: async () => undefined } as unknown as NativeConnection;
    const connect = vi.spyOn(NativeConnection, "connect").mockResolvedValue(connection);
    const create = vi.spyOn(ConversationWorker, "create").mockRejectedValue(new Error("far enough"));
    const env = { HOLDFAST_JOURNAL: "none", TEMPORAL_ADDRESS: "127.0.0.1:1" };
    try {
      await expect(createWorker({ cwd: folder, env })).rejects.toThrow("far enough");
      expect(create.mock.calls[0]?.[0]).toMatchObject({ maxEagerActivityReservationsPerWorkflowTask: 10 });
    } finally {
      connect.mockRestore();
      create.mockRestore();
    }
  });
});
