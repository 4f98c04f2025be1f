// The figures of a run as Markdown tables, for bench/RESULTS.md and docs/benchmarks.md. Nothing is measured or typed here.
import { checkBudgets } from "../budgets.mjs";
import { bytes, milliseconds, number } from "./wording.mjs";

/** Figures of what has no peers stand in tables of their own. */
const LENGTHS_OF = (results) => results.options.lengths;

/** By name: the heading, what it says, and the table, without those that were not measured. */
export function tables(results) {
  return [
    turnsTable(results, {
      heading: "Overhead per turn over the bare SDK",
      about:
        "A turn's time less the bare SDK's, median and 95 % in ms; each turn 100 ms after the answer before it. The floor's row is the turn itself.",
      pick: (found) => ({ over: found.overhead, floor: found.turn }),
      chart: "overhead-per-turn",
    }),
    turnsTable(results, {
      heading: "The same, one turn upon the other",
      about:
        "The next turn is sent the moment the answer is there: what a system still does after an answer delays it.",
      pick: ({ closely }) => closely && { over: closely.overhead, floor: closely.turn },
    }),
    turnsTable(results, {
      heading: "Overhead until the provider sees the call",
      about:
        "What a reader waits before the model even begins, median and 95 % in ms over the bare SDK, after the same pause.",
      pick: (found) => ({ over: found.untilSeenOverhead, floor: found.untilSeen }),
      chart: "until-the-provider-sees-it",
    }),
    bytesTable(results),
    crowdTable(results),
    ...results.options.resumeLengths.map((length) => resumeTable(results, length)),
    crashTable(results),
    startTable(results),
    sizesTable(results),
    documentsTable(results),
    conversionTable(results),
    budgetsTable(results),
  ].filter((table) => table !== undefined);
}

/** `chart` gives the line for the picture of that file's name, if any. */
export function markdownOf({ heading, about, rows, charts }, chart = () => []) {
  const pictures = charts.flatMap((name) => chart(name, heading));
  return `${[`### ${heading}`, about, ...pictures, rows.join("\n")].join("\n\n")}\n`;
}

function table(heading, about, head, lines, charts = []) {
  if (lines.length === 0) return undefined;
  const row = (cells) => `| ${cells.join(" | ")} |`;
  const rule = head.map((_, index) => (index === 0 ? "---" : "---:"));
  return { heading, about, rows: [row(head), row(rule), ...lines.map(row)], charts };
}

/** A line for each system of the measure: its cells, or why there are none. */
function linesOf(results, measure, width, cells) {
  const found = results.measures[measure]?.systems ?? {};
  return results.systems
    .filter(({ name }) => found[name] !== undefined)
    .map(({ name, title }) => {
      const figures = found[name];
      const { error, ...rest } = figures;
      const own = Object.keys(rest).length === 0 ? [] : cells(rest, name, error);
      if (own.length > 0) return [title, ...own];
      return [title, error ?? "", ...Array.from({ length: width - 1 }, () => "")];
    });
}

function turnsTable(results, { heading, about, pick, chart }) {
  const lengths = LENGTHS_OF(results);
  const head = ["", ...lengths.map((length) => `at ${number(length)} turns`)];
  const pair = ({ p50, p95 }) => `${milliseconds(p50)} / ${milliseconds(p95)}`;
  const lines = linesOf(results, "turns", lengths.length, (figures, name, error) =>
    lengths.map((length) => {
      const found = figures[length] && pick(figures[length]);
      if (found === undefined) return results.measures.bytes?.systems[name]?.error ?? error ?? "";
      const { median, p95 } = found.floor;
      return name === "bare" ? `(${pair({ p50: median, p95 })})` : pair(found.over);
    }),
  );
  return table(heading, about, head, lines, chart === undefined ? [] : [chart]);
}

function bytesTable(results) {
  const lengths = LENGTHS_OF(results);
  const lines = linesOf(results, "bytes", lengths.length * 2, (figures, _name, error) => [
    ...lengths.map((length) => (figures[length] === undefined ? (error ?? "") : bytes(figures[length]))),
    ...lengths.map((length) => (figures[length] === undefined ? "" : bytes(figures[length] / length))),
  ]);
  const head = [
    "",
    ...lengths.map((length) => `${number(length)} turns`),
    ...lengths.map((length) => `a turn, of ${number(length)}`),
  ];
  return table(
    "Stored bytes",
    "After so many turns, and as much per turn. Each turn adds 200 bytes of question and 400 of answer.",
    head,
    lines,
    ["stored-bytes"],
  );
}

function crowdTable(results) {
  const { conversations, crowdTurns } = results.options;
  const lines = linesOf(results, "crowd", 6, ({ turnsPerSecond, turn, memory }) => [
    number(turnsPerSecond.median),
    number(turnsPerSecond.max),
    milliseconds(turn.p50),
    milliseconds(turn.p95),
    bytes(memory.heapBytesEach),
    bytes(memory.residentBytesEach),
  ]);
  return table(
    `${conversations} conversations side by side`,
    `${crowdTurns} turns each, client and engine in one process: turns a second (median and best round), a turn's time in ms, and what one more open conversation adds to that process, by its heap and by its resident memory.`,
    ["", "turns/s", "best", "turn p50", "turn p95", "heap each", "resident each"],
    lines,
    ["throughput", "memory-per-conversation"],
  );
}

const PARTS = ["node", "import", "connect", "worker"];

