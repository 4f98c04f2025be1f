/** Numbers, times, long texts and hints, as lines on a terminal say them. */
import { sep } from "node:path";

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

export function amountOf(number: number): string {
  return number.toLocaleString("en-US");
}

/** At most six digits behind the point; whoever gave the prices knows in which currency. */
export function costText(cost: number): string {
  return cost.toLocaleString("en-US", { maximumFractionDigits: 6 });
}

/** “ · cost 0.0125”, or nothing where it is not known. */
export function costPart(cost: number | undefined): string {
  return cost === undefined ? "" : ` · cost ${costText(cost)}`;
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

/** How the command is typed here: through npx where a project's own copy runs, or that of the checkout. */
export function commandName(
  env: NodeJS.ProcessEnv = process.env,
  script: string = process.argv[1] ?? "",
  cwd: string = process.cwd(),
): string {
  const byNpm = env.npm_command === "exec" || (env.npm_execpath ?? "") !== "";
  const ofProject =
    /[\\/]node_modules[\\/]\.bin[\\/]/.test(script) || script.startsWith(`${cwd}${sep}dist${sep}`);
  return byNpm || ofProject ? "npx holdfast" : "holdfast";
}

/** A text whose commands can be pasted as they stand: `` `holdfast …` `` is what is typed here. */
export function hint(text: string): string {
  return text.replaceAll("`holdfast ", `\`${commandName()} `);
}
