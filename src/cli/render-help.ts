/** Help, made from the same data as the checks. */
import { hintOf, shortNames } from "./check-arguments.js";
import type { Argument, Command, CommandEntry } from "./command.js";
import { COMMAND_GROUPS } from "./commands.js";
import type { Terminal } from "./terminal.js";

type Row = readonly [string, string];

const EXIT_CODES = "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 refused.";

export function renderMainHelp(terminal: Terminal, version: string): string {
  const heading = (text: string): string => terminal.style("bold", text);
  const rows = COMMAND_GROUPS.flatMap(({ commands }) => commands.map(({ name }) => name));
  const width = Math.max(...rows.map((name) => name.length));
  return [
    `${heading("holdfast")} ${version}: conversations with language models that survive anything`,
    "",
    "Usage: holdfast COMMAND [options]",
    ...COMMAND_GROUPS.flatMap(({ title, commands }) => [
      "",
      heading(title),
      ...columns(
        commands.map(({ name, summary }) => [name, summary]),
        width,
        terminal,
      ),
    ]),
    "",
    heading("First steps"),
    ...renderExamples(terminal, [
      ["without a key, in one terminal", "holdfast dev --simulate"],
      ["and in another one", 'holdfast send hello "Who are you?" --model claude-haiku-4-5'],
      ["all in one", "holdfast chat --simulate"],
    ]),
    "",
    "holdfast COMMAND --help shows the options of a command; holdfast completion bash, zsh or fish its completions.",
    EXIT_CODES,
  ].join("\n");
}

export function renderHelp(terminal: Terminal, { name, summary }: CommandEntry, command: Command): string {
  const heading = (text: string): string => terminal.style("bold", text);
  const positionals = Object.entries(command.args).filter(([, { type }]) => type === "positional");
  const options = Object.entries(command.args).filter(([, { type }]) => type !== "positional");
  const usage = ["holdfast", name, ...positionals.map(usageOf), "[options]"].join(" ");
  const rows: readonly Row[] = positionals.map(([key, argument]) => [
    hintOf(key, argument),
    argument.description ?? "",
  ]);
  const optionRows: readonly Row[] = [
    ...options.map(([key, argument]): Row => [optionOf(key, argument), argument.description ?? ""]),
    ["--debug", "with a stack trace where something fails"],
    ["-h, --help", "this help"],
  ];
  const width = Math.max(...[...rows, ...optionRows].map(([left]) => left.length));
  return [
    `${heading(`holdfast ${name}`)}: ${summary}`,
    "",
    `Usage: ${usage}`,
    ...(command.details === undefined ? [] : ["", command.details]),
    ...(rows.length === 0 ? [] : ["", heading("Arguments"), ...columns(rows, width, terminal)]),
    "",
    heading("Options"),
    ...columns(optionRows, width, terminal),
    "",
    heading("Examples"),
    ...renderExamples(terminal, command.examples),
  ].join("\n");
}

function usageOf([name, argument]: readonly [string, Argument]): string {
  const text = `${hintOf(name, argument)}${argument.variadic === true ? "…" : ""}`;
  return argument.required === false ? `[${text}]` : text;
}

function optionOf(name: string, argument: Argument): string {
  const long = argument.type === "boolean" && argument.default === true ? `--no-${name}` : `--${name}`;
  const value = argument.type === "boolean" ? "" : ` ${placeholderOf(name, argument)}`;
  const [short] = shortNames(argument);
  return `${short === undefined ? "" : `-${short}, `}${long}${value}${argument.multiple === true ? "…" : ""}`;
}

function placeholderOf(name: string, argument: Argument): string {
  return argument.type === "enum" ? argument.options.join("|") : hintOf(name, argument);
}

function columns(rows: readonly Row[], width: number, terminal: Terminal): readonly string[] {
  return rows.map(([left, right]) => `  ${terminal.style("cyan", left.padEnd(width))}  ${right}`);
}

function renderExamples(terminal: Terminal, examples: readonly Row[]): readonly string[] {
  return examples.flatMap(([what, line]) => [terminal.style("dim", `  # ${what}`), `  ${line}`]);
}