function resumeTable(results, length) {
  const parts = [...PARTS, "firstTurn", "nextTurn"];
  const measure = `resume${length}`;
  const lines = linesOf(results, measure, parts.length + 2, (figures) => [
    milliseconds(figures.total.median),
    milliseconds(figures.total.min),
    ...parts.map((part) => milliseconds(figures[part].median)),
  ]);
  const same = results.measures[`${measure}SameEvents`]?.systems;
  const found = same?.["temporal-minimal"];
  if (found?.total !== undefined)
    lines.push([
      `Temporal, minimal workflow, ${number(same.holdfast.events)} events as Holdfast`,
      milliseconds(found.total.median),
      milliseconds(found.total.min),
      ...parts.map((part) => milliseconds(found[part].median)),
    ]);
  return table(
    `Resume of ${number(length)} turns in a fresh process`,
    "From the process's start until the next turn is answered, in ms, median and minimum; then its parts, medians: node itself, imports, connections, the worker, the first turn with its replay, and the turn after it.",
    ["", "total", "min", "node", "import", "connect", "worker", "first turn", "next turn"],
    lines,
    [measure.replace("resume", "resume-")],
  );
}

function crashTable(results) {
  const cell = (figures) => {
    if (figures === undefined) return "";
    const { byItself, ms, longerThanMs, calls, right } = figures;
    const paid = calls.min === calls.max ? `${calls.min}` : `${calls.min} to ${calls.max}`;
    const took =
      longerThanMs === undefined ? `${milliseconds(ms.median)} ms` : `more than ${longerThanMs / 1_000} s`;
    return `${byItself ? took : `app must act (${took})`}, calls: ${paid}${right ? "" : ", history wrong"}`;
  };
  const lines = linesOf(results, "crash", 3, ({ working, replied, written }) =>
    [working, replied, written].map(cell),
  );
  return table(
    "What a SIGKILL costs",
    "The process is killed while the provider works, at the moment its reply has left it, and once the system has written that reply down (Holdfast: in its journal; where it cannot be seen from outside: 5 ms later); another is started at once. Time from that start until the turn is complete, without it being sent again, and how often the provider was called (and paid) for it.",
    ["", "killed while it works", "killed with the reply", "killed once it is written"],
    lines,
    ["completion-after-a-kill"],
  );
}

function startTable(results) {
  const parts = [...PARTS, "firstToken"];
  const lines = linesOf(results, "start", parts.length + 2, (figures) => [
    milliseconds(figures.total.median),
    milliseconds(figures.total.min),
    ...parts.map((part) => milliseconds(figures[part].median)),
  ]);
  return table(
    "From the process's start to the first token",
    "A new conversation, servers running; ms. Where a system does not stream, its whole answer.",
    ["", "total", "min", "node", "import", "connect", "worker", "first token"],
    lines,
    ["start-to-first-token"],
  );
}

function sizesTable(results) {
  const lines = linesOf(results, "sizes", 3, ({ installBytes, packages, bundleBytes }) => [
    bytes(installBytes),
    number(packages),
    bundleBytes === undefined ? "" : bytes(bundleBytes),
  ]);
  return table(
    "Sizes",
    "What is installed with all that it needs, in how many packages, and the workflow code that a worker loads. Servers are not counted.",
    ["", "installed", "packages", "workflow bundle"],
    lines,
  );
}

function documentsTable(results) {
  const figures = results.measures.documents?.systems.holdfast;
  if (figures?.json === undefined) return undefined;
  const lines = Object.entries({
    json: "JSON.parse + JSON.stringify",
    sha256: "SHA-256",
    write: "writing the file",
    export: "export to a file",
    import: "import of the file, until it answers",
    report: "persistence report",
  }).map(([name, title]) => [
    title,
    milliseconds(figures[name].min),
    milliseconds(figures[name].median),
    (figures[name].min / figures.json.min).toFixed(1),
  ]);
  return table(
    "A conversation as a document",
    `${number(figures.messages)} messages, ${bytes(figures.bytes)}, embedded; ms, and as a multiple of JSON.parse + JSON.stringify of the same bytes.`,
    ["", "min", "median", "× JSON"],
    lines,
  );
}

function conversionTable(results) {
  const found = results.measures.conversion?.systems.holdfast;
  if (found === undefined) return undefined;
  const lines = Object.entries(found)
    .filter(([, figures]) => figures.ms !== undefined)
    .map(([direction, { ms, ratioOfMinima, medianRatio }]) => [
      direction,
      milliseconds(ms),
      ratioOfMinima.toFixed(2),
      medianRatio.toFixed(2),
    ]);
  return table(
    "Conversions",
    `A history of ${number(results.options.documentMessages)} messages with tool rounds; ms, and as a multiple of JSON.parse + JSON.stringify of it, by the minima and at the median.`,
    ["", "min", "× JSON", "median ×"],
    lines,
  );
}

function budgetsTable(results) {
  const lines = checkBudgets(results).map(({ what, most, least, unit, figure, kept }) => [
    what,
    figure === undefined ? "not measured" : figureIn(figure, unit),
    most === undefined ? `at least ${figureIn(least, unit)}` : `at most ${figureIn(most, unit)}`,
    kept === undefined ? "" : kept ? "kept" : "**broken**",
  ]);
  return table(
    "Budgets",
    "What `npm run bench -- --check` holds Holdfast to.",
    ["", "measured", "budget", ""],
    lines,
  );
}

export function figureIn(value, unit) {
  if (!Number.isFinite(value)) return "never";
  return unit === "×" ? `${value.toFixed(2)} ×` : `${number(value)} ${unit}`;
}
