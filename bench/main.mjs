// Holdfast beside what people would use instead: `npm run bench`. See bench/README.md for the options and for what a system is.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { checkBudgets } from "./budgets.mjs";
import { Bench } from "./suite/bench.mjs";
import { drawCharts } from "./suite/charts.mjs";
import { MEASURES, optionsOf } from "./suite/plan.mjs";
import { load, merged, readResults, resultsOf, writeResults } from "./suite/results-file.mjs";
import { loadSystems, systemNames } from "./suite/systems.mjs";
import { figureIn } from "./suite/tables.mjs";
import { resultsDocument, writeDocuments } from "./suite/write-documents.mjs";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    systems: { type: "string" },
    quick: { type: "boolean", default: false },
    merge: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    charts: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
  },
});
const FILES = {
  json: join(import.meta.dirname, "results.json"),
  unfinished: join(import.meta.dirname, "unfinished.json"),
  report: join(import.meta.dirname, "RESULTS.md"),
  page: join(import.meta.dirname, "../docs/benchmarks.md"),
  charts: join(import.meta.dirname, "../docs/charts"),
};
const say = (line) => console.error(`bench: ${line}`);
const isWhole = [values.only, values.systems].every((value) => value === undefined) && !values.quick;

const results = values.charts ? publishedResults() : await measured();
if (values.charts) await publish(results);
if (values.check) check(results);

async function measured() {
  const found = await run();
  if (isWhole) return publish(found);
  if (values.merge) return publish(merged(readResults(FILES.json) ?? found, found));
  console.log(resultsDocument(found));
  return found;
}

async function run() {
  const names = values.systems === undefined ? systemNames() : ["bare", ...values.systems.split(",")];
  const wanted = values.only === undefined ? Object.keys(MEASURES) : values.only.split(",");
  const unknown = [
    ...wanted.filter((name) => !MEASURES[name]),
    ...names.filter((name) => !systemNames().includes(name)),
  ];
  if (unknown.length > 0) {
    say(
      `there is no ${unknown.join(", ")}: measures are ${Object.keys(MEASURES).join(", ")}; systems ${systemNames().join(", ")}`,
    );
    process.exit(2);
  }
  const systems = await loadSystems([...new Set(names)], say);
  const options = optionsOf(values);
  const bench = await Bench.start({
    systems: systems.filter(({ skipped }) => skipped === undefined),
    options,
    say,
  });
  const measures = {};
  for (const signal of ["SIGINT", "SIGTERM"])
    process.once(signal, () => bench.stop().finally(() => process.exit(130)));
  try {
    for (const name of wanted) {
      const before = load();
      await MEASURES[name](bench).catch((error) => say(`${name} was given up: ${error.stack}`));
      for (const [measure, found] of Object.entries(bench.takeResults()))
        measures[measure] = { at: new Date().toISOString(), load: [before, load()], systems: found };
      writeResults(FILES.unfinished, resultsOf({ systems, options, measures }));
    }
  } finally {
    await bench.stop();
  }
  return resultsOf({ systems, options, measures });
}

async function publish(found) {
  writeResults(FILES.json, found);
  await drawCharts(FILES.json, FILES.charts, say);
  writeDocuments(found, FILES);
  return found;
}

function publishedResults() {
  const found = readResults(FILES.json);
  if (found !== undefined) return found;
  say("there is no bench/results.json: run `npm run bench` first");
  return process.exit(2);
}

function check(found) {
  const checked = checkBudgets(found);
  for (const { what, most, least, unit, figure, kept } of checked) {
    const bound =
      most === undefined ? `at least ${figureIn(least, unit)}` : `at most ${figureIn(most, unit)}`;
    const measuredAs = figure === undefined ? "not measured" : figureIn(figure, unit);
    say(`${kept === false ? "BROKEN" : kept === true ? "kept" : "-"}: ${what}: ${measuredAs}, ${bound}`);
  }
  const missing = checked.some(({ kept }) => kept === undefined);
  if (checked.some(({ kept }) => kept === false) || (missing && (isWhole || values.charts)))
    process.exitCode = 1;
}
