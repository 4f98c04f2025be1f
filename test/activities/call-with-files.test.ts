import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ActivityDependencies } from "../../src/activities/dependencies.js";
import { callProvider, type ModelCall } from "../../src/activities/model-call.js";
import type { MediaTable } from "../../src/activities/read-transcript.js";
import type { WorkThreads } from "../../src/activities/threads/work-threads.js";
import { TurnFrames } from "../../src/activities/turn-frames.js";
import type { CallModelResult } from "../../src/core/conversation/activity-contract.js";
import type { FileMarker, NativeMessage } from "../../src/core/envelope/envelope.js";
import { EMPTY_ROOT, extendRoot } from "../../src/core/hash.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import { createGoogleProvider } from "../../src/providers/google.js";
import { providerSettings } from "../../src/providers/settings.js";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.js";
import { activityWorld, callInput } from "../support/activity-world.js";
import { freshConversation } from "../support/conversation-samples.js";
import { sourceThreads } from "../support/source-threads.js";

const HOURS = 3_600_000;
const wav = new TextEncoder().encode("RIFF\x24\0\0\0WAVEfmt a clip");
const pdf = new TextEncoder().encode("%PDF-1.7\n1 0 obj\n<< /Type /Page >>\nendobj\n%%EOF\n");

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ contextTokens: 100_000_000 });
});
beforeEach(() => simulator.reset());
afterAll(() => simulator.close());

function fileOf(
  bytes: Uint8Array,
  name: string,
  mime_type: string,
): FileMarker & { readonly sha256: string } {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const marker = `$media:${sha256}.${name.split(".").at(-1)}`;
  return { marker, mime_type, size_bytes: bytes.length, name, sha256 };
}
const clip = fileOf(wav, "clip.wav", "audio/wav");
const plan = fileOf(pdf, "plan.pdf", "application/pdf");
const markerOf = ({ sha256: _, ...file }: ReturnType<typeof fileOf>): FileMarker => file;
const keyOf = ({ marker }: FileMarker): string => marker.slice("$media:".length);

interface Scene {
  readonly files?: readonly FileMarker[];
  readonly messages?: readonly NativeMessage[];
  readonly media?: MediaTable;
  readonly signal?: AbortSignal;
}

let threads: WorkThreads;
beforeAll(() => {
  threads = sourceThreads({
    providers: providerSettings({ HOLDFAST_SIMULATOR_URL: simulator.url }),
    threads: 1,
  });
});
afterAll(() => threads.close());

/** A worker with a store, a clock and one provider: `ask` makes a call of a conversation on it. */
async function worker({
  apiKey = "test",
  blobs = [wav, pdf] as readonly Uint8Array[],
  ...where
}: {
  readonly apiKey?: string;
  readonly blobs?: readonly Uint8Array[];
  readonly threads?: WorkThreads;
} = {}) {
  const store = new MemoryMediaStore();
  const known = [clip, plan];
  for (const [index, bytes] of [wav, pdf].entries()) {
    const file = known[index];
    if (file !== undefined && blobs.includes(bytes)) await store.put(keyOf(file), bytes);
  }
  let offset = 0;
  const provider = createGoogleProvider({ apiKey, baseUrl: simulator.baseUrls.google, simulated: true });
  const dependencies: ActivityDependencies = {
    ...activityWorld().dependencies,
    providers: { get: async () => provider },
    mediaStore: store,
    now: () => Date.now() + offset,
    ...where,
  };
  const ask = async ({ files, messages = [], media = {}, signal }: Scene): Promise<CallModelResult> => {
    const state = freshConversation({ agent: { model: "gemini-3.5-flash" } });
    const user = { text: "What is in it?", ...(files === undefined ? {} : { files }) };
    let calls = 0;
    const call: ModelCall = {
      input: callInput(state, { user, root: extendRoot(EMPTY_ROOT, messages) }),
      transcript: { agent: state.head.agent, system: null, served: [], messages, media: async () => media },
      frames: new TurnFrames(dependencies.frames, { conversation: "clip", turn: "t", attempt: 1 }),
      attempt: 1,
      signal: signal ?? new AbortController().signal,
      onCall: () => ++calls,
    };
    return (await callProvider(dependencies, call)).result;
  };
  const passTime = (milliseconds: number): void => {
    offset += milliseconds;
    simulator.advanceClock(milliseconds);
  };
  return { ask, passTime, dependencies };
}

const starts = () =>
  simulator.calls.filter(({ path, method }) => method === "POST" && path.startsWith("/upload/")).length / 2;
