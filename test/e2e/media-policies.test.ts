import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Conversations } from "../../src/client/conversations.js";
import { WarningLogger } from "../../src/connection/warning-logger.js";
import { Agent } from "../../src/core/agent.js";
import { parseEnvelope } from "../../src/core/envelope/parse-envelope.js";
import { UsageError } from "../../src/core/errors/errors.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import { repositoryRoot } from "../support/source-file.js";
import { startTestStack, type TestStack } from "../support/stack.js";
import { keyOfBytes } from "../support/stored-files.js";

const MODELS = [
  "claude-haiku-4-5",
  "gpt-6-luna",
  "gemini-3.5-flash-lite",
  "accounts/fireworks/models/kimi-k3",
];

let stack: TestStack;
let conversations: Conversations;
let elsewhere: Conversations;
const archive = new MemoryMediaStore();
let pdf = Buffer.alloc(0);
let key = "";
const warned: string[] = [];
beforeAll(async () => {
  stack = await startTestStack();
  conversations = await stack.conversations({ stores: { archive } });
  const other = join(stack.folder, "elsewhere");
  await mkdir(other, { recursive: true });
  const logger = new WarningLogger((line) => warned.push(line));
  elsewhere = await stack.conversations({ mediaStore: join(other, "media"), stores: { archive }, logger });
  pdf = await readFile(join(repositoryRoot, "examples/contract.pdf"));
  key = keyOfBytes(pdf, "application/pdf");
});
afterAll(() => stack.stop());

const agentWith = (change: Partial<ConstructorParameters<typeof Agent>[0]> = {}) =>
  new Agent({ model: "claude-haiku-4-5", instructions: "Be brief.", ...change });

async function talked(
  agent: Agent,
  options: { readonly checkpoint?: { readonly path: string } } = {},
  data = pdf,
) {
  const session = await conversations.start(agent, options);
  await session.run("What is this?", { files: [{ name: "contract.pdf", data }] });
  return session;
}

