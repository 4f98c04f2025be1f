// A conversation as a document, in a process of its own: export, import and persistence report beside JSON.parse + JSON.stringify, SHA-256 and a
// file write of the same bytes. Run by `measures/documents.mjs`, which gives the messages, the rounds and the file for the figures.
import { createHash } from "node:crypto";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, Conversations } from "../../dist/index.js";
import { historyIn } from "../conversion-history.mjs";
import { now } from "./clock.mjs";
import { summary } from "./statistics.mjs";

const [messages, rounds, file] = process.argv.slice(2);
const DIALECT = "fireworks";
const folder = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-bench-documents-")));
const WARM_UP = 2;

try {
  await using conversations = await Conversations.connect({ embedded: true, simulate: true, cwd: folder });
  writeFileSync(file, JSON.stringify(await measure(conversations)));
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

async function measure(conversations) {
  const agent = new Agent({ model: "compatible:bench-model" });
  const list = historyIn(DIALECT, Number(messages));
  const session = await conversations.fromMessages(list, { agent, dialect: DIALECT, id: "document" });
  const path = join(folder, "document.json");
  const text = await session.toJson({ path });
  const steps = {
    json: () => JSON.stringify(JSON.parse(text)),
    sha256: () => createHash("sha256").update(text).digest("hex"),
    write: () => writeWhole(join(folder, "copy.json"), text),
    export: () => session.toJson({ path, overwrite: true }),
    report: () => session.persistenceReport(),
    import: async (round) => {
      const imported = await conversations.fromJson(path, { agent, id: `imported-${round}` });
      await imported.status();
      return imported;
    },
  };
  const times = Object.fromEntries(Object.keys(steps).map((name) => [name, []]));
  for (let round = -WARM_UP; round < Number(rounds); round++)
    for (const [name, step] of Object.entries(steps)) {
      globalThis.gc?.();
      const began = now();
      const given = await step(round);
      const took = now() - began;
      if (name === "import") await given.close();
      if (round >= 0) times[name].push(took);
    }
  const figures = Object.entries(times).map(([name, all]) => [name, summary(all)]);
  return { messages: Number(messages), bytes: Buffer.byteLength(text), ...Object.fromEntries(figures) };
}

/** As safely as a checkpoint is written: beside it, flushed, renamed. */
async function writeWhole(path, text) {
  const handle = await open(`${path}.tmp`, "w");
  await handle.writeFile(text);
  await handle.sync();
  await handle.close();
  await rename(`${path}.tmp`, path);
}
