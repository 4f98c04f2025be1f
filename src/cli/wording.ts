/** Numbers, times and long texts, as lines on a terminal say them. */

/** “1 turn”, “3 turns”. */
export function count(number: number, noun: string): string {
  return `${number.toLocaleString("en-US")} ${noun}${number === 1 ? "" : "s"}`;
}

/** “512 B”, “1.4 KiB”, “12 MiB”. */
export function byteSize(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB"];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${power > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${units[power]}`;
}

/** “2026-11-29 21:26”, in UTC. */
export function minute(iso: string): string {
  return iso.slice(0, 16).replace("T", " ");
}

/** One line of at most so many characters. */
export function shorten(text: string, most: number): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  const letters = [...line];
  return letters.length <= most ? line : `${letters.slice(0, Math.max(1, most - 1)).join("")}…`;
}

export function tokens({
  input_tokens,
  output_tokens,
}: {
  readonly input_tokens: number;
  readonly output_tokens: number;
}): string {
  return `${input_tokens.toLocaleString("en-US")} in, ${output_tokens.toLocaleString("en-US")} out`;
}
