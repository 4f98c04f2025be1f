// How long the loop of a worker is blocked at most by the large work of a turn and of a rebind: on the main loop as small
// work is done, and with the threads that do large work. Needs a build: npm run build &&
// node --import ./test/support/typescript-hooks.mjs bench/event-loop.mjs
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { MockActivityEnvironment } from "@temporalio/testing";
import { convertConversation } from "../src/activities/convert-conversation.js";
import { DEFAULT_BOUNDS } from "../src/activities/dependencies.js";
import { checkpoint } from "../src/activities/keep-envelope.js";
import { callProvider } from "../src/activities/model-call.js";
import { WorkThreads } from "../src/activities/threads/work-threads.js";
import { TranscriptCache } from "../src/activities/transcript-cache.js";
import { TurnFrames } from "../src/activities/turn-frames.js";
import { createDataConverter } from "../src/connection/data-converter.js";
import { Agent } from "../src/core/agent.js";
import { envelopePieces } from "../src/core/conversation/export.js";
import { pageOf } from "../src/core/conversation/page.js";
import { freshState } from "../src/core/conversation/restore.js";
import { prefixOf } from "../src/core/envelope/fingerprint.js";
import { EMPTY_ROOT } from "../src/core/hash.js";
import { DirectoryMediaStore } from "../src/media-stores/directory-media-store.js";
import { createProviders } from "../src/providers/providers.js";
import { providerSettings } from "../src/providers/settings.js";
import { historyIn } from "./conversion-history.mjs";

const MIB = 1024 * 1024;
const folder = await mkdtemp(join(tmpdir(), "holdfast-loop-"));
const { address, server } = await discardingServer();
const settings = providerSettings({
  ANTHROPIC_API_KEY: "sk-none",
  ANTHROPIC_BASE_URL: address,
  OPENAI_API_KEY: "sk-none",
});
const mediaStore = new DirectoryMediaStore(join(folder, "media"));
const threads = new WorkThreads({ providers: settings, keyRemedy: undefined });
const agent = new Agent({ model: "claude-haiku-4-5", instructions: "Be brief." }).spec;

try {
  const attachment = await attach(20 * MIB);
  const pages = pagesOf(20 * MIB);
  const text = textOf(4 * MIB);
  const works = {
    "a turn with 20 MiB attached": (given) => turn(given, { files: [attachment] }),
    // On the main loop as far as it is text only, which each turn hands on as it stands.
    "a turn after 4 MiB of text": (given) => turn(given, { messages: text }),
    "a rebind of 20 MiB": (given) => inActivity(pages, () => convertConversation(given, rebindInput())),
    "a checkpoint of 20 MiB": (given) => inActivity(pages, () => checkpoint(given, checkpointInput())),
  };
  const nothing = [];
  for (let time = 0; time < 5; time += 1) nothing.push(await longestBlock(() => setTimeout(500)));
  print("nothing at all", nothing);
  const reading = [];
  for (let time = 0; time < 5; time += 1)
    reading.push(await longestBlock(() => mediaStore.get(attachment.marker.slice(7))));
  print("reading 20 MiB from the store alone", reading);
  for (const [name, work] of Object.entries(works)) {
    for (const [where, given] of [
      ["main loop", { threads: undefined }],
      ["threads", { threads }],
    ]) {
      const longest = [];
      for (let time = 0; time < 5; time += 1)
        longest.push(await longestBlock(() => work(dependencies(given))));
      print(`${name}, ${where}`, longest);
    }
  }
  const converted = await inActivity(pages, () =>
    convertConversation(dependencies({ threads }), rebindInput()),
  );
  await encoding("the payload of that rebind as the SDK stores it", converted);
} finally {
  await threads.close();
  await server.terminate();
  await rm(folder, { recursive: true, force: true });
}

function dependencies(given) {
  return {
    providers: createProviders(settings),
    providerSettings: settings,
    mediaStore,
    closedFolder: undefined,
    frames: { push: () => undefined, flush: async () => undefined },
    transcripts: new TranscriptCache(),
    agents: new Map(),
    bounds: DEFAULT_BOUNDS,
    convert: true,
    ...given,
  };
}

