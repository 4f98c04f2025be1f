import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { dialectFor } from "../../../src/core/dialects/index.js";
import { DIALECT_NAMES } from "../../../src/core/providers.js";
import { repositoryRoot } from "../../support/source-file.js";
import { readCases, splitHistory } from "./conversion-case.js";
import { grown, type History, moved } from "./travel.js";

const families = readdirSync(join(repositoryRoot, "test/fixtures/cases"));
const sources = families.flatMap(readCases).filter(({ throws }) => throws === undefined);

describe("the way back", () => {
  for (const source of sources) {
    const start: History = { dialect: source.from, ...splitHistory(source.input), attic: [] };
    const others = DIALECT_NAMES.filter((name) => name !== source.from);

    it(`DIA-320 gives ${source.name} back byte for byte from every other dialect, and reports nothing`, () => {
      for (const there of others) {
        const back = moved(moved(start, there), source.from);
        expect(JSON.stringify(back.messages)).toBe(JSON.stringify(start.messages));
        expect([back.system, back.report]).toEqual([start.system, []]);
      }
    });

    it(`DIA-321 keeps ${source.name} byte for byte when the other dialect has added a turn, and converts that turn`, () => {
      for (const there of others) {
        const back = moved(grown(moved(start, there)), source.from);
        expect(JSON.stringify(back.messages.slice(0, start.messages.length))).toBe(
          JSON.stringify(start.messages),
        );
        expect(dialectFor(source.from).outputText(back.messages.slice(start.messages.length))).toBe("Yes.");
      }
    });

    it(`DIA-322 gives ${source.name} back after a chain over two other dialects that each added a turn`, () => {
      for (const first of others)
        for (const second of others.filter((name) => name !== first)) {
          const back = moved(grown(moved(grown(moved(start, first)), second)), source.from);
          expect(JSON.stringify(back.messages.slice(0, start.messages.length))).toBe(
            JSON.stringify(start.messages),
          );
          expect(back.messages.length).toBeGreaterThan(start.messages.length);
        }
    });
  }
});
