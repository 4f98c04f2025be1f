/**
 * What lies between the provider's token and the reader's frame, server and worker in this process: for one reader, and for a hundred of
 * one turn. Beside it the same answers read straight from the provider's SDK. Run with `npm run bench:streaming`;
 * `-- --turns 40 --readers 100 --pieces 20 --gap 20` are the defaults (gap in milliseconds);
 * `--json FILE` writes the lags of one reader, and then the hundred are left out.
 */
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import Anthropic from "@anthropic-ai/sdk";
import { Agent, Conversations, SseFrameSource } from "../dist/index.js";

const MOST_MS = 15;
const MODEL = "claude-haiku-4-5";

const { values } = parseArgs({
  options: {
    turns: { type: "string", default: "40" },
    readers: { type: "string", default: "100" },
    pieces: { type: "string", default: "20" },
    gap: { type: "string", default: "20" },
    json: { type: "string" },
  },
});
const [turns, readers, pieces, gapMs] = [values.turns, values.readers, values.pieces, values.gap].map(Number);

const now = () => performance.timeOrigin + performance.now();
const lag = (text) => now() - Number.parseFloat(text);
const sorted = (numbers) => numbers.toSorted((one, other) => one - other);
const at = (numbers, share) => sorted(numbers)[Math.floor((numbers.length - 1) * share)];
const ms = (value) => `${value.toFixed(1)} ms`.padStart(9);
const line = (name, lags) =>
  console.log(
    `  ${name.padEnd(44)} median ${ms(at(lags, 0.5))}   90 % ${ms(at(lags, 0.9))}   worst ${ms(at(lags, 1))}`,
  );

const server = new Worker(new URL("messages-server.mjs", import.meta.url), { workerData: { pieces, gapMs } });
const [baseURL] = await once(server, "message");
const folder = await mkdtemp(join(tmpdir(), "holdfast-bench-"));

/** The lag of each piece of one answer, read from the SDK itself. */
async function straight(client) {
  const lags = [];
  const stream = client.messages.stream({
    model: MODEL,
    max_tokens: 100,
    messages: [{ role: "user", content: "Now?" }],
  });
  for await (const event of stream)
    if (event.type === "content_block_delta") lags.push(lag(event.delta.text));
  return lags;
}

/** The lag of each text frame of one reading. */
async function reading(frames) {
  const lags = [];
  for await (const frame of frames) if (frame.type === "text") lags.push(lag(frame.text));
  return lags;
}

async function measure(conversations) {
  const client = new Anthropic({ apiKey: "none", baseURL });
  const session = await conversations.start(new Agent({ model: MODEL }));
  const [sdk, first, all] = [[], [], []];
  for (let turn = -3; turn < turns; turn++) {
    const plain = await straight(client);
    const lags = await reading((await session.submit("Now?")).stream());
    if (turn < 0) continue;
    sdk.push(plain[0]);
    first.push(lags[0]);
    all.push(...lags);
  }
  console.log(
    `From the provider's token to the reader, ${turns} turns of ${pieces} pieces, one every ${gapMs} ms:`,
  );
  line("the SDK alone, first token", sdk);
  line("Holdfast, first token to first frame", first);
  line("Holdfast, every token", all);
  const middle = at(first, 0.5);
  console.log(
    `  ${(middle / at(sdk, 0.5)).toFixed(1)} times the SDK alone; ${middle <= MOST_MS ? "within" : "NOT within"} ${MOST_MS} ms at the median`,
  );

  if (values.json !== undefined) {
    const figures = (lags) => ({ median: at(lags, 0.5), p95: at(lags, 0.95), min: at(lags, 0) });
    await writeFile(
      values.json,
      JSON.stringify({ sdk: figures(sdk), firstFrame: figures(first), everyFrame: figures(all) }),
    );
    return;
  }
  const { stream } = conversations.settings;
  const http = new SseFrameSource(stream);
  const inProcess = (turn) => turn.stream();
  const overHttp = (turn) => {
    const signal = AbortSignal.timeout(60_000);
    return http.subscribe(session.id, turn.turnId, { signal });
  };
  for (const [name, open, count] of [
    ["over HTTP", overHttp, 1],
    ["in the process", inProcess, readers],
    ["over HTTP, all in one process", overHttp, readers],
  ]) {
    const [firsts, every] = [[], []];
    for (let round = -1; round < 5; round++) {
      const turn = await session.submit("Now?");
      const lags = await Promise.all(Array.from({ length: count }, () => reading(open(turn))));
      if (lags.some((one) => one.length !== pieces)) throw new Error("A reader missed a frame.");
      if (round < 0) continue;
      firsts.push(...lags.map((one) => one[0]));
      every.push(...lags.flat());
    }
    console.log(
      `${count} ${count === 1 ? "reader" : "readers"} of one turn ${name}, 5 turns; none missed a frame:`,
    );
    line("first token to first frame", firsts);
    line("every token", every);
    console.log(`  ${(at(every, 0.5) / at(all, 0.5)).toFixed(1)} times one reader in the process`);
  }
}

try {
  await using conversations = await Conversations.connect({
    embedded: true,
    cwd: folder,
    env: {
      ...process.env,
      ANTHROPIC_API_KEY: "none",
      ANTHROPIC_BASE_URL: baseURL,
      HOLDFAST_SIMULATOR_URL: "",
    },
  });
  await measure(conversations);
} finally {
  await server.terminate();
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
