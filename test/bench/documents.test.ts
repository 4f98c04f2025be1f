import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { repositoryRoot } from "../support/source-file.js";

const load = async (path: string) => import(pathToFileURL(join(repositoryRoot, "bench", path)).href);
const read = (path: string) => readFileSync(join(repositoryRoot, path), "utf8");

const turns = (p50: number) => ({
  turn: { n: 5, min: 1, median: 2, p95: 3 },
  overhead: { min: p50 - 1, p50, p95: p50 + 9 },
  untilSeen: { n: 5, min: 1, median: 1, p95: 1 },
  untilSeenOverhead: { min: 1, p50: 4, p95: 5 },
  closely: {
    turn: { n: 5, min: 1, median: 2, p95: 3 },
    overhead: { min: p50, p50: p50 * 2, p95: p50 * 3 },
  },
});
const moment = (median: number) => ({
  byItself: true,
  ms: { n: 5, min: 1, median, p95: 9 },
  calls: { min: 1, max: 1, once: 5, of: 5 },
  right: true,
});

/** A run in which two systems were asked two things, and one could not be had. */
const RESULTS = {
  machine: { processor: "Chip", processors: 2, memoryGiB: 24, system: "Linux 6", node: "24.1.0" },
  options: {
    quick: false,
    lengths: [10, 200, 1_000],
    rounds: 5,
    resumeLengths: [200, 2_000],
    conversations: 50,
    crowdTurns: 10,
  },
  systems: [
    { name: "temporal-minimal", title: "Minimal", about: "The least.", versions: { openai: "7.0.0" } },
    { name: "holdfast", title: "Holdfast", about: "Ours.", versions: { holdfast: "0.1.0" } },
    { name: "other", title: "Other", about: "Theirs.", skipped: "there is no server for it" },
  ],
  measures: {
    turns: {
      at: "2026-11-30T07:00:00.000Z",
      load: [0.5, 1.5],
      systems: {
        "temporal-minimal": { 10: turns(40), 200: turns(40), error: "ended at 300 turns" },
        holdfast: { 10: turns(30), 200: turns(38), 1000: turns(31) },
      },
    },
    crash: {
      at: "2026-11-30T08:00:00.000Z",
      load: [1, 1],
      systems: {
        holdfast: {
          working: moment(1_900),
          replied: moment(2_100),
          written: { ...moment(1), longerThanMs: 90_000 },
        },
      },
    },
  },
};

describe("what the benchmark suite publishes", () => {
  it("BEN-6 holds a run against the budgets: kept, broken, or not measured", async () => {
    const { checkBudgets } = await load("budgets.mjs");
    const checked: { what: string; kept?: boolean; figure?: number }[] = checkBudgets(RESULTS);
    const of = (words: string) => checked.find(({ what }) => what.includes(words));
    expect(of("overhead per turn at 10 turns")).toMatchObject({ figure: 0.75, kept: true });
    expect(of("overhead per turn at 200 turns")).toMatchObject({ figure: 0.95, kept: false });
    expect(of("overhead per turn at 1000 turns")?.kept).toBeUndefined();
    expect(of("SIGKILL, working")).toMatchObject({ kept: true });
    expect(of("SIGKILL, replied")).toMatchObject({ kept: false });
    expect(of("SIGKILL, written")).toMatchObject({ figure: Number.POSITIVE_INFINITY, kept: false });
    expect(of("turns a second")?.kept).toBeUndefined();
  });

  it("BEN-7 writes figures, reasons for those that are missing, machine and versions from the JSON alone", async () => {
    const { resultsDocument } = await load("suite/write-documents.mjs");
    const text: string = resultsDocument(RESULTS);
    expect(text).toContain("2 × Chip, 24 GiB, Linux 6, Node 24.1.0; 2026-11-30, load average 0.5 to 1.5.");
    expect(text).toContain("| Minimal | 40 / 49 | 40 / 49 | ended at 300 turns |");
    expect(text).toContain("| Holdfast | 30 / 39 | 38 / 47 | 31 / 40 |");
    expect(text).toContain("| Holdfast | 60 / 90 | 76 / 114 | 62 / 93 |");
    expect(text).toContain("1,900 ms, calls: 1");
    expect(text).toContain("more than 90 s");
    expect(text).toContain("- **Minimal.** The least. (openai 7.0.0)");
    expect(text).toContain("- **Other.** Theirs. Skipped: there is no server for it.");
    expect(text).not.toMatch(/undefined|NaN/);
  });

  it("BEN-8 types no figure by hand: the page's block and the report are what the published JSON gives", async () => {
    const { pageWithFigures, resultsDocument } = await load("suite/write-documents.mjs");
    const page = read("docs/benchmarks.md");
    const once: string = pageWithFigures(page, RESULTS, ["overhead-per-turn"]);
    expect(once).toContain("![Overhead per turn over the bare SDK](charts/overhead-per-turn.svg)");
    expect(pageWithFigures(once, RESULTS, ["overhead-per-turn"])).toBe(once);
    expect(() => pageWithFigures("no marks", RESULTS)).toThrow("put them back");
    if (!existsSync(join(repositoryRoot, "bench/results.json"))) return;
    const results = JSON.parse(read("bench/results.json"));
    const charts = [...page.matchAll(/\]\(charts\/([\w-]+)\.svg\)/g)].map(([, name]) => name);
    expect(pageWithFigures(page, results, charts)).toBe(page);
    expect(resultsDocument(results)).toBe(read("bench/RESULTS.md"));
  });

  it("BEN-9 puts newer figures in the place of older ones, system by system", async () => {
    const { merged } = await load("suite/results-file.mjs");
    const newer = {
      ...RESULTS,
      systems: [{ name: "holdfast" }],
      measures: { turns: { at: "later", systems: { holdfast: { 10: 1 } } } },
    };
    const both = merged(RESULTS, newer);
    expect(both.systems.map(({ name }: { name: string }) => name)).toEqual([
      "temporal-minimal",
      "other",
      "holdfast",
    ]);
    expect(both.measures.turns.systems["temporal-minimal"]).toBe(
      RESULTS.measures.turns.systems["temporal-minimal"],
    );
    expect(both.measures.turns).toMatchObject({ at: "later", systems: { holdfast: { 10: 1 } } });
    expect(both.measures.crash).toBe(RESULTS.measures.crash);
  });

  it("BEN-10 draws charts whose text and lines follow the reader's light or dark colours", async () => {
    const { specifications } = await load("charts/specifications.mjs");
    const { styled } = await load("charts/style.mjs");
    expect(Object.keys(specifications(RESULTS))).toEqual([
      "overhead-per-turn",
      "until-the-provider-sees-it",
      "completion-after-a-kill",
    ]);
    expect(styled('<svg width="1"><text>t</text></svg>')).toMatch(
      /^<svg width="1"><style>[^<]*prefers-color-scheme: dark[^<]*<\/style><text>/,
    );
  });
});
