import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createDevFolder, writeDevState } from "../../src/connection/dev-folder.js";
import type { SettingsOptions } from "../../src/connection/settings.js";
import { checkNode } from "../../src/server/check-machine.js";
import { checkPackages } from "../../src/server/check-packages.js";
import { diagnose } from "../../src/server/doctor.js";
import { startEmbeddedServer } from "../../src/server/embedded-server.js";
import { findTemporalBinary } from "../../src/server/find-temporal-binary.js";
import type { Finding } from "../../src/server/finding.js";
import { findFreePorts } from "../../src/server/free-ports.js";
import { S3_START_MS, startS3Server } from "../support/s3-server.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-doctor-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function examine(
  env: NodeJS.ProcessEnv = {},
  options: SettingsOptions = {},
): Promise<Record<string, Finding>> {
  const clean = { HOME: folder, HOLDFAST_CACHE: join(folder, "cache"), PATH: "/nowhere", ...env };
  const findings = await diagnose({ env: clean, cwd: folder, options });
  return Object.fromEntries(findings.map((finding) => [finding.name, finding]));
}

function installPackage(path: string, name: string, version: string): void {
  const target = join(folder, path, "node_modules", name);
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, "package.json"), JSON.stringify({ name, version }));
}

const TEMPORAL = ["activity", "client", "common", "envconfig", "proto", "worker", "workflow"];

