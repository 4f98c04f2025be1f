import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createDevFolder, writeDevState } from "../../src/connection/dev-folder.js";
import { openMediaStore } from "../../src/connection/open-media-store.js";
import {
  describeSource,
  resolveLocalSettings,
  resolveSettings,
  type Settings,
  type SettingsOptions,
} from "../../src/connection/settings.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";

let root: string;
let home: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "holdfast-settings-"));
  home = join(root, "home");
  mkdirSync(join(home, ".config", "temporalio"), { recursive: true });
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const resolve = (env: NodeJS.ProcessEnv = {}, options: SettingsOptions = {}, cwd = root): Settings =>
  resolveSettings({ env: { HOME: home, ...env }, cwd, options });

function runDev(changes: Record<string, unknown> = {}): void {
  writeDevState(createDevFolder(root), {
    pid: process.pid,
    address: "127.0.0.1:4711",
    namespace: "holdfast",
    task_queue: "dev-queue",
    ui_url: "http://127.0.0.1:4713",
    stream: { url: "http://127.0.0.1:4712", token: "secret" },
    started_at: "2026-11-29T12:00:00.000Z",
    ...changes,
  });
}

describe("which server", () => {
  it("CON-5 is the one given explicitly, before anything else", () => {
    runDev();
    const settings = resolve({ TEMPORAL_ADDRESS: "elsewhere:7233" }, { address: "here:7233" });
    expect(settings).toMatchObject({
      source: "options",
      connection: { address: "here:7233" },
      namespace: "default",
    });
    expect(describeSource(settings)).toBe("given explicitly");
  });

  it("CON-5 takes no key, certificate or header of the environment to an explicit address", () => {
    const env = { TEMPORAL_API_KEY: "key", TEMPORAL_TLS: "true", TEMPORAL_NAMESPACE: "theirs" };
    const settings = resolve(env, { address: "here:7233" });
    expect(settings.connection).toEqual({ address: "here:7233" });
    expect(settings.namespace).toBe("default");
    expect(resolve(env, { address: "here:7233", apiKey: "mine" }).connection).toEqual({
      address: "here:7233",
      apiKey: "mine",
      tls: true,
    });
  });

  it("CON-6 is the one of TEMPORAL_*, before a running `holdfast dev`", () => {
    runDev();
    const settings = resolve({
      TEMPORAL_ADDRESS: "cloud:7233",
      TEMPORAL_NAMESPACE: "prod",
      TEMPORAL_API_KEY: "key",
      TEMPORAL_GRPC_META_X_TEAM: "blue",
    });
    expect(settings).toMatchObject({
      source: "environment",
      namespace: "prod",
      stream: null,
      simulatorUrl: null,
    });
    expect(settings.connection).toEqual({
      address: "cloud:7233",
      apiKey: "key",
      tls: true,
      metadata: { "x-team": "blue" },
    });
    expect(settings.taskQueue).toBe("holdfast");
    expect(describeSource(settings)).toContain("TEMPORAL_*");
  });

  it("CON-6 is the one of a Temporal config profile", () => {
    writeFileSync(
      join(home, ".config", "temporalio", "temporal.toml"),
      '[profile.default]\naddress = "from-file:7233"\n[profile.prod]\naddress = "prod:7233"\nnamespace = "prod"\n',
    );
    const env =
      process.platform === "linux"
        ? {}
        : { TEMPORAL_CONFIG_FILE: join(home, ".config", "temporalio", "temporal.toml") };
    expect(resolve(env)).toMatchObject({ source: "environment", connection: { address: "from-file:7233" } });
    expect(resolve({ ...env, TEMPORAL_PROFILE: "prod" })).toMatchObject({ namespace: "prod" });
    expect(resolve(env, { profile: "prod", namespace: "mine" })).toMatchObject({
      connection: { address: "prod:7233" },
      namespace: "mine",
    });
  });

  it("CON-6 says in one line that a profile or config file cannot be read", () => {
    for (const env of [
      { TEMPORAL_PROFILE: "nowhere" },
      { TEMPORAL_TLS_CLIENT_CERT_PATH: join(root, "none.pem"), TEMPORAL_ADDRESS: "a:1" },
    ]) {
      expect(() => resolve(env)).toThrow(expect.objectContaining({ code: "UsageError" }));
      expect(() => resolve(env)).toThrow(
        /Temporal's configuration cannot be read \([^\n]*\): correct [^\n]*$/,
      );
    }
  });

  it("CON-6 takes variables that are set to nothing for not set", () => {
    runDev();
    expect(resolve({ TEMPORAL_ADDRESS: "", HOLDFAST_TASK_QUEUE: " " })).toMatchObject({
      source: "dev-folder",
      taskQueue: "dev-queue",
    });
  });

  it("CON-7 is the one of a `holdfast dev` running in the folder or a parent", () => {
    runDev({ simulator_url: "http://127.0.0.1:4714" });
    const below = join(root, "src", "deep");
    mkdirSync(below, { recursive: true });
    const settings = resolve({}, {}, below);
    expect(settings).toMatchObject({
      source: "dev-folder",
      connection: { address: "127.0.0.1:4711" },
      namespace: "holdfast",
      taskQueue: "dev-queue",
      stream: { url: "http://127.0.0.1:4712", token: "secret" },
      simulatorUrl: "http://127.0.0.1:4714",
    });
    expect(describeSource(settings)).toContain(root);
  });

  it("CON-8 is nowhere: one line with the three ways on", () => {
    expect(() => resolve()).toThrow(expect.objectContaining({ code: "ServerUnreachableError" }));
    expect(() => resolve()).toThrow(
      /^No Temporal server is known here: run `holdfast dev` in this folder \(with --simulate it needs no key\), set TEMPORAL_ADDRESS, or connect\(\{ embedded: true \}\)$/,
    );
  });

  it("CON-8 is nowhere: it says so of a `holdfast dev` that no longer runs, and each remedy once", () => {
    runDev({ pid: 2 ** 30 });
    expect(() => resolve()).toThrow(
      /known here \(the `holdfast dev` that wrote \S+ \(pid 1073741824\) no longer runs\): run `holdfast dev` in this folder \([^`]*$/,
    );
  });
});

describe("task queue, stores and stream", () => {
  it("CON-9 takes the task queue from the options, HOLDFAST_TASK_QUEUE, `holdfast dev`, else holdfast", () => {
    const address = "here:7233";
    expect(resolve({}, { address }).taskQueue).toBe("holdfast");
    runDev();
    expect(resolve({ HOLDFAST_TASK_QUEUE: "env" }).taskQueue).toBe("env");
    expect(resolve({ HOLDFAST_TASK_QUEUE: "env" }, { taskQueue: "mine" }).taskQueue).toBe("mine");
  });

  it("CON-10 puts the stores beside the .holdfast that was found, else into the folder", () => {
    expect(resolveLocalSettings({ env: {}, cwd: root })).toMatchObject({
      mediaStore: join(root, ".holdfast", "media"),
      payloadStore: join(root, ".holdfast", "payloads"),
      dev: null,
    });
    createDevFolder(root);
    const below = join(root, "below");
    mkdirSync(below);
    expect(resolveLocalSettings({ env: {}, cwd: below }).mediaStore).toBe(join(root, ".holdfast", "media"));
  });

  it("CON-10 makes named stores absolute from the folder and leaves URLs as they are", () => {
    const env = { HOLDFAST_MEDIA_STORE: "bytes", HOLDFAST_PAYLOAD_STORE: "s3://bucket/payloads" };
    expect(resolveLocalSettings({ env, cwd: root })).toMatchObject({
      mediaStore: join(root, "bytes"),
      payloadStore: "s3://bucket/payloads",
    });
    const options = { mediaStore: "/elsewhere/media" };
    expect(resolveLocalSettings({ env, cwd: root, options }).mediaStore).toBe("/elsewhere/media");
  });

  it("CON-110 refuses a store itself, and a location of another service, in the place of a working store", () => {
    for (const name of ["mediaStore", "payloadStore"] as const) {
      const options = { [name]: new MemoryMediaStore() } as never;
      expect(() => resolveLocalSettings({ env: {}, cwd: root, options })).toThrow(
        new RegExp(`^\`${name}\` of a connection or a worker is a folder or s3.*registered by name`),
      );
    }
    for (const wrong of ["gs://bucket/media", "s3:/bucket/media"]) {
      const { mediaStore } = resolveLocalSettings({ env: { HOLDFAST_MEDIA_STORE: wrong }, cwd: root });
      expect(() => openMediaStore(mediaStore)).toThrow(/is not a media store/);
    }
  });

  it("CON-90 puts the journal beside the .holdfast that was found, into the folder that is named, or nowhere", () => {
    const journal = (value?: string): string | null =>
      resolveLocalSettings({ env: { HOLDFAST_JOURNAL: value }, cwd: root }).journal;
    expect(journal()).toBe(join(root, ".holdfast", "journal"));
    expect(journal("calls")).toBe(join(root, "calls"));
    expect(journal("/var/calls")).toBe("/var/calls");
    expect(journal("none")).toBeNull();
    expect(() => journal("s3://bucket/journal")).toThrow(/HOLDFAST_JOURNAL is s3:.*or none/);
  });

  it("CON-11 takes the stream from the options, from HOLDFAST_STREAM_URL and _TOKEN together, else from `holdfast dev`", () => {
    runDev();
    const named = { HOLDFAST_STREAM_URL: "http://hub:1/", HOLDFAST_STREAM_TOKEN: "t" };
    expect(resolve(named).stream).toEqual({ url: "http://hub:1", token: "t" });
    expect(resolve(named, { stream: { url: "http://x", token: "y" } }).stream?.url).toBe("http://x");
    expect(() => resolve({ HOLDFAST_STREAM_URL: "http://hub:1" })).toThrow(/belong together/);
  });
});