describe("a conversation with an attachment", () => {
  it("MED-232 is checkpointed as its agent says, into the agent's store, and restored from there", async () => {
    const media = join(stack.folder, "checkpoints/media");
    const path = join(stack.folder, "checkpoints/review.json");
    const agent = agentWith({ mediaStore: media });
    const session = await talked(agent, { checkpoint: { path } });
    const written = parseEnvelope(await readFile(path, "utf8")).envelope;
    expect(written).toMatchObject({ media_policy: "externalize" });
    expect(await readdir(media)).toEqual([key]);
    expect(await readFile(join(media, key))).toEqual(pdf);
    await session.close();
    const restored = await elsewhere.fromJson(path, { agent, id: `${session.id}-2` });
    expect(await restored.mediaReport()).toEqual([]);
    expect(await restored.toJson({ media: "inline" })).toContain(pdf.toString("base64"));
  });

  it("MED-234 is saved under every policy, and the handle that saved has what the save reports", async () => {
    const session = await talked(agentWith());
    for (const media of ["inline", "externalize", "strip", "auto"] as const) {
      const text = await session.toJson({
        media,
        ...(media === "externalize" ? { mediaStore: archive } : {}),
      });
      expect((await session.persistenceReport({ media })).size_bytes).toBe(Buffer.byteLength(text));
    }
    expect(await archive.get(key)).toEqual(new Uint8Array(pdf));
    expect(await session.mediaReport()).toMatchObject([{ reason: "stripped", size: pdf.length }]);
    expect(await (await conversations.open(session.id)).mediaReport()).toEqual([]);
    await expect(session.toJson({ media: "externalize" })).rejects.toThrow(UsageError);
    await expect(session.toJson({ media: "inlined" as never })).rejects.toThrow(/"auto", "inline"/);
    await expect(session.toJson({ mediaMaxInlineBytes: -1 })).rejects.toThrow(/mediaMaxInlineBytes/);
    await expect(session.toJson({ mediaStore: 7 as never })).rejects.toThrow(/`mediaStore` is a folder/);
  });

  it("MED-239 is sized as the save is told: policy, store and limit", async () => {
    const session = await talked(agentWith({ model: "gemini-3.5-flash-lite" }));
    for (const save of [{ mediaStore: "archive" }, { mediaMaxInlineBytes: 0 }, {}]) {
      const { size_bytes } = await session.persistenceReport(save);
      expect(size_bytes).toBe(Buffer.byteLength(await session.toJson(save)));
    }
    const stripped = await session.persistenceReport({ media: "strip" });
    expect(stripped).toMatchObject({ media_count: 0, media: [], message_count: 2 });
    await expect(session.persistenceReport({ mediaMaxInlineBytes: -1 })).rejects.toThrow(UsageError);
  });

  it("MED-233 is exported under every policy once it is closed", async () => {
    const session = await talked(agentWith({ mediaStore: "archive" }));
    const before = await session.toEnvelope({ media: "inline" });
    await session.close();
    const closed = await conversations.open(session.id);
    expect((await closed.toEnvelope({ media: "inline" })).messages).toEqual(before.messages);
    expect((await closed.toEnvelope()).media_policy).toBe("externalize");
    const { size_bytes } = await closed.persistenceReport({ media: "strip" });
    expect(Buffer.byteLength(await closed.toJson({ media: "strip" }))).toBe(size_bytes);
  });

  it("MED-210 goes on when its bytes are gone: the request says so, the history keeps the marker, and it is reported once", async () => {
    const unseen = Buffer.concat([pdf, Buffer.from("\n%unseen elsewhere\n")]);
    const lost = keyOfBytes(unseen, "application/pdf");
    const session = await talked(agentWith(), {}, unseen);
    const text = await session.toJson({ media: "externalize", mediaStore: archive });
    await session.close();
    const preserved = await elsewhere.fromJson(text, {
      id: `${session.id}-preserved`,
      agent: agentWith(),
      mediaStore: new MemoryMediaStore(),
      preserveMedia: true,
    });
    expect(await preserved.mediaReport()).toMatchObject([{ reason: "missing_blob", preserved: true }]);
    await rm(join(stack.folder, ".holdfast/media", lost), { force: true });
    const told = { reason: "missing_blob", name: "contract.pdf", size: unseen.length, preserved: true };
    const { mediaReport, turnId } = await preserved.run("And clause 5?");
    expect(mediaReport).toMatchObject([told]);
    expect((await preserved.turn(turnId).view()).result?.media_report).toEqual(mediaReport);
    const sent = JSON.stringify(stack.simulator.calls.at(-1)?.body);
    expect(sent).toContain("[application/pdf: its bytes are missing]");
    expect(JSON.stringify(await preserved.messages())).toContain(`$media:${lost}`);
    expect(await preserved.mediaReport()).toMatchObject([told]);
    warned.length = 0;
    for (const media of ["inline", "externalize"] as const) {
      const saved = await preserved.toEnvelope({ media, mediaStore: new MemoryMediaStore() });
      expect(saved.media_report).toHaveLength(1);
      expect(warned.splice(0)).toEqual([
        expect.stringMatching(/missing_blob: contract\.pdf .*--media-store/),
      ]);
    }
    expect(await preserved.mediaReport()).toHaveLength(1);
    expect((await preserved.run("And clause 6?")).mediaReport).toMatchObject([told]);
    expect(await preserved.mediaReport()).toHaveLength(1);
    await conversations.fork(preserved.id, { at: 1, mediaStore: archive });
    await preserved.run("And now?");
    expect(JSON.stringify(stack.simulator.calls.at(-1)?.body)).toContain(unseen.toString("base64"));
  });

  it.each(MODELS)("MED-220 is externalized and restored byte for byte on %s", async (model) => {
    const dot = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
      "base64",
    );
    const session = await conversations.start(agentWith({ model }));
    await session.run("What is this?", { files: [{ name: "dot.png", data: dot }] });
    const options = { media: "externalize", mediaStore: "archive" } as const;
    const text = await session.toJson(options);
    expect((await session.persistenceReport({ media: options.media })).size_bytes).toBe(
      Buffer.byteLength(text),
    );
    await session.close();
    const restored = await elsewhere.fromJson(text, { id: `${session.id}-2`, mediaStore: "archive" });
    expect(await restored.mediaReport()).toEqual([]);
    expect((await restored.inspect()).messages).toEqual(
      (await (await conversations.open(session.id)).inspect()).messages,
    );
  });
});
