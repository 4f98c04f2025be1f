import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { Agent } from "../../src/core/agent.js";
import { replay } from "../support/replay.js";
import { S3_START_MS, startS3Server } from "../support/s3-server.js";
import { startTestStack } from "../support/stack.js";

afterEach(() => vi.unstubAllEnvs());

it(
  "WFL-120 a conversation whose stores are both on S3 attaches, outlives its worker, closes and is read back; no folder is made",
  async () => {
    await using s3 = await startS3Server();
    const { bucket, folder } = await s3.makeBucket();
    for (const [name, value] of Object.entries(s3.env)) vi.stubEnv(name, value);
    vi.stubEnv("HOLDFAST_MEDIA_STORE", `s3://${bucket}/media`);
    vi.stubEnv("HOLDFAST_PAYLOAD_STORE", `s3://${bucket}/payloads`);
    await using parts = new AsyncDisposableStack();
    const stack = await startTestStack();
    parts.defer(() => stack.stop());
    const conversations = await stack.conversations();
    const agent = new Agent({ model: "claude-haiku-4-5", instructions: "You review contracts." });
    const session = await conversations.start(agent, { id: "on-s3" });
    await session.run("Read this.", {
      files: [{ data: new TextEncoder().encode("one third on delivery"), name: "contract.txt" }],
    });
    await stack.workers[0]?.kill("SIGTERM");
    await stack.startWorker();
    await session.run(`Long: ${"clause ".repeat(60_000)}`);
    const places = await readdir(folder);
    expect(places.toSorted()).toEqual(["media", "payloads"]);
    expect((await readdir(join(folder, "payloads"))).every((name) => name.endsWith(".payload"))).toBe(true);
    await replay(conversations, "on-s3");
    await session.close();
    const again = await conversations.open("on-s3");
    expect(await again.status()).toMatchObject({ state: "closed", run_count: 2 });
    expect(await conversations.list({ closed: true })).toContainEqual(
      expect.objectContaining({ id: "on-s3" }),
    );
    expect((await again.toEnvelope()).metadata.run_count).toBe(2);
    expect(await readdir(join(stack.folder, ".holdfast"))).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(media|payloads)$/)]),
    );
  },
  S3_START_MS,
);
