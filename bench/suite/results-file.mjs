// The JSON of a run: the machine, the systems, and by measure when it was taken, under which load, and its figures.
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem, type } from "node:os";

export function machine() {
  const processors = cpus();
  return {
    processor: processors[0].model.trim(),
    processors: processors.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.versions.node,
  };
}

/** One minute's, two digits. */
export const load = () => Number(loadavg()[0].toFixed(2));

/** What a run has found. `measures[name]` has `at`, `load` (before and after) and `systems`. */
export function resultsOf({ systems, options, measures }) {
  const described = systems.map(({ name, peer: { title, about }, versions, skipped }) => ({
    name,
    title,
    about,
    ...(skipped === undefined ? { versions } : { skipped }),
  }));
  return { machine: machine(), options, systems: described, measures };
}

/** Undefined where there is no such file. */
export function readResults(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

export function writeResults(file, results) {
  writeFileSync(file, `${JSON.stringify(results, null, 1)}\n`);
}

/** The newer figures in the place of older ones, system by system; what was not measured again stays. */
export function merged(older, newer) {
  const measures = { ...older.measures };
  for (const [name, measure] of Object.entries(newer.measures))
    measures[name] = { ...measure, systems: { ...measures[name]?.systems, ...measure.systems } };
  const names = new Set(newer.systems.map(({ name }) => name));
  const systems = [...older.systems.filter(({ name }) => !names.has(name)), ...newer.systems];
  return { ...newer, systems, measures };
}

/** The figures of a system in a measure; undefined where there are none, or only why. */
export function figuresOf(results, measure, system) {
  const figures = results.measures[measure]?.systems[system];
  return figures?.error === undefined || Object.keys(figures).length > 1 ? figures : undefined;
}
