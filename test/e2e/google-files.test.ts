/** Attachments on Google through real worker processes: uploads that expire, die, and are cut off in the middle. */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Conversations } from "../../src/client/conversations.js";
import { Agent } from "../../src/core/agent.js";
import { pdfOf } from "../support/pdf.js";
import { startTestStack, type TestStack } from "../support/stack.js";
import { holderOf } from "../support/temporal-view.js";

const HOURS = 3_600_000;
const gemini = new Agent({ model: "gemini-3.5-flash-lite", instructions: "You describe media. Be brief." });
const claude = new Agent({ model: "claude-haiku-4-5", instructions: "Be brief." });
const LATER = pathToFileURL(join(import.meta.dirname, "../support/later-clock.mjs")).href;

/** A tenth of a second of one level: another one for each test, since a worker uploads the same bytes once. */
function wavOf(level: number): Uint8Array {
  const samples = 800;
  const bytes = Buffer.alloc(44 + samples);
  bytes.write("RIFF", 0);
  bytes.writeUInt32LE(36 + samples, 4);
  bytes.write("WAVEfmt ", 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(8_000, 24);
  bytes.writeUInt32LE(8_000, 28);
  bytes.writeUInt16LE(1, 32);
  bytes.writeUInt16LE(8, 34);
  bytes.write("data", 36);
  bytes.writeUInt32LE(samples, 40);
  bytes.fill(level, 44);
  return bytes;
}

let stack: TestStack;
let conversations: Conversations;
let level = 100;
let files: readonly { readonly name: string; readonly data: Uint8Array }[];

beforeAll(async () => {
  stack = await startTestStack({ simulate: { contextTokens: 100_000_000 } });
  conversations = await stack.conversations();
});
afterAll(() => stack.stop());
beforeEach(async () => {
  stack.simulator.reset();
  level += 1;
  files = [
    { name: "clip.wav", data: wavOf(level) },
    { name: "contract.pdf", data: await pdfOf(`Clause 4. Payment is due in ${level} days.`) },
  ];
});

/** One worker, and only this one. */
async function restartWorker(env: NodeJS.ProcessEnv = {}): Promise<void> {
  for (const worker of stack.workers) await worker.kill();
  await stack.startWorker(env);
}

const uploads = () => stack.simulator.calls.filter(({ path }) => path.startsWith("/upload/")).length / 2;
const generations = () => stack.simulator.calls.filter(({ generation }) => generation);
const lastRequest = (): string => JSON.stringify(generations().at(-1)?.body);

describe("attachments on Google", () => {
  it("WFL-130 are uploaded once, named in the result, and stay markers in the state", async () => {
    const session = await conversations.start(gemini);
    const { mediaUploads, output } = await session.run("What is in these?", { files });
    expect(mediaUploads).toMatchObject([
      { name: "clip.wav", mime_type: "audio/wav", size_bytes: 844 },
      { name: "contract.pdf", mime_type: "application/pdf" },
    ]);
    expect(output).toContain("clip.wav");
    const next = await session.run("And how long is it?");
    expect(next.mediaUploads).toEqual([]);
    expect(uploads()).toBe(2);
    for (const { uri } of mediaUploads) expect(lastRequest()).toContain(`"fileUri":"${uri}"`);
    expect(lastRequest()).not.toContain("inlineData");
    const state = JSON.stringify(await session.messages());
    expect(state.match(/"\$media:[0-9a-f]{64}\.(wav|pdf)"/g)).toHaveLength(2);
    expect(await session.mediaReport()).toEqual([]);
    expect(stack.simulator.calls.flatMap(({ issues }) => issues)).toEqual([]);
  });

  it("WFL-131 are uploaded again after 48 hours, by a worker that has never seen them, and the history stays", async () => {
    const session = await conversations.start(gemini);
    const { mediaUploads } = await session.run("What is in this clip?", { files: files.slice(0, 1) });
    const history = await session.messages();
    stack.simulator.advanceClock(48 * HOURS);
    await restartWorker({ NODE_OPTIONS: `--import=${LATER}`, HOLDFAST_TEST_HOURS_AHEAD: "48" });
    const again = await session.run("And how long is it?");
    const [old] = mediaUploads;
    expect(await session.mediaReport()).toEqual([
      {
        reason: "expired_reuploaded",
        mime_type: "audio/wav",
        size: 844,
        message_index: 0,
        uri: old?.uri,
        name: "clip.wav",
      },
    ]);
    expect(again.mediaUploads).toMatchObject([{ name: "clip.wav", sha256: old?.sha256 }]);
    expect(again.mediaUploads[0]?.uri).not.toBe(old?.uri);
    expect(lastRequest()).toContain(again.mediaUploads[0]?.uri);
    expect((await session.messages()).slice(0, history.length)).toEqual(history);
    expect(generations().map(({ status }) => status)).toEqual([200, 200]);
    await restartWorker();
  });

  it("WFL-132 are uploaded again when the service has lost them, within the same turn", async () => {
    const session = await conversations.start(gemini);
    const { mediaUploads } = await session.run("What is in this clip?", { files: files.slice(0, 1) });
    stack.simulator.advanceClock(48 * HOURS);
    const again = await session.run("And how long is it?");
    expect(again).toMatchObject({ attempt: 1, providerCalls: 2 });
    expect(await session.mediaReport()).toMatchObject([
      { reason: "dead_uri_reuploaded", uri: mediaUploads[0]?.uri, message_index: 0 },
    ]);
    expect(generations().map(({ status }) => status)).toEqual([200, 403, 200]);
  });

  it("WFL-133 whose worker is killed in the middle of the upload are uploaded by another one, and the turn is committed once", async () => {
    const session = await conversations.start(gemini);
    stack.simulator.script({ match: { path: "/upload/" }, fault: { kind: "hang" } });
    await session.submit("What is in this clip?", { files: files.slice(0, 1), turnId: "t1" });
    await stack.simulator.waitForCall(({ path }) => path.startsWith("/upload/"));
    await stack.startWorker();
    await (await holderOf(conversations, session.id, stack.workers)).kill();
    const result = await session.turn("t1").result();
    expect(result).toMatchObject({ attempt: 2, providerCalls: 1, mediaUploads: [{ name: "clip.wav" }] });
    expect(await session.messages()).toHaveLength(2);
    expect(generations()).toHaveLength(1);
  });

  it("WFL-134 stop with the turn: the upload's socket is closed, and the file is not in the history", async () => {
    const session = await conversations.start(gemini);
    stack.simulator.script({ match: { path: "/upload/" }, fault: { kind: "hang" } });
    const turn = await session.submit("What is in this clip?", { files: files.slice(0, 1) });
    await stack.simulator.waitForCall(({ path }) => path.startsWith("/upload/"));
    await turn.cancel();
    await expect(turn.result()).rejects.toMatchObject({ record: { error_type: "turn.cancelled" } });
    await stack.simulator.waitForCall(({ clientClosed }) => clientClosed);
    expect(await session.messages()).toEqual([]);
    expect(await session.run("Hello?")).toMatchObject({ mediaUploads: [] });
  });

  it("WFL-135 cross to another provider as bytes, and come back to the uploads that still live", async () => {
    const session = await conversations.start(gemini);
    const { mediaUploads } = await session.run("What is in this contract?", { files: files.slice(1) });
    await session.rebind(claude);
    await session.run("And clause 4?");
    expect(lastRequest()).toContain(Buffer.from(files[1]?.data ?? []).toString("base64"));
    await session.rebind(gemini);
    const back = await session.run("Thank you.");
    expect(back.mediaUploads).toEqual([]);
    expect(lastRequest()).toContain(`"fileUri":"${mediaUploads[0]?.uri}"`);
    expect(uploads()).toBe(1);
    expect(await session.mediaReport()).toEqual([]);
  });

  it("WFL-136 above 8 MiB go in pieces from the store, in one attempt", async () => {
    const session = await conversations.start(gemini);
    const notes = Buffer.alloc(20 * 1024 * 1024, "A long line of notes.\n");
    stack.simulator.script({ reply: { text: "Notes." } });
    const sent = await session.run("What is it?", { files: [{ name: "notes.txt", data: notes }] });
    expect(sent).toMatchObject({ output: "Notes.", attempt: 1, providerCalls: 1 });
    const pieces = stack.simulator.calls.filter(({ path }) => path.startsWith("/upload/"));
    expect(pieces.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it("WFL-137 are in a saved file by their address, their bytes in the media table, and go on where nobody has them", async () => {
    const session = await conversations.start(gemini);
    const { mediaUploads } = await session.run("What is in this clip?", { files: files.slice(0, 1) });
    const [upload] = mediaUploads;
    const saved = await session.toEnvelope();
    expect(saved.media_policy).toBe("inline");
    expect(saved.messages[0]?.parts).toEqual([
      { fileData: { mimeType: "audio/wav", fileUri: upload?.uri } },
      { text: "What is in this clip?" },
    ]);
    expect(saved.media).toEqual({
      [upload?.sha256 ?? ""]: {
        mime_type: "audio/wav",
        size_bytes: 844,
        name: "clip.wav",
        uri: upload?.uri,
        expiration_time: upload?.expiration_time,
        data: Buffer.from(files[0]?.data ?? []).toString("base64"),
      },
    });
    const restored = await conversations.fromEnvelope(saved, { agent: gemini, id: `${session.id}-copy` });
    expect(await restored.messages()).toEqual(await session.messages());
    expect((await restored.toEnvelope()).messages).toEqual(saved.messages);
    expect(await restored.run("And how long is it?")).toMatchObject({ mediaUploads: [], providerCalls: 1 });
    expect(lastRequest()).toContain(`"fileUri":"${upload?.uri}"`);
    expect(uploads()).toBe(1);
    expect(await restored.mediaReport()).toEqual([]);
  });

  it("WFL-138 of a file that was saved more than 48 hours ago are uploaded from its media table, which the restored conversation reports", async () => {
    const session = await conversations.start(gemini);
    const { mediaUploads } = await session.run("What is in this clip?", { files: files.slice(0, 1) });
    const { checksum: _, ...saved } = await session.toEnvelope();
    const media = Object.fromEntries(
      Object.entries(saved.media).map(([sha256, entry]) => [
        sha256,
        { ...entry, expiration_time: "2026-01-01T00:00:00.000Z" },
      ]),
    );
    await restartWorker();
    const id = `${session.id}-old`;
    const restored = await conversations.fromEnvelope({ ...saved, media }, { agent: gemini, id });
    const { mediaUploads: again } = await restored.run("And how long is it?");
    expect(await restored.mediaReport()).toMatchObject([
      { reason: "expired_reuploaded", uri: mediaUploads[0]?.uri, message_index: 0 },
    ]);
    expect((await restored.toEnvelope()).messages[0]?.parts).toMatchObject([
      { fileData: { fileUri: again[0]?.uri } },
      {},
    ]);
    expect((await restored.toEnvelope()).media_report).toEqual(await restored.mediaReport());
  });

  it("WFL-139 whose bytes nobody has keep their address in the history, and are a text in the request once they are dead", async () => {
    const first = await conversations.start(gemini);
    const { mediaUploads } = await first.run("What is in this clip?", { files: files.slice(0, 1) });
    const fileData = { fileUri: mediaUploads[0]?.uri ?? "", mimeType: "audio/wav" };
    const messages = [
      { role: "user", parts: [{ fileData }, { text: "What is in this clip?" }] },
      { role: "model", parts: [{ text: "Silence." }] },
    ];
    const session = await conversations.fromMessages(messages, { dialect: "google", agent: gemini });
    expect((await session.run("And how long is it?")).providerCalls).toBe(1);
    expect(lastRequest()).toContain(`"fileUri":"${fileData.fileUri}"`);
    stack.simulator.advanceClock(48 * HOURS);
    expect((await session.run("And now?")).providerCalls).toBe(2);
    expect(lastRequest()).not.toContain("fileUri");
    expect((await session.messages()).slice(0, 2)).toEqual(messages);
    expect(await session.mediaReport()).toMatchObject([
      { reason: "expired_unavailable", uri: fileData.fileUri, message_index: 0 },
    ]);
    await session.run("And later?");
    expect(await session.mediaReport()).toHaveLength(1);
  });
});
