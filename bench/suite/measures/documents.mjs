// What has no peer: conversation as a document, and the figures of the other benches, each run as the process that it is.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const HERE = join(import.meta.dirname, "..");
const BENCHES = join(HERE, "..");
const HOOKS = join(BENCHES, "../test/support/typescript-hooks.mjs");

/** Exports, imports and reports of a long conversation, and conversions of its history, against JSON. */
export async function documents(bench) {
  const { documentMessages, documentRounds } = bench.options;
  bench.say(`documents: ${documentMessages} messages, ${documentRounds} rounds`);
  const file = join(HERE, "documents-process.mjs");
  await figuresOf(bench, "documents", (json) => [
    "--expose-gc",
    file,
    documentMessages,
    documentRounds,
    json,
  ]);
  bench.say("conversion");
  await figuresOf(bench, "conversion", (json) => [
    ...["--import", HOOKS, join(BENCHES, "conversion.mjs")],
    ...["--messages", documentMessages, "--repetitions", documentRounds, "--json", json],
  ]);
}

/** The figures that other issues have budgets for: media, streams, rounds of tools. */
export async function others(bench) {
  const { otherTurns } = bench.options;
  bench.say("streaming, tools, media");
  const run =
    (name, ...more) =>
    (json) => ["--import", HOOKS, join(BENCHES, `${name}.mjs`), ...more, "--json", json];
  await figuresOf(bench, "streaming", run("streaming", "--turns", otherTurns));
  await figuresOf(bench, "tools", run("tools", "--turns", otherTurns));
  await figuresOf(bench, "media", run("media", "--only", "ratio"));
}

async function figuresOf(bench, measure, argumentsFor) {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-figures-"));
  const json = join(folder, "figures.json");
  try {
    await promisify(execFile)(process.execPath, argumentsFor(json).map(String), { maxBuffer: 2 ** 26 }).catch(
      (error) => {
        // Some end with 1 above their own limit, with figures all the same.
        if (error.code !== 1) throw error;
      },
    );
    bench.record(measure, "holdfast", JSON.parse(readFileSync(json, "utf8")));
  } catch (error) {
    bench.failed(measure, "holdfast", error);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
