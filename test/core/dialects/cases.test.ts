import { describe, expect, it } from "vitest";
import { SessionCompatibilityError } from "../../../src/core/errors/errors.js";
import {
  type ConversionCase,
  convertCase,
  factsOf,
  idsIn,
  readCases,
  splitHistory,
  withNumberedIds,
} from "./conversion-case.js";

/** Ids are compared up to a consistent renaming, except for those that the source has: they stay. */
function expectConverted(given: ConversionCase): void {
  const { messages, system, report } = convertCase(given);
  const expected = splitHistory(given.expected);
  expect(withNumberedIds({ messages, system }, given.input)).toEqual(withNumberedIds(expected, given.input));
  expect(factsOf(report)).toEqual(factsOf(given.report));
}

describe("conversion cases", () => {
  it.each(readCases("call-ids"))("DIA-300 keeps ids and names that the target takes, $name", (given) => {
    expectConverted(given);
  });

  it.each(readCases("call-ids"))("DIA-301 makes the same valid ids each time, $name", (given) => {
    const ids = idsIn(JSON.parse(JSON.stringify(convertCase(given).messages)));
    expect(ids).toEqual(idsIn(JSON.parse(JSON.stringify(convertCase(given).messages))));
    expect(ids.filter((id) => id.length > 64)).toEqual([]);
  });

  it.each(readCases("tool-rounds"))("DIA-302 keeps tool rounds whole, $name", (given) => {
    expectConverted(given);
  });

  it.each(readCases("refusals"))("DIA-303 refuses what no target can be told, $name", (given) => {
    const [, call = "?", index = "?"] = /(\S+) at \w+\[(\d+)\]$/.exec(given.throws) ?? [];
    const convert = (): unknown => convertCase(given);
    expect(convert).toThrow(SessionCompatibilityError);
    expect(convert).toThrow(new RegExp(`\\b${call}\\b.*\\b${index}\\b`));
  });

  it.each(readCases("reasoning"))("DIA-304 leaves foreign reasoning behind, $name", (given) => {
    expectConverted(given);
  });

  it.each(readCases("blank-content"))("DIA-305 writes no blank text, $name", (given) => {
    expectConverted(given);
  });

  it.each(readCases("arguments-and-results"))(
    "DIA-306 carries arguments and results of any form, $name",
    (given) => {
      expectConverted(given);
    },
  );

  it.each(readCases("media"))("DIA-307 places media by their type, $name", (given) => {
    expectConverted(given);
  });

  it.each(readCases("system-text"))("DIA-308 moves system text to the one place for it, $name", (given) => {
    expectConverted(given);
  });

  it.each(readCases("one-wire-only"))("DIA-309 reports what one wire alone knows, $name", (given) => {
    expectConverted(given);
  });
});