describe("the doctor", () => {
  it("SRV-14 tells everything that a conversation needs, and makes nothing in a bare folder", async () => {
    const found = await examine();
    expect(Object.keys(found)).toEqual([
      ...["node", "@temporalio packages", "protobufjs", "temporal executable", "pip", ".holdfast"],
      ...["temporal server", "media store", "payload store", "providers"],
    ]);
    expect(found["temporal server"]).toMatchObject({
      ok: null,
      remedy: expect.stringContaining("holdfast dev"),
    });
    expect(found["media store"]).toMatchObject({
      ok: true,
      detail: expect.stringContaining("not there yet"),
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("SRV-14 finds Node and the packages of this installation in order", async () => {
    const found = await examine();
    for (const name of ["node", "@temporalio packages", "protobufjs"])
      expect(found[name]?.ok, name).toBe(true);
    expect(checkNode("22.11.0")).toMatchObject({ ok: false, remedy: expect.stringContaining("22.12") });
    expect(checkNode("22.12.0").ok).toBe(true);
  });

  it("SRV-15 finds Temporal packages of different versions", () => {
    for (const name of TEMPORAL)
      installPackage("", `@temporalio/${name}`, name === "worker" ? "1.23.0" : "1.24.0");
    installPackage("", "protobufjs", "8.8.1");
    const [temporal, protobuf] = checkPackages(join(folder, "index.js"));
    expect(temporal).toMatchObject({
      ok: false,
      detail: expect.stringContaining("@temporalio/worker 1.23.0"),
    });
    expect(protobuf).toMatchObject({ ok: true, detail: "8.8.1" });
  });

  it("SRV-15 finds a protobufjs 7 at the root, and one of Temporal's own", () => {
    for (const name of TEMPORAL) installPackage("", `@temporalio/${name}`, "1.24.0");
    installPackage("", "protobufjs", "7.5.0");
    expect(checkPackages(join(folder, "index.js"))[1]).toMatchObject({ ok: false });
    installPackage("", "protobufjs", "8.8.1");
    installPackage("node_modules/@temporalio/proto", "protobufjs", "8.8.0");
    expect(checkPackages(join(folder, "index.js"))[1]).toMatchObject({
      ok: false,
      detail: "8.8.1 here, 8.8.0 for Temporal",
      remedy: expect.stringContaining("protobufjs 8"),
    });
  });

  it("SRV-16 tells whether the executable is there, can be downloaded, or cannot be had", async () => {
    expect((await examine())["temporal executable"]).toMatchObject({
      ok: false,
      detail: expect.stringContaining("HOLDFAST_TEMPORAL_CLI"),
    });
    const own = join(folder, "temporal");
    writeFileSync(own, '#!/bin/sh\necho "temporal version 1.9.1 (Server)"\n', { mode: 0o755 });
    expect((await examine({ HOLDFAST_TEMPORAL_CLI: own }))["temporal executable"]).toMatchObject({
      ok: true,
      detail: `1.9.1, named by HOLDFAST_TEMPORAL_CLI: ${own}`,
    });
    writeFileSync(join(folder, "python3"), '#!/bin/sh\necho "pip 25.0 from x"\n', { mode: 0o755 });
    const withPip = await examine({ PATH: folder, HOLDFAST_CACHE: join(folder, "none") });
    rmSync(own);
    expect(withPip.pip).toMatchObject({ ok: true, detail: "pip 25.0 (python3)" });
    expect((await examine({ PATH: folder }))["temporal executable"]).toMatchObject({
      ok: null,
      detail: expect.stringContaining("first start"),
    });
  });

  it("SRV-17 tells what is at the server's address: nothing, a namespace that is missing, or all but workers", async () => {
    const [port] = await findFreePorts(1);
    const nothing = await examine({ TEMPORAL_ADDRESS: `127.0.0.1:${port}` });
    expect(nothing["temporal server"]).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/127\.0\.0\.1:\d+, from TEMPORAL_\*/),
      remedy: expect.stringContaining("TEMPORAL_ADDRESS"),
    });
    expect(nothing["temporal executable"]?.ok).toBeNull();
    const { path: binary } = await findTemporalBinary();
    await using server = await startEmbeddedServer({ folder, binary, ui: false });
    const missing = await examine({}, { address: server.address, namespace: "elsewhere" });
    expect(missing["temporal server"]).toMatchObject({
      ok: true,
      detail: expect.stringContaining(server.version),
    });
    expect(missing.namespace).toMatchObject({ ok: false, detail: expect.stringContaining("elsewhere") });
    const found = await examine({}, { address: server.address, namespace: "holdfast" });
    expect(found.namespace?.ok).toBe(true);
    expect(found.workers).toMatchObject({
      ok: false,
      detail: expect.stringContaining("seen on the task queue holdfast in the last minute"),
      remedy: expect.stringContaining("holdfast worker"),
    });
  });

  it("SRV-17 tells that the configuration of Temporal cannot be read", async () => {
    expect((await examine({ TEMPORAL_PROFILE: "none" }))["temporal server"]).toMatchObject({
      ok: false,
      detail: expect.stringContaining("TEMPORAL_PROFILE"),
    });
  });

  it("SRV-18 writes to the stores that are there, reads it back, and leaves nothing in the media store", async () => {
    const media = join(folder, "media");
    mkdirSync(media);
    writeFileSync(join(folder, "file"), "");
    const found = await examine({
      HOLDFAST_MEDIA_STORE: media,
      HOLDFAST_PAYLOAD_STORE: join(folder, "file"),
    });
    expect(found["media store"]).toEqual({
      name: "media store",
      ok: true,
      detail: `${media} (written and read)`,
    });
    expect(readdirSync(media, { recursive: true })).toEqual([]);
    const payloads = join(folder, "payloads");
    mkdirSync(payloads);
    for (const _ of [1, 2]) await examine({ HOLDFAST_PAYLOAD_STORE: payloads });
    expect(readdirSync(payloads, { recursive: true })).toHaveLength(1);
    expect(found["payload store"]).toMatchObject({
      ok: false,
      remedy: expect.stringContaining("HOLDFAST_PAYLOAD_STORE"),
    });
  });

  it(
    "SRV-23 writes to stores on S3 and reads it back, and tells what is wrong with one in a line",
    async () => {
      await using s3 = await startS3Server();
      for (const [name, value] of Object.entries(s3.env)) vi.stubEnv(name, value);
      const { bucket, folder: held } = await s3.makeBucket();
      const found = await examine({
        HOLDFAST_MEDIA_STORE: `s3://${bucket}/media`,
        HOLDFAST_PAYLOAD_STORE: "s3://no-such-bucket/payloads",
      });
      vi.unstubAllEnvs();
      expect(found["media store"]).toEqual({
        name: "media store",
        ok: true,
        detail: `s3://${bucket}/media (written and read)`,
      });
      const left = readdirSync(held, { recursive: true, withFileTypes: true });
      expect(left.filter((entry) => entry.isFile())).toEqual([]);
      expect(found["payload store"]).toMatchObject({
        ok: false,
        detail: expect.stringMatching(/^s3:\/\/no-such-bucket\/payloads cannot be used \(.*no such bucket/),
        remedy: expect.stringContaining("HOLDFAST_PAYLOAD_STORE to a folder or an s3:// URL"),
      });
    },
    S3_START_MS,
  );

  it("SRV-24 tells that both stores are one place", async () => {
    const found = await examine({ HOLDFAST_MEDIA_STORE: folder, HOLDFAST_PAYLOAD_STORE: folder });
    expect(found["payload store"]).toMatchObject({
      ok: false,
      detail: expect.stringContaining("must differ"),
    });
  });

  it("SRV-19 tells which provider keys are set, never their values, or that the simulator answers", async () => {
    const secret = "sk-very-secret";
    const withKeys = await examine({
      ANTHROPIC_API_KEY: secret,
      OPENAI_API_KEY: " ",
      GEMINI_API_KEY: secret,
    });
    expect(withKeys.providers).toMatchObject({ ok: true, detail: "ANTHROPIC_API_KEY, GEMINI_API_KEY set" });
    expect(JSON.stringify(withKeys)).not.toContain(secret);
    expect((await examine()).providers).toMatchObject({
      ok: null,
      remedy: expect.stringMatching(/ANTHROPIC_API_KEY.*HOLDFAST_COMPATIBLE_BASE_URL.*--simulate/),
    });
    const simulated = await examine({ HOLDFAST_SIMULATOR_URL: "http://127.0.0.1:9" });
    expect(simulated.providers?.detail).toContain("the simulator at http://127.0.0.1:9");
    expect((await examine({ OPENAI_BASE_URL: "nonsense" })).providers).toMatchObject({ ok: false });
  });

  it("SRV-20 tells whether a `holdfast dev` runs in the folder", async () => {
    const path = createDevFolder(folder);
    expect((await examine())[".holdfast"]).toMatchObject({ ok: null });
    const state = {
      address: "127.0.0.1:1",
      namespace: "holdfast",
      task_queue: "holdfast",
      ui_url: "http://127.0.0.1:2",
      stream: null,
      started_at: "2026-11-29T12:00:00.000Z",
    };
    writeDevState(path, { ...state, pid: process.pid });
    expect((await examine())[".holdfast"]).toMatchObject({
      ok: true,
      detail: expect.stringMatching(new RegExp(`pid ${process.pid}.*http://127\\.0\\.0\\.1:2`)),
    });
    writeDevState(path, { ...state, pid: 2 ** 30 });
    expect((await examine())[".holdfast"]).toMatchObject({
      ok: false,
      detail: expect.stringContaining("no longer runs"),
      remedy: expect.stringContaining("run `holdfast dev` there"),
    });
  });
});
