// What large attachments cost: memory of client and worker while 100 MiB are attached, restored and exported; the time of an
// export with a store against reading, hashing and writing the same bytes; 50 attachments of 5 MiB under each policy.
// A real server, a worker and a client as processes of their own, the simulator. Linux, for the peaks of memory are the kernel's.
// Run with npm run bench:media. --check exits with 1 above a bound, --json FILE writes the figures, --only big|ratio|many runs one part.
import { fork, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import {
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startLocalStack } from "../src/server/local-stack.js";

const MIB = 1024 * 1024;
/** Bounds of issue 5. */
const MOST_MEMORY = 3;
const MOST_TIME = 1.5;
const GOOGLE = "gemini-3.5-flash-lite";
const CLAUDE = "claude-haiku-4-5";

const { values: given } = parseArgs({
  options: {
    check: { type: "boolean" },
    json: { type: "string" },
    big: { type: "string", default: "100" },
    only: { type: "string" },
  },
});
const bigBytes = Number(given.big) * MIB;
const folder = await realpath(await mkdtemp(join(tmpdir(), "holdfast-media-")));
const rows = [];
await using parts = new AsyncDisposableStack();
parts.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
const stack = parts.use(
  await startLocalStack({
    root: folder,
    env: process.env,
    simulate: { keepBodies: false, contextTokens: 1e9 },
  }),
);
const worker = parts.use(await startWorker());
const client = parts.use(await startClient());

await writeFile(join(folder, "big.pdf"), pdf(bigBytes));
await writeFile(join(folder, "big.wav"), wav(bigBytes));
const wanted = (part) => given.only === undefined || given.only === part;
if (wanted("big")) await oneBigFile();
const ratio = wanted("ratio") ? await exportAgainstCopy() : undefined;
if (wanted("many")) await manyFiles();

print();
const failed = rows.filter(({ bound, times }) => bound !== undefined && times > bound);
if (given.json !== undefined) await writeFile(given.json, `${JSON.stringify({ ratio, rows }, null, 2)}\n`);
if (given.check === true && (failed.length > 0 || (ratio ?? 0) > MOST_TIME)) process.exitCode = 1;

/** Peaks are told as multiples of the file's size. */
async function oneBigFile() {
  const size = bigBytes;
  const about = { size, bound: MOST_MEMORY };
  const marker = await measured("attach a PDF", about, { step: "attach", path: "big.pdf" });
  await measured("a turn with a WAV, uploaded to Google", about, {
    step: "turn",
    id: "wav",
    model: GOOGLE,
    files: ["big.wav"],
  });
  const histories = {
    anthropic: [CLAUDE, anthropicMessages([marker])],
    google: [GOOGLE, googleMessages([marker])],
  };
  for (const [dialect, [model, messages]] of Object.entries(histories)) {
    await measured(`${dialect}: start from a history with the PDF`, about, {
      step: "history",
      id: `big-${dialect}`,
      model,
      dialect,
      messages,
      mediaStore: stack.settings.mediaStore,
    });
    await allPolicies(`${dialect}, PDF`, `big-${dialect}`, about);
    await measured(`${dialect}, PDF: close`, about, { step: "close", id: `big-${dialect}` });
  }
  await allPolicies("google, WAV", "wav", about);
}

/** Exports under each policy, and imports the file again where the bytes can be had. */
async function allPolicies(name, id, about) {
  const exported = join(folder, "exported", id);
  await mkdir(exported, { recursive: true });
  const mediaStore = join(exported, "media");
  for (const [policy, options] of Object.entries({
    auto: {},
    inline: { media: "inline" },
    externalize: { media: "externalize", mediaStore },
    strip: { media: "strip" },
  })) {
    const path = join(exported, `${policy}.json`);
    const here = { ...about, path };
    await measured(`${name}: export, ${policy}`, here, { step: "export", id, options: { ...options, path } });
    const restore = policy === "externalize" ? { mediaStore } : {};
    const copy = `${id}-${policy}`;
    await measured(
      `${name}: import, ${policy}`,
      { size: about.size, path },
      { step: "import", id: copy, path, options: restore },
    );
  }
}

/** Medians of alternating runs: an export to a new store, and the least that it can do. */
async function exportAgainstCopy() {
  await client.ask({ step: "turn", id: "ratio", model: GOOGLE, files: ["big.wav"] });
  const [key] = (await readdir(stack.settings.mediaStore)).filter((name) => name.endsWith(".wav"));
  const source = join(stack.settings.mediaStore, key);
  const exports = [];
  const copies = [];
  for (let round = 0; round < 7; round++) {
    const mediaStore = join(folder, "ratio", `store-${round}`);
    const path = join(folder, "ratio", `${round}.json`);
    copies.push(await timed(() => copyWithDigest(source, join(folder, "ratio", `copy-${round}`))));
    const options = { media: "externalize", mediaStore, path };
    exports.push(await timed(() => client.ask({ step: "export", id: "ratio", options })));
    await rm(join(folder, "ratio"), { recursive: true });
  }
  const [copy, exported] = [median(copies), median(exports)];
  console.log(
    `export with a store: ${exported.toFixed(0)} ms; reading, hashing and writing the same bytes: ${copy.toFixed(0)} ms; ratio ${(exported / copy).toFixed(2)} (at most ${MOST_TIME})`,
  );
  return exported / copy;
}

/** What a store does for a blob that it keeps: read, digest, written whole beside it, flushed, renamed. */
async function copyWithDigest(from, to) {
  await mkdir(join(to, ".."), { recursive: true });
  const hash = createHash("sha256");
  const file = await open(`${to}.tmp`, "wx");
  for await (const chunk of createReadStream(from, { highWaterMark: MIB })) {
    hash.update(chunk);
    await file.write(chunk);
  }
  hash.digest("hex");
  await file.sync();
  await file.close();
  await rename(`${to}.tmp`, to);
}

async function manyFiles() {
  const paths = [];
  for (let number = 0; number < 50; number++) {
    const path = join(folder, `part-${number}.pdf`);
    await writeFile(path, pdf(5 * MIB));
    paths.push(path);
  }
  const about = { size: 250 * MIB };
  await measured("50 × 5 MiB: attach and upload in 5 turns", about, async () => {
    for (let turn = 0; turn < 5; turn++)
      await client.ask({
        step: "turn",
        id: "many",
        model: GOOGLE,
        files: paths.slice(turn * 10, turn * 10 + 10),
      });
  });
  await allPolicies("50 × 5 MiB, google", "many", about);
  const markers = [];
  for (const path of paths) markers.push(await client.ask({ step: "attach", path }));
  await measured("50 × 5 MiB, anthropic: start from a history", about, {
    step: "history",
    id: "many-anthropic",
    model: CLAUDE,
    dialect: "anthropic",
    messages: anthropicMessages(markers),
    mediaStore: stack.settings.mediaStore,
  });
  await allPolicies("50 × 5 MiB, anthropic", "many-anthropic", about);
}

/** Runs a step and keeps its time and both peaks. */
async function measured(name, { size, bound, path }, step) {
  await client.ask({ step: "collect" });
  await Promise.all([client.settle(), worker.settle()]);
  const processes = [client, worker];
  const before = await Promise.all(processes.map((one) => one.resident()));
  for (const one of processes) await one.resetPeak();
  const begun = performance.now();
  let result;
  let error;
  try {
    result = typeof step === "function" ? await step() : await client.ask(step);
  } catch (thrown) {
    error = thrown.message.split("\n")[0];
  }
  const ms = performance.now() - begun;
  const peaks = await Promise.all(processes.map((one) => one.peak()));
  const [clientMemory, workerMemory] = peaks.map((peak, index) => Math.max(0, peak - before[index]));
  const written = path === undefined ? undefined : await sizeOf(path);
  const times = Math.max(clientMemory, workerMemory) / size;
  rows.push({ name, ms, clientMemory, workerMemory, times, bound, written, error });
  const memory = `client ${(clientMemory / MIB).toFixed(0)} MiB, worker ${(workerMemory / MIB).toFixed(0)} MiB`;
  console.error(`${name}: ${ms.toFixed(0)} ms, ${memory}${error === undefined ? "" : `, FAILED: ${error}`}`);
  return result;
}

function print() {
  const mib = (bytes) => (bytes === undefined ? "" : (bytes / MIB).toFixed(1));
  console.table(
    rows.map(({ name, ms, clientMemory, workerMemory, times, bound, written, error }) => ({
      step: name,
      ms: Math.round(ms),
      "client MiB": mib(clientMemory),
      "worker MiB": mib(workerMemory),
      "× size": times.toFixed(2),
      "file MiB": mib(written),
      result: error ?? (bound !== undefined && times > bound ? `ABOVE ${bound}` : "ok"),
    })),
  );
}

async function startClient() {
  const child = fork(fileURLToPath(new URL("media-client.mjs", import.meta.url)), {
    cwd: folder,
    execArgv: [
      "--expose-gc",
      "--import",
      new URL("../test/support/typescript-hooks.mjs", import.meta.url).href,
    ],
  });
  const answer = async () => {
    const [message] = await once(child, "message");
    if (message.error !== undefined) throw new Error(message.error);
    return message.result;
  };
  await answer();
  const ask = async (message) => {
    const answered = answer();
    child.send(message);
    return answered;
  };
  return { ...observed(child), ask, [Symbol.asyncDispose]: () => ended(child) };
}

async function startWorker() {
  const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
  const child = spawn(process.execPath, [main, "worker"], { cwd: folder, env: stack.workerEnv });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text) => {
      said += text;
    });
  while (!/ready|takes|polls|works/i.test(said)) {
    if (child.exitCode !== null) throw new Error(`The worker ended: ${said}`);
    await setTimeout(50);
  }
  return { ...observed(child), [Symbol.asyncDispose]: () => ended(child) };
}

