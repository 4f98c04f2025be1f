// What Holdfast promises of its speed, size and recovery. `npm run bench -- --check` compares a run's figures with these.
import { figuresOf } from "./suite/results-file.mjs";

const LENGTHS = [10, 200, 1_000];
const GROWTH = [200, 1_000];
const CONVERSION_MOST = 4;

const holdfast = (results, measure) => figuresOf(results, measure, "holdfast");
const minimal = (results, measure) => figuresOf(results, measure, "temporal-minimal");
/** Of two figures, undefined where one is missing. */
const ratio = (value, other) => (value === undefined || other === undefined ? undefined : value / other);
const bytesAt = (figures, turns) => (figures?.[turns] === undefined ? undefined : figures[turns] / turns);
const bytesBetween = (figures, from, to) =>
  figures?.[from] === undefined || figures[to] === undefined
    ? undefined
    : (figures[to] - figures[from]) / (to - from);

/** Against the minimal Temporal workflow, whose caller waits in its update. */
function overheadBudget(what, pick) {
  const overhead = (figures) => figures && pick(figures)?.overhead.p50;
  return {
    what: `${what}, of the minimal Temporal workflow's`,
    most: 0.85,
    unit: "×",
    value: (results) => ratio(overhead(holdfast(results, "turns")), overhead(minimal(results, "turns"))),
  };
}

/**
 * `value` gives the figure of a run's results, undefined where it was not measured; it is to be at most `most`, or at least `least`.
 * A digit is what its message is rounded to.
 */
export const BUDGETS = [
  ...LENGTHS.flatMap((length) => [
    overheadBudget(`overhead per turn at ${length} turns`, (figures) => figures[length]),
    overheadBudget(
      `overhead per turn at ${length} turns, one upon the other`,
      (figures) => figures[length]?.closely,
    ),
  ]),
  {
    what: "overhead per turn, the longest conversation's of the shortest's",
    most: 1.15,
    unit: "×",
    value(results) {
      const figures = holdfast(results, "turns");
      return ratio(figures?.[LENGTHS.at(-1)]?.overhead.p50, figures?.[LENGTHS[0]]?.overhead.p50);
    },
  },
  {
    what: "turns a second with 50 conversations, of the minimal Temporal workflow's",
    least: 0.9,
    unit: "×",
    value: (results) =>
      ratio(
        holdfast(results, "crowd")?.turnsPerSecond.median,
        minimal(results, "crowd")?.turnsPerSecond.median,
      ),
  },
  ...GROWTH.flatMap((length) => [
    {
      what: `bytes stored per turn at ${length} turns, of the minimal Temporal workflow's`,
      most: 1.6,
      unit: "×",
      value: (results) =>
        ratio(bytesAt(holdfast(results, "bytes"), length), bytesAt(minimal(results, "bytes"), length)),
    },
    {
      what: `bytes stored per turn at ${length} turns`,
      most: 4_500,
      unit: "bytes",
      value: (results) => bytesAt(holdfast(results, "bytes"), length),
    },
  ]),
  {
    what: "bytes stored per turn, of turns 200 to 1,000 of those of turns 10 to 200",
    most: 1.1,
    unit: "×",
    value(results) {
      const figures = holdfast(results, "bytes");
      return ratio(bytesBetween(figures, 200, 1_000), bytesBetween(figures, 10, 200));
    },
  },
  {
    what: "resume of 200 turns in a fresh process",
    most: 1_200,
    unit: "ms",
    value: (results) => holdfast(results, "resume200")?.total.median,
  },
  {
    what: "resume of 2,000 turns, of the minimal Temporal workflow's with as many events to replay",
    most: 1.2,
    unit: "×",
    value: (results) =>
      ratio(
        holdfast(results, "resume2000")?.total.median,
        minimal(results, "resume2000SameEvents")?.total.median,
      ),
  },
  ...["working", "replied", "written"].map((moment) => ({
    what: `completion by itself after a SIGKILL, ${moment}, from the new process's start`,
    most: 2_000,
    unit: "ms",
    value: (results) => completion(holdfast(results, "crash")?.[moment]),
  })),
  {
    what: "paid calls of a turn whose reply had arrived and been written",
    most: 1,
    unit: "calls",
    value: (results) => holdfast(results, "crash")?.written.calls.max,
  },
  {
    what: "conversion of a long history, the slowest direction, of JSON.parse + JSON.stringify",
    most: CONVERSION_MOST,
    unit: "×",
    value(results) {
      const directions = Object.values(holdfast(results, "conversion") ?? {});
      return directions.length === 0
        ? undefined
        : Math.max(...directions.map(({ ratioOfMinima }) => ratioOfMinima));
    },
  },
  {
    what: "export of 100 MiB with a store, of reading, hashing and writing them",
    most: 1.5,
    unit: "×",
    value: (results) => holdfast(results, "media")?.ratio,
  },
  {
    what: "from the provider's first token to the reader's first frame",
    most: 15,
    unit: "ms",
    value: (results) => holdfast(results, "streaming")?.firstFrame.median,
  },
  {
    what: "a round of ten tools that may be repeated, of a round of one",
    most: 2,
    unit: "×",
    value: (results) => holdfast(results, "tools")?.repeated,
  },
  {
    what: "a round of ten tools that may not, of a round of one, of a bare workflow's whose activities beat once",
    most: 1.1,
    unit: "×",
    value(results) {
      const tools = holdfast(results, "tools");
      return ratio(tools?.once, tools?.bareBeating);
    },
  },
];

/** Turns that did not complete, or not by themselves, have no time that would do. */
function completion(figures) {
  if (figures === undefined) return undefined;
  return figures.byItself && figures.longerThanMs === undefined
    ? figures.ms.median
    : Number.POSITIVE_INFINITY;
}

/** Each budget with its `figure`, and whether it is `kept`; undefined where it was not measured. */
export function checkBudgets(results, budgets = BUDGETS) {
  return budgets.map(({ value, ...budget }) => {
    const figure = value(results);
    const { most = Number.POSITIVE_INFINITY, least = Number.NEGATIVE_INFINITY } = budget;
    return {
      ...budget,
      figure,
      kept: figure === undefined ? undefined : figure <= most && figure >= least,
    };
  });
}
