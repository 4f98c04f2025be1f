/** From a command line to an exit code. */
import { readFileSync } from "node:fs";
import { runCommand } from "citty";
import { didYouMean } from "../core/did-you-mean.js";
import { UsageError } from "../core/errors/errors.js";
import { checkArguments } from "./check-arguments.js";
import type { Command, CommandData, CommandEntry } from "./command.js";
import { COMMANDS, LISTED_COMMANDS } from "./commands.js";
import { renderHelp, renderMainHelp } from "./render-help.js";
import { reportError } from "./report-error.js";
import { Terminal } from "./terminal.js";

/** Runs a command; never throws. */
export async function runCli(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  endQuietlyWithTheReader();
  const { debug, rest } = takeDebug(argv, env);
  const terminal = new Terminal();
  try {
    assertNode(process.versions.node);
    return await dispatch(rest, { terminal, env, cwd: process.cwd(), commands: LISTED_COMMANDS });
  } catch (error) {
    return reportError(error, terminal, debug);
  }
}

async function dispatch(
  [name, ...rest]: readonly string[],
  surroundings: Omit<CommandData, "given">,
): Promise<number> {
  const { terminal } = surroundings;
  if (name === undefined || name === "help" || isHelp(name)) {
    const asked = name === "help" ? rest[0] : undefined;
    terminal.print(asked === undefined ? renderMainHelp(terminal, version()) : await helpOn(asked, terminal));
    return 0;
  }
  if (name === "--version" || name === "-v") {
    terminal.print(`holdfast ${version()}`);
    return 0;
  }
  const entry = find(name);
  const { command } = await entry.load();
  if (asksForHelp(command, rest)) {
    terminal.print(renderHelp(terminal, entry, command));
    return 0;
  }
  const own = command.passesThrough === true ? [] : rest;
  const given =
    command.passesThrough === true ? allOf(command, rest) : checkArguments(name, command.args, rest);
  const data: CommandData = { ...surroundings, given };
  const { result } = await runCommand(command.definition, { rawArgs: [...own], data });
  return typeof result === "number" ? result : 0;
}

/** `--help` behind another program's words is that program's. */
function asksForHelp({ passesThrough }: Command, rest: readonly string[]): boolean {
  return optionsOf(passesThrough === true ? rest.slice(0, 1) : rest).some(isHelp);
}

/** All words as the value of the one argument. */
function allOf({ args }: Command, rest: readonly string[]): CommandData["given"] {
  return { lists: Object.fromEntries(Object.keys(args).map((name) => [name, rest])) };
}

async function helpOn(name: string, terminal: Terminal): Promise<string> {
  const entry = find(name);
  return renderHelp(terminal, entry, (await entry.load()).command);
}

function find(name: string): CommandEntry {
  const found = COMMANDS.find((entry) => entry.name === name);
  if (found !== undefined) return found;
  const what = name.startsWith("-") ? "option" : "command";
  const guess = didYouMean(
    name,
    COMMANDS.map((entry) => entry.name),
  );
  throw new UsageError(`Unknown ${what} ${name}${guess || "."} See \`holdfast --help\`.`);
}

const isHelp = (text: string): boolean => text === "--help" || text === "-h";

/** What stands before a bare `--`: after it, everything is text. */
function optionsOf(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  return end < 0 ? argv : argv.slice(0, end);
}

/** `--debug` belongs to every command. */
function takeDebug(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
): { readonly debug: boolean; readonly rest: readonly string[] } {
  const options = optionsOf(argv);
  const debug = options.includes("--debug");
  const rest = [...options.filter((text) => text !== "--debug"), ...argv.slice(options.length)];
  return { debug: debug || !["", "0", undefined].includes(env.HOLDFAST_DEBUG), rest };
}

/** @throws UsageError for a Node that lacks what the rest of the program uses. */
export function assertNode(running: string): void {
  const [major = 0, minor = 0] = running.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 12)) return;
  throw new UsageError(
    `This is Node ${running}, and Holdfast needs Node 22.12 or newer: install it, or add it to this project with \`npm install --save-dev node@24\` and run \`npx holdfast …\`.`,
  );
}

function version(): string {
  const manifest: { readonly version: string } = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  );
  return manifest.version;
}

/** `holdfast export ID | head` is no failure. */
function endQuietlyWithTheReader(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
}
