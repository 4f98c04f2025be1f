/** Rows in columns. */
import { stripVTControlCharacters } from "node:util";

/** Each column as wide as its widest cell; the last one as it comes. Styles do not count. */
export function table(rows: readonly (readonly string[])[]): readonly string[] {
  const width = (text: string): number => stripVTControlCharacters(text).length;
  const widths = rows.reduce<readonly number[]>(
    (most, row) => row.map((cell, index) => Math.max(most[index] ?? 0, width(cell))),
    [],
  );
  return rows.map((row) =>
    row
      .map((cell, index) => cell + " ".repeat(Math.max(0, (widths[index] ?? 0) - width(cell))))
      .join("  ")
      .trimEnd(),
  );
}
