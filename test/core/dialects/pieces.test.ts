import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { conversion as anthropic } from "../../../src/core/dialects/anthropic/conversion.js";
import { convertHistory } from "../../../src/core/dialects/convert.js";
import { conversion as fireworks } from "../../../src/core/dialects/fireworks/conversion.js";
import { conversion as google } from "../../../src/core/dialects/google/conversion.js";
import { dialectFor } from "../../../src/core/dialects/index.js";
import { conversion as openai } from "../../../src/core/dialects/openai/conversion.js";
import { Inseparable, repairedEntries } from "../../../src/core/dialects/pieces.js";
import type { ConversionReportEntry, NativeMessage } from "../../../src/core/envelope/envelope.js";
import { DIALECT_NAMES, type DialectName } from "../../../src/core/providers.js";
import { historyIn } from "../../support/history-arbitrary.js";

const CONVERSIONS = { anthropic, openai, google, fireworks };

function read(
  dialect: DialectName,
  messages: readonly NativeMessage[],
  size: number,
): { readonly entries: readonly unknown[]; readonly report: readonly ConversionReportEntry[] } {
  const { startsTurn } = dialectFor(dialect);
  const report: ConversionReportEntry[] = [];
  const source = { messages, conversion: CONVERSIONS[dialect], startsTurn };
  const target = { callIds: anthropic.callIds, reserved: undefined };
  const entries = [...repairedEntries(source, target, report, size)];
  return { entries, report: report.toSorted((one, other) => one.index - other.index) };
}

describe.each(DIALECT_NAMES)("a history of %s", (dialect) => {
  it("DIA-338 says the same read in pieces as read whole", () => {
    let separable = 0;
    const property = fc.property(historyIn(dialect), fc.integer({ min: 1, max: 4 }), ({ messages }, size) => {
      try {
        const pieces = read(dialect, messages, size);
        separable += 1;
        expect(pieces).toEqual(read(dialect, messages, Number.POSITIVE_INFINITY));
      } catch (error) {
        if (!(error instanceof Inseparable)) throw error;
      }
    });
    fc.assert(property, { numRuns: 200 });
    expect(separable).toBeGreaterThan(20);
  });

  it("DIA-338 comes back byte for byte when it has many pieces", () => {
    const many = fc.array(historyIn(dialect), { minLength: 60, maxLength: 80 });
    fc.assert(
      fc.property(many, fc.constantFrom(...DIALECT_NAMES), (samples, to) => {
        const messages = samples.flatMap((sample) => sample.messages);
        const there = convertHistory({ from: dialect, to, messages });
        const back = convertHistory({ from: to, to: dialect, ...there });
        expect(JSON.stringify(back.messages)).toBe(JSON.stringify(messages));
      }),
      { numRuns: 10 },
    );
  });
});