const gets = () => simulator.calls.filter(({ method }) => method === "GET").length;
const generations = () => simulator.calls.filter(({ path }) => path.includes("GenerateContent"));
const lastContents = (): readonly { readonly parts: readonly object[] }[] => {
  const body = generations().at(-1)?.body as { readonly contents: readonly { readonly parts: object[] }[] };
  return body.contents;
};

describe("files on a provider that keeps them", () => {
  it("ACT-100 are uploaded, also small ones, and stand in the request by their address, in the history by their marker", async () => {
    const { ask } = await worker();
    const result = await ask({ files: [markerOf(clip), markerOf(plan)] });
    const [first, second] = result.media_uploads ?? [];
    expect(first).toEqual({
      uri: expect.stringMatching(/\/v1beta\/files\/[a-z0-9]+$/),
      expiration_time: expect.stringMatching(/^\d{4}-.*Z$/),
      name: "clip.wav",
      mime_type: "audio/wav",
      size_bytes: wav.length,
      sha256: clip.sha256,
    });
    expect(lastContents()[0]?.parts).toEqual([
      { fileData: { fileUri: first?.uri, mimeType: "audio/wav" } },
      { fileData: { fileUri: second?.uri, mimeType: "application/pdf" } },
      { text: "What is in it?" },
    ]);
    expect(result.messages[0]?.parts).toEqual([
      { inlineData: { mimeType: "audio/wav", data: clip.marker } },
      { inlineData: { mimeType: "application/pdf", data: plan.marker } },
      { text: "What is in it?" },
    ]);
    expect(result.media?.[clip.sha256]).toEqual({
      mime_type: "audio/wav",
      size_bytes: wav.length,
      name: "clip.wav",
      ref: keyOf(clip),
      uri: first?.uri,
      expiration_time: first?.expiration_time,
    });
    expect(result).not.toHaveProperty("media_report");
    expect(result.provider_calls).toBe(1);
    expect(simulator.calls.flatMap(({ issues }) => issues)).toEqual([]);
  });

  it("ACT-101 are not uploaded again while they live, whoever asks on this worker", async () => {
    const { ask } = await worker();
    const { messages, media = {} } = await ask({ files: [markerOf(clip)] });
    const again = await ask({ messages, media });
    expect(starts()).toBe(1);
    expect(gets()).toBe(0);
    expect(again).not.toHaveProperty("media");
    expect(again).not.toHaveProperty("media_uploads");
    const attachedAgain = await ask({ messages, media, files: [markerOf(clip)] });
    expect(starts()).toBe(1);
    expect(attachedAgain.media_uploads).toMatchObject([{ uri: media[clip.sha256]?.uri }]);
  });

  it("ACT-102 are uploaded once for turns that run at the same time", async () => {
    const { ask } = await worker();
    const results = await Promise.all(Array.from({ length: 5 }, () => ask({ files: [markerOf(clip)] })));
    expect(starts()).toBe(1);
    expect(new Set(results.map(({ media_uploads }) => media_uploads?.[0]?.uri)).size).toBe(1);
    expect(generations()).toHaveLength(5);
  });

  it("ACT-103 are uploaded again once their time has passed, which the turn reports with the old address", async () => {
    const { ask, passTime } = await worker();
    const { messages, media = {} } = await ask({ files: [markerOf(clip)] });
    passTime(48 * HOURS);
    const later = await ask({ messages, media });
    const uri = media[clip.sha256]?.uri;
    expect(later.media_report).toEqual([
      {
        reason: "expired_reuploaded",
        mime_type: "audio/wav",
        size: wav.length,
        message_index: 0,
        uri,
        name: "clip.wav",
      },
    ]);
    expect(later.media_uploads).toMatchObject([{ sha256: clip.sha256, name: "clip.wav" }]);
    expect(later.media?.[clip.sha256]?.uri).not.toBe(uri);
    expect(lastContents()[0]?.parts[0]).toMatchObject({
      fileData: { fileUri: later.media_uploads?.[0]?.uri },
    });
    expect(starts()).toBe(2);
    expect(gets()).toBe(0);
    expect(generations().map(({ status }) => status)).toEqual([200, 200]);
  });

  it("ACT-104 that came with a history are looked for once, and uploaded again where they are dead or of another key", async () => {
    const first = await worker();
    const { messages, media = {} } = await first.ask({ files: [markerOf(clip)] });
    const second = await worker();
    await second.ask({ messages, media });
    await second.ask({ messages, media });
    expect([starts(), gets()]).toEqual([1, 1]);
    const stranger = await worker({ apiKey: "another" });
    const { media_report } = await stranger.ask({ messages, media });
    const uri = media[clip.sha256]?.uri;
    expect(media_report).toEqual([
      {
        reason: "dead_uri_reuploaded",
        mime_type: "audio/wav",
        size: wav.length,
        message_index: 0,
        uri,
        name: "clip.wav",
      },
    ]);
    expect([starts(), gets()]).toEqual([2, 2]);
    expect(generations().map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it("ACT-105 of which a call finds one dead are uploaded again for one more call of the same attempt", async () => {
    const { ask } = await worker();
    const { messages, media = {} } = await ask({ files: [markerOf(clip), markerOf(plan)] });
    const uri = media[clip.sha256]?.uri ?? "";
    await fetch(uri, { method: "DELETE", headers: { "x-goog-api-key": "test" } });
    const next = await ask({ messages, media });
    expect(next.provider_calls).toBe(2);
    expect(next.media_report).toMatchObject([{ reason: "dead_uri_reuploaded", uri, message_index: 0 }]);
    expect(next.media_uploads).toHaveLength(1);
    expect(generations().map(({ status }) => status)).toEqual([200, 403, 200]);
  });

  it("ACT-106 leave the failure of a call as it is where all of them live", async () => {
    const { ask } = await worker();
    const { messages, media = {} } = await ask({ files: [markerOf(clip)] });
    simulator.script({ match: { path: "GenerateContent" }, fault: { kind: "status", status: 403 } });
    await expect(ask({ messages, media })).rejects.toMatchObject({ kind: "permission", status: 403 });
    expect(generations()).toHaveLength(2);
    expect(gets()).toBe(1);
  });

  it("ACT-107 whose bytes nobody has are replaced by a text once they are dead, in the request only", async () => {
    const first = await worker();
    const { messages, media = {} } = await first.ask({ files: [markerOf(clip)] });
    const bare = await worker({ blobs: [] });
    await bare.ask({ messages, media });
    expect(lastContents()[0]?.parts[0]).toHaveProperty("fileData");
    bare.passTime(48 * HOURS);
    const { media_report, ...later } = await bare.ask({ messages, media });
    expect(media_report).toEqual([
      {
        reason: "expired_unavailable",
        mime_type: "audio/wav",
        size: wav.length,
        message_index: 0,
        uri: media[clip.sha256]?.uri,
        name: "clip.wav",
      },
    ]);
    expect(lastContents()[0]?.parts[0]).toEqual({ text: expect.stringContaining("audio/wav") });
    expect(later).not.toHaveProperty("media");
  });

  it("ACT-108 that stand in the history by their address are used while they live", async () => {
    const first = await worker();
    const { media_uploads: [upload] = [] } = await first.ask({ files: [markerOf(clip)] });
    const fileData = { fileUri: upload?.uri ?? "", mimeType: "audio/wav" };
    const messages = [
      { role: "user", parts: [{ fileData }, { text: "?" }] },
      { role: "model", parts: [{ text: "!" }] },
    ];
    const other = await worker({ blobs: [] });
    await other.ask({ messages });
    await other.ask({ messages });
    expect(gets()).toBe(1);
    expect(lastContents()[0]?.parts[0]).toEqual({ fileData });
    simulator.advanceClock(48 * HOURS);
    const { media_report, provider_calls } = await other.ask({ messages });
    expect(media_report).toMatchObject([{ reason: "expired_unavailable", uri: upload?.uri }]);
    expect(provider_calls).toBe(2);
    expect(lastContents()[0]?.parts[0]).toHaveProperty("text");
  });

  it("ACT-109 that came inline stay inline up to 20 MiB together; what is above is uploaded", async () => {
    const { ask, dependencies } = await worker();
    const large = new Uint8Array(11 * 1024 * 1024).fill(65);
    const other = new Uint8Array(11 * 1024 * 1024).fill(66);
    const small = new Uint8Array(1024).fill(67);
    const files = [large, other, small].map((bytes, index) => fileOf(bytes, `${index}.txt`, "text/plain"));
    for (const [index, bytes] of [large, other, small].entries()) {
      await dependencies.mediaStore.put(keyOf(files[index] ?? clip), bytes);
    }
    const parts = files.map(({ marker, mime_type }) => ({
      inlineData: { mimeType: mime_type, data: marker },
    }));
    const media = Object.fromEntries(
      files.map((file) => [
        file.sha256,
        { mime_type: file.mime_type, size_bytes: file.size_bytes, ref: keyOf(file) },
      ]),
    );
    const messages = [
      { role: "user", parts: [...parts, { text: "?" }] },
      { role: "model", parts: [{ text: "!" }] },
    ];
    const { media_uploads } = await ask({ messages, media });
    expect(media_uploads?.map(({ sha256 }) => sha256)).toEqual([files[1]?.sha256]);
    expect(lastContents()[0]?.parts.slice(0, 3)).toMatchObject([
      { inlineData: {} },
      { fileData: { fileUri: media_uploads?.[0]?.uri } },
      { inlineData: {} },
    ]);
  });

  it("ACT-110 are no longer sent once the turn is stopped: the socket of the upload is closed", async () => {
    const { ask } = await worker();
    simulator.script({ match: { path: "/upload/" }, fault: { kind: "hang" } });
    const stop = new AbortController();
    const asked = ask({ files: [markerOf(clip)], signal: stop.signal });
    await simulator.waitForCall(({ path }) => path.startsWith("/upload/"));
    stop.abort(new Error("stopped"));
    await expect(asked).rejects.toThrow("stopped");
    await simulator.waitForCall(({ clientClosed }) => clientClosed === true);
    expect(generations()).toHaveLength(0);
  });

  it("ACT-111 go on being uploaded for the other turns when one of those that wait is stopped", async () => {
    const { ask } = await worker();
    const pace = { delayMs: 200 };
    simulator.script({ match: { path: "/upload/" }, fault: { kind: "status", status: 503 }, pace });
    const stop = new AbortController();
    const stopped = ask({ files: [markerOf(clip)], signal: stop.signal });
    const other = ask({ files: [markerOf(clip)] });
    await simulator.waitForCall(({ path }) => path.startsWith("/upload/"));
    stop.abort(new Error("stopped"));
    await expect(stopped).rejects.toThrow("stopped");
    await expect(other).rejects.toMatchObject({ kind: "overloaded" });
    expect((await ask({ files: [markerOf(clip)] })).media_uploads).toHaveLength(1);
  });

  it("ACT-112 that cannot be uploaded fail the call with what the service said", async () => {
    const { ask } = await worker();
    const fault = { kind: "status", status: 429, retryAfter: 7 } as const;
    simulator.script({ match: { path: "/upload/" }, fault });
    const failed = ask({ files: [markerOf(clip), markerOf(plan)] });
    await expect(failed).rejects.toMatchObject({ kind: "rate_limited", retryAfterMs: 7_000 });
    expect(generations()).toHaveLength(0);
  });

  it("ACT-116 are uploaded and named for a call in a thread as well, and uploaded again where it finds them dead", async () => {
    // The threads' key is the simulator's own.
    const { ask } = await worker({ apiKey: "simulated", threads });
    const long = [
      { role: "user", parts: [{ text: `Read this: ${"x".repeat(8 * 1024 * 1024)}` }] },
      { role: "model", parts: [{ text: "Done." }] },
    ];
    const before = threads.tasks;
    const { messages, media = {}, media_uploads } = await ask({ messages: long, files: [markerOf(clip)] });
    expect(lastContents()[2]?.parts[0]).toEqual({
      fileData: { fileUri: media_uploads?.[0]?.uri, mimeType: "audio/wav" },
    });
    simulator.advanceClock(48 * HOURS);
    const next = await ask({ messages: [...long, ...messages], media });
    expect(next.media_report).toMatchObject([{ reason: "dead_uri_reuploaded", message_index: 2 }]);
    expect(next.provider_calls).toBe(2);
    expect(threads.tasks - before).toBe(3);
    expect(generations().map(({ status }) => status)).toEqual([200, 403, 200]);
  });

  it("ACT-117 of the history that the service does not take again, or that are damaged, are replaced by a text; those of the turn end it, by name", async () => {
    const refused = { kind: "status", status: 400, message: "Unsupported MIME type: audio/wav" } as const;
    const { ask, passTime } = await worker();
    const { messages, media = {} } = await ask({ files: [markerOf(clip), markerOf(plan)] });
    passTime(48 * HOURS);
    const mine = media[clip.sha256] ?? { mime_type: "audio/wav", size_bytes: 0 };
    const lying = { ...media, [clip.sha256]: { ...mine, size_bytes: mine.size_bytes + 1 } };
    const later = await ask({ messages, media: lying });
    expect(later.media_report).toMatchObject([
      { reason: "expired_unavailable", mime_type: "audio/wav" },
      { reason: "expired_reuploaded", mime_type: "application/pdf" },
    ]);
    expect(lastContents()[0]?.parts.slice(0, 2)).toMatchObject([
      { text: expect.any(String) },
      { fileData: {} },
    ]);
    simulator.script({ match: { path: "/upload/" }, fault: refused });
    const again = await ask({ messages: messages.slice(0, 2), media: { [clip.sha256]: mine } });
    expect(again.media_report).toMatchObject([{ reason: "expired_unavailable", mime_type: "audio/wav" }]);
    const other = await worker();
    simulator.script({ match: { path: "/upload/" }, fault: refused });
    await expect(other.ask({ files: [markerOf(clip)] })).rejects.toMatchObject({
      kind: "attachment_refused",
      message: expect.stringContaining("clip.wav"),
    });
  });
});