async function ended(child) {
  const exited = once(child, "exit");
  if (child.connected) child.disconnect();
  else child.kill("SIGTERM");
  const late = globalThis.setTimeout(() => child.kill("SIGKILL"), 15_000);
  await exited;
  clearTimeout(late);
}

/** Memory of a process as the kernel counts it. */
function observed({ pid }) {
  const field = async (name) => {
    const status = await readFile(`/proc/${pid}/status`, "utf8");
    return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) * 1024;
  };
  return {
    resident: () => field("VmRSS"),
    peak: () => field("VmHWM"),
    resetPeak: () => writeFile(`/proc/${pid}/clear_refs`, "5"),
    /** Until the last step's memory has gone, as far as it goes. */
    settle: async () => {
      for (let last = Number.POSITIVE_INFINITY, tries = 0; tries < 10; tries++) {
        await setTimeout(300);
        const now = await field("VmRSS");
        if (now > last - MIB) return;
        last = now;
      }
    },
  };
}

/** A PDF of one page and so many bytes: what is not page is a stream of random ones. */
function pdf(size) {
  const head = Buffer.from(
    "%PDF-1.4\n1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj\n2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj\n3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 9 9]>> endobj\n4 0 obj <<>> stream\n",
  );
  const tail = Buffer.from("\nendstream endobj\ntrailer <</Root 1 0 R>>\n%%EOF\n");
  return Buffer.concat([head, randomBytes(size - head.length - tail.length), tail]);
}

function wav(size) {
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(size - 8, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(16_000, 24);
  head.writeUInt32LE(32_000, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write("data", 36);
  head.writeUInt32LE(size - 44, 40);
  return Buffer.concat([head, randomBytes(size - 44)]);
}

function anthropicMessages(markers) {
  return markers.flatMap(({ marker, mime_type: media_type }) => [
    {
      role: "user",
      content: [
        { type: "document", source: { type: "base64", media_type, data: marker } },
        { type: "text", text: "What does it say?" },
      ],
    },
    { role: "assistant", content: [{ type: "text", text: "Little." }] },
  ]);
}

function googleMessages(markers) {
  return markers.flatMap(({ marker, mime_type: mimeType }) => [
    { role: "user", parts: [{ inlineData: { mimeType, data: marker } }, { text: "What does it say?" }] },
    { role: "model", parts: [{ text: "Little." }] },
  ]);
}

async function timed(work) {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

async function sizeOf(path) {
  return (await stat(path).catch(() => undefined))?.size;
}
