import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { convertHistory } from "../../../src/core/dialects/convert.js";
import { ARTEFACTS } from "../../../src/core/dialects/report.js";
import type { JsonValue } from "../../../src/core/json.js";
import { DIALECT_NAMES, type DialectName } from "../../../src/core/providers.js";
import { argumentsOf, historyIn, type SampleHistory } from "../../support/history-arbitrary.js";
import { deepFreeze } from "./deep-freeze.js";
import { grown, type History, moved } from "./travel.js";
import { callsIn, issuesOf, stringsIn, wellFormed } from "./wire-rules.js";

const RUNS = { numRuns: 40 } as const;
const directions = DIALECT_NAMES.flatMap((from) =>
  DIALECT_NAMES.filter((to) => to !== from).map((to) => ({ from, to })),
);

function convert(sample: SampleHistory, to: DialectName): ReturnType<typeof convertHistory> {
  const { dialect, messages, system } = sample;
  return convertHistory({ from: dialect, to, messages, system });
}

function start({ dialect, messages, system }: SampleHistory): History {
  return { dialect, messages, system, attic: [] };
}

describe.each(directions)("$from -> $to, of any history", ({ from, to }) => {
  const history = historyIn(from);

  it("DIA-330 what is converted satisfies the target's wire rules", () => {
    fc.assert(
      fc.property(history, (sample) => {
        const { messages, system } = convert(sample, to);
        expect(issuesOf(to, messages, system)).toEqual([]);
      }),
      RUNS,
    );
  });

  it("DIA-331 every text, call and result is kept, in order", () => {
    fc.assert(
      fc.property(history, (sample) => {
        const { messages, system } = convert(sample, to);
        const said = [...stringsIn(messages as JsonValue), system ?? ""];
        for (const text of sample.texts.map((one) => one.toWellFormed().trim()))
          expect(said.some((found) => found.includes(text)) ? text : said).toBe(text);
        expect(callsIn(to, messages)).toEqual(
          sample.calls.map(({ input }) => wellFormed(argumentsOf(input))),
        );
      }),
      RUNS,
    );
  });

  it("DIA-332 every report entry points into the source and speaks the fixed vocabulary", () => {
    fc.assert(
      fc.property(history, (sample) => {
        for (const { index, kind, artefact } of convert(sample, to).report) {
          expect(index).toBeGreaterThanOrEqual(0);
          expect(index).toBeLessThan(sample.messages.length);
          expect(ARTEFACTS).toContain(artefact);
          expect(["dropped", "rekeyed", "textified", "moved", "added", "wrapped", "changed"]).toContain(kind);
        }
      }),
      RUNS,
    );
  });

  it("DIA-333 the same input gives the same output, and is not changed", () => {
    fc.assert(
      fc.property(history, (sample) => {
        const once = convert(deepFreeze(sample), to);
        expect(JSON.stringify(convert(sample, to))).toBe(JSON.stringify(once));
      }),
      RUNS,
    );
  });

  it("DIA-334 the way back gives the history byte for byte and reports nothing", () => {
    fc.assert(
      fc.property(history, (sample) => {
        const back = moved(deepFreeze(moved(start(sample), to)), from);
        expect(JSON.stringify(back.messages)).toBe(JSON.stringify(sample.messages));
        expect([back.system, back.report]).toEqual([sample.system, []]);
      }),
      RUNS,
    );
  });

  it("DIA-335 a chain over another dialect, each adding a turn, gives it back too, and the wire takes it at each stop", () => {
    const over = fc.constantFrom(...DIALECT_NAMES.filter((name) => name !== from && name !== to));
    fc.assert(
      fc.property(history, over, (sample, second) => {
        const there = grown(moved(start(sample), to));
        const further = grown(moved(there, second));
        expect(issuesOf(second, further.messages, further.system)).toEqual([]);
        const back = moved(further, from);
        const kept = back.messages.slice(0, sample.messages.length);
        expect(JSON.stringify(kept)).toBe(JSON.stringify(sample.messages));
        expect(back.messages.length).toBe(sample.messages.length + 4);
      }),
      RUNS,
    );
  });
});