function print(name, longest) {
  console.log(`${name}: longest block ${longest.map((ms) => ms.toFixed(0)).join(", ")} ms`);
}

/** Milliseconds for which the loop stood still at most while this ran. */
async function longestBlock(work) {
  globalThis.gc?.();
  await setTimeout(100);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await work();
  await setTimeout(20);
  delay.disable();
  return delay.max / 1e6;
}

async function attach(size) {
  const bytes = randomBytes(size);
  bytes.write("%PDF-1.7\n");
  const key = `${createHash("sha256").update(bytes).digest("hex")}.pdf`;
  await mediaStore.put(key, bytes);
  return { marker: `$media:${key}`, mime_type: "application/pdf", size_bytes: size, name: "contract.pdf" };
}

function turn(given, { files = [], messages = [] }) {
  const frames = new TurnFrames(given.frames, { conversation: "c", turn: "t", attempt: 1 });
  const input = {
    conversation_id: "c",
    run_id: "r",
    turn_id: "t",
    root: EMPTY_ROOT,
    user: { text: "What does it say?", files },
    agent: "",
  };
  const transcript = { agent, system: null, served: [], messages };
  const signal = new AbortController().signal;
  return callProvider(given, { input, transcript, frames, attempt: 1, signal, onCall: () => 1 });
}

function textOf(bytes) {
  const message = (role) => ({ role, content: [{ type: "text", text: `${"word ".repeat(79)}done.` }] });
  return Array.from({ length: bytes / 460 }, (_, index) => message(index % 2 === 0 ? "user" : "assistant"));
}

function rebindInput() {
  return { conversation_id: "c", run_id: "r", agent: new Agent({ model: "gpt-6-luna" }).spec };
}

function checkpointInput() {
  return { conversation_id: "c", run_id: "r", path: join(folder, "checkpoint.json"), turn_id: "t" };
}

/** All pages of a conversation of about this many bytes, made beforehand: the workflow makes them in a thread of its own. */
function pagesOf(bytes) {
  const messages = historyIn("anthropic", 4 * Math.ceil(bytes / 1_300));
  const fresh = freshState({
    conversationId: "c",
    now: new Date().toISOString(),
    agent,
    prefix: prefixOf(agent),
    checkpoint: null,
  });
  const pieces = envelopePieces({ ...fresh, tail: { ...fresh.tail, messages } });
  const pages = [];
  for (let next = {}; next !== null; ) {
    const page = pageOf(pieces, next, 1);
    pages.push(JSON.stringify({ ...page, conversions: 0 }));
    next = page.next;
  }
  console.log(
    `history: ${(JSON.stringify(messages).length / MIB).toFixed(1)} MiB, ${messages.length} messages, ${pages.length} pages`,
  );
  return pages;
}

function inActivity(pages, work) {
  let page = 0;
  const query = async ({ name }) => {
    await setTimeout(0);
    if (name === "turn") return undefined;
    const text = pages[page++ % pages.length];
    return JSON.parse(text);
  };
  const client = { workflow: { getHandle: () => ({ query }) }, withAbortSignal: (_signal, call) => call() };
  return new MockActivityEnvironment({ attempt: 1 }, { client }).run(work);
}

async function encoding(name, value) {
  const { loadDataConverter } = await import("@temporalio/common/lib/internal-non-workflow/index.js");
  const converter = loadDataConverter(createDataConverter(new DirectoryMediaStore(join(folder, "payloads"))));
  const [driver] = converter.externalStorage.drivers;
  const longest = await longestBlock(async () => {
    const payload = converter.payloadConverter.toPayload(value);
    await driver.store({}, [payload]);
  });
  print(name, [longest]);
}

/** A Messages service in a thread of its own that reads a request of any size and says one word. */
async function discardingServer() {
  const workerData = { pieces: 1, gapMs: 0 };
  const server = new Worker(fileURLToPath(new URL("messages-server.mjs", import.meta.url)), { workerData });
  const [address] = await once(server, "message");
  return { address, server };
}
