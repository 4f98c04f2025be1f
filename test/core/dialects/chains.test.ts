import { readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dialectFor } from "../../../src/core/dialects/index.js";
import type { NativeMessage } from "../../../src/core/envelope/envelope.js";
import { DIALECT_NAMES, type DialectName } from "../../../src/core/providers.js";
import { historyIn, type SampleHistory } from "../../support/history-arbitrary.js";
import { repositoryRoot } from "../../support/source-file.js";
import { readCases, splitHistory } from "./conversion-case.js";
import { grown, type History, moved } from "./travel.js";

type Stop = readonly [from: DialectName, over: DialectName, to: DialectName];

const stops: readonly Stop[] = DIALECT_NAMES.flatMap((from) =>
  DIALECT_NAMES.flatMap((over) => DIALECT_NAMES.map((to): Stop => [from, over, to])),
).filter((names) => new Set(names).size === names.length);

/** What a stop adds to the history: there, at the far end, and on the way back. */
interface Growth {
  readonly there: (history: History) => History;
  readonly end: (history: History) => History;
  readonly back: (history: History) => History;
}
const nothing = (history: History): History => history;
const GROWTHS: readonly (readonly [string, Growth])[] = [
  ["nothing", { there: nothing, end: nothing, back: nothing }],
  ["the middle", { there: grown, end: nothing, back: nothing }],
  ["the far end", { there: nothing, end: grown, back: nothing }],
  ["every stop", { there: grown, end: grown, back: grown }],
];

interface Travelled {
  readonly there: History;
  readonly back: History;
  readonly home: ReturnType<typeof moved>;
}

/** A → B → C → B → A. */
function travelled(start: History, [, over, to]: Stop, growth: Growth): Travelled {
  const there = growth.there(moved(start, over));
  const back = moved(growth.end(moved(there, to)), over);
  return { there, back, home: moved(growth.back(back), start.dialect) };
}

const begins = (history: History, before: History): void => {
  const kept = history.messages.slice(0, before.messages.length);
  expect(JSON.stringify(kept)).toBe(JSON.stringify(before.messages));
  expect(history.system).toBe(before.system);
};

const families = readdirSync(join(repositoryRoot, "test/fixtures/cases"));
const sources = families.flatMap(readCases).filter(({ throws }) => throws === undefined);

describe("there and back over two other dialects", () => {
  it.each(sources)("DIA-323 gives $name back at both stops of the way", (source) => {
    const start: History = { dialect: source.from, ...splitHistory(source.input), attic: [] };
    for (const stop of stops.filter(([from]) => from === source.from)) {
      for (const [name, growth] of GROWTHS) {
        const { there, back, home } = travelled(start, stop, growth);
        begins(back, there);
        begins(home, start);
        if (name === "nothing") expect(home.report).toEqual([]);
      }
    }
  });

  it.each(stops)(
    "DIA-323 %s, %s, %s and back give any history, with any turns that each added",
    (...stop) => {
      const [from, over, to] = stop;
      fc.assert(
        fc.property(historyIn(from), historyIn(over), historyIn(to), (sample, middle, end) => {
          const start = opened(sample);
          const growth = { there: continued(middle), end: continued(end), back: nothing };
          const { there, back, home } = travelled(start, stop, growth);
          begins(back, there);
          begins(home, start);
        }),
        { numRuns: 8 },
      );
    },
  );
});

const isSystem = ({ role }: NativeMessage): boolean => role === "system" || role === "developer";

/** The sample with something said in it, behind the system text that leads. */
function opened({ dialect, messages, system }: SampleHistory): History {
  const first = messages.findIndex((message) => !isSystem(message));
  return {
    dialect,
    messages: messages.toSpliced(first, 0, dialectFor(dialect).userMessage("First.", [])),
    system,
    attic: [],
  };
}

/** A turn of the sample's own, then all of the sample; system text is a matter of its own. */
function continued({ dialect, messages }: SampleHistory): (history: History) => History {
  const added = messages.filter((message) => !isSystem(message));
  return (history) => ({
    ...history,
    messages: [...history.messages, dialectFor(dialect).userMessage("Next.", []), ...added],
  });
}
