// The charts, each as a vega-lite specification made from the JSON of a run. A system that has no figure is left out.
import { CONFIG, OURS, PALETTE, THEIRS } from "./style.mjs";

/** By file name, without its ending; those without figures are left out. */
export function specifications(results) {
  const all = {
    "overhead-per-turn": lines(results, {
      title: "What a turn costs over the bare SDK",
      subtitle: "median, ms, by the turns that the conversation has already; both axes logarithmic",
      rows: perLength(results, "turns", (figures) => figures.overhead.p50).filter(
        ({ system }) => system !== "bare",
      ),
      unit: "ms",
    }),
    "until-the-provider-sees-it": bars({
      title: "Before the provider sees the call",
      subtitle: `median over the bare SDK, ms, at ${results.options.lengths.at(1)} turns`,
      rows: perSystem(
        results,
        "turns",
        (figures) => figures[results.options.lengths[1]]?.untilSeenOverhead.p50,
      ).filter(({ system }) => system !== "bare"),
      unit: "ms",
    }),
    "stored-bytes": lines(results, {
      title: "What a conversation stores",
      subtitle: "MiB, by its turns; both axes logarithmic",
      rows: perLength(results, "bytes", (bytes) => bytes / 2 ** 20),
      unit: "MiB",
    }),
    throughput: bars({
      title: `Turns a second, ${results.options.conversations} conversations side by side`,
      subtitle: "median; client and engine in one process",
      rows: perSystem(results, "crowd", ({ turnsPerSecond }) => turnsPerSecond?.median).filter(
        ({ system }) => system !== "bare",
      ),
      unit: "turns/s",
    }),
    "memory-per-conversation": bars({
      title: "One more open conversation, in the process's memory",
      subtitle: `resident KiB, ${results.options.crowdTurns} turns each`,
      rows: perSystem(
        results,
        "crowd",
        ({ memory }) => memory && Math.max(0, memory.residentBytesEach / 1_024),
      ),
      unit: "KiB",
    }),
    ...Object.fromEntries(
      results.options.resumeLengths.map((length) => [
        `resume-${length}`,
        stacked({
          title: `A fresh process takes up ${length.toLocaleString("en-US")} turns`,
          subtitle: "from its start until the next turn is answered, ms, medians",
          rows: parts(results, `resume${length}`, "firstTurn"),
        }),
      ]),
    ),
    "start-to-first-token": stacked({
      title: "From a process's start to the first token",
      subtitle: "a new conversation, ms, medians",
      rows: parts(results, "start", "firstToken"),
    }),
    "completion-after-a-kill": bars({
      title: "Killed in mid-call: until the turn is complete",
      subtitle: [
        "by itself, from the new process's start, s",
        "not shown: who does not complete by itself, or not while it was waited for",
      ],
      rows: perSystem(results, "crash", ({ working }) =>
        working?.byItself && working.longerThanMs === undefined ? working.ms.median / 1_000 : undefined,
      ),
      unit: "s",
    }),
  };
  return Object.fromEntries(Object.entries(all).filter(([, specification]) => specification !== undefined));
}

function titled(results, system) {
  return results.systems.find(({ name }) => name === system)?.title ?? system;
}

function perSystem(results, measure, value) {
  return Object.entries(results.measures[measure]?.systems ?? {}).flatMap(([system, figures]) => {
    const found = value(figures);
    return Number.isFinite(found) ? [{ system, title: titled(results, system), value: found }] : [];
  });
}

function perLength(results, measure, value) {
  return Object.entries(results.measures[measure]?.systems ?? {}).flatMap(([system, figures]) =>
    results.options.lengths.flatMap((length) => {
      const found = figures[length] === undefined ? undefined : value(figures[length]);
      // A logarithmic axis has no place for what is not above nothing.
      return found > 0 ? [{ system, title: titled(results, system), length, value: found }] : [];
    }),
  );
}

const STEPS = { node: "node", import: "imports", connect: "connections", worker: "worker" };

function parts(results, measure, last) {
  const steps = { ...STEPS, [last]: last === "firstTurn" ? "replay and turn" : "first token" };
  return Object.entries(results.measures[measure]?.systems ?? {}).flatMap(([system, figures]) =>
    figures.total === undefined
      ? []
      : Object.entries(steps).map(([step, title], order) => ({
          system,
          title: titled(results, system),
          total: figures.total.median,
          step: title,
          order,
          value: figures[step].median,
        })),
  );
}

const colour = { condition: { test: "datum.system === 'holdfast'", value: OURS }, value: THEIRS };
const heading = ({ title, subtitle }) => ({ text: title, subtitle });
const names = { field: "title", type: "nominal", title: null };

function bars({ rows, unit, ...about }) {
  if (rows.length === 0) return undefined;
  return {
    title: heading(about),
    width: 460,
    height: { step: 26 },
    data: { values: rows },
    encoding: { y: { ...names, sort: "x" }, x: { field: "value", type: "quantitative", title: unit } },
    layer: [
      { mark: { type: "bar", height: 16, cornerRadiusEnd: 3 }, encoding: { color: colour } },
      {
        mark: { type: "text", align: "left", dx: 5, fontSize: 12 },
        encoding: { text: { field: "value", format: ",.3~r" } },
      },
    ],
    config: CONFIG,
  };
}

function stacked({ rows, ...about }) {
  if (rows.length === 0) return undefined;
  const steps = [...new Set(rows.map(({ step }) => step))];
  return {
    title: heading(about),
    width: 460,
    height: { step: 26 },
    data: { values: rows },
    mark: { type: "bar", height: 16 },
    encoding: {
      y: { ...names, sort: { field: "total", order: "ascending" } },
      x: { field: "value", type: "quantitative", title: "ms" },
      color: {
        field: "step",
        type: "nominal",
        title: null,
        scale: { domain: steps, range: PALETTE },
        legend: { orient: "bottom" },
      },
      order: { field: "order" },
    },
    config: CONFIG,
  };
}

function lines(results, { rows, unit, ...about }) {
  if (rows.length === 0) return undefined;
  const titles = results.systems.map(({ title }) => title);
  const shown = titles.filter((title) => rows.some((row) => row.title === title));
  const ours = titled(results, "holdfast");
  const rest = PALETTE.filter((one) => one !== OURS);
  // A system has its colour in every chart, whichever others are shown.
  const theirs = titles.filter((title) => title !== ours);
  const colourOf = (title) => (title === ours ? OURS : rest[theirs.indexOf(title) % rest.length]);
  const range = shown.map(colourOf);
  return {
    title: heading(about),
    width: 460,
    height: 300,
    data: { values: rows },
    encoding: {
      x: {
        field: "length",
        type: "quantitative",
        scale: { type: "log" },
        title: "turns",
        axis: { values: results.options.lengths, grid: false },
      },
      y: {
        field: "value",
        type: "quantitative",
        scale: { type: "log" },
        title: unit,
        axis: { tickCount: 6, format: "~g" },
      },
      color: { field: "title", type: "nominal", title: null, scale: { domain: shown, range } },
      strokeWidth: { condition: { test: "datum.system === 'holdfast'", value: 4 }, value: 2 },
    },
    mark: { type: "line", point: { size: 50 } },
    config: CONFIG,
  };
}
