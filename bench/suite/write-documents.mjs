// Writes what people read from the JSON of a run: bench/RESULTS.md, and the generated block of docs/benchmarks.md.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { markdownOf, tables } from "./tables.mjs";

const BEGIN = "<!-- figures: written by npm run bench, from bench/results.json -->";
const END = "<!-- end of the figures -->";

export function resultsDocument(results) {
  return `# Results\n\nWritten by \`npm run bench\`; edits are lost. docs/benchmarks.md says what to make of it.\n\n${runOf(results)}\n${tables(
    results,
  )
    .map((table) => markdownOf(table))
    .join("\n")}\n${systemsOf(results)}`;
}

/** The page with the block between its two marks written anew. @throws where a mark is missing */
export function pageWithFigures(page, results, charts = []) {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < from)
    throw new Error(`The page has not both marks, ${BEGIN} and ${END}: put them back.`);
  const picture = (name, heading) => (charts.includes(name) ? [`![${heading}](charts/${name}.svg)`] : []);
  const block = `${runOf(results)}\n${tables(results)
    .map((table) => markdownOf(table, picture))
    .join("\n")}`;
  return `${page.slice(0, from + BEGIN.length)}\n\n${block}\n${page.slice(to)}`;
}

/** `charts` is the folder of those that are drawn. */
export function writeDocuments(results, { report, page, charts }) {
  const drawn = readdirSync(charts).map((name) => basename(name, ".svg"));
  writeFileSync(report, resultsDocument(results));
  writeFileSync(page, pageWithFigures(readFileSync(page, "utf8"), results, drawn));
}

function runOf({ machine, options, measures }) {
  const { processor, processors, memoryGiB, system, node } = machine;
  const taken = Object.values(measures);
  const days = [...new Set(taken.map(({ at }) => at.slice(0, 10)))].toSorted();
  const loads = taken.flatMap(({ load }) => load);
  const load = loads.length === 0 ? "" : `, load average ${Math.min(...loads)} to ${Math.max(...loads)}`;
  const quick = options.quick ? " A quick run: few repetitions, so its figures say little." : "";
  return `${processors} × ${processor}, ${memoryGiB} GiB, ${system}, Node ${node}; ${days.join(" to ")}${load}. ${options.rounds} rounds, interleaved between the systems.${quick}\n`;
}

function systemsOf({ systems }) {
  const lines = systems.map(({ title, about, versions = {}, skipped }) => {
    const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
    return `- **${title}.** ${about} ${skipped === undefined ? `(${named.join(", ")})` : `Skipped: ${skipped}.`}`;
  });
  return `## The systems\n\n${lines.join("\n")}\n`;
}
