/** Before a command runs: nothing unknown, nothing left over, nothing missing. citty itself passes all of that over. */
import { parseArgs } from "node:util";
import { didYouMean } from "../core/did-you-mean.js";
import { UsageError } from "../core/errors/errors.js";
import type { Argument, Arguments } from "./command.js";

/** The values of arguments that may be given more than once. */
export interface GivenArguments {
  readonly lists: Readonly<Record<string, readonly string[]>>;
}

type NamedArgument = readonly [string, Argument];

/** @throws UsageError naming the argument and the command's help. */
export function checkArguments(command: string, args: Arguments, raw: readonly string[]): GivenArguments {
  const { tokens, positionals } = parseArgs({
    args: [...raw],
    options: parseOptions(args),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const lists: Record<string, string[]> = {};
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const [name, argument] = known(command, args, token);
    assertValue(command, argument, token);
    if (argument.multiple === true) lists[name] = [...(lists[name] ?? []), token.value ?? ""];
  }
  return { lists: { ...lists, ...checkPositionals(command, args, positionals) } };
}

/** Of the kinds of arguments that `parseArgs` tells apart. */
function parseOptions(args: Arguments): NonNullable<Parameters<typeof parseArgs>[0]>["options"] {
  return Object.fromEntries(
    Object.entries(args)
      .filter(([, { type }]) => type !== "positional")
      .map(([name, argument]) => {
        const [short] = shortNames(argument);
        return [
          name,
          {
            type: argument.type === "boolean" ? "boolean" : "string",
            multiple: true,
            ...(short === undefined ? {} : { short }),
          },
        ];
      }),
  );
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function known(command: string, args: Arguments, { name, rawName }: OptionToken): NamedArgument {
  const options = Object.entries(args).filter(([, { type }]) => type !== "positional");
  const negated = rawName.startsWith("--no-") ? rawName.slice("--no-".length) : undefined;
  const found = options.find(([key, { type }]) => key === name || (key === negated && type === "boolean"));
  if (found !== undefined) return found;
  const guess = didYouMean(
    rawName,
    options.map(([key]) => `--${key}`),
  );
  throw wrong(command, `Unknown option ${rawName}${guess}`);
}

function assertValue(
  command: string,
  argument: Argument,
  { name, rawName, value, inlineValue }: OptionToken,
): void {
  if (argument.type === "boolean") {
    if (value !== undefined) throw wrong(command, `${rawName} takes no value`);
    return;
  }
  const missing = value === undefined || value === "" || (inlineValue !== true && /^-./.test(value));
  if (missing) throw wrong(command, `${rawName} needs a value: ${rawName} ${hintOf(name, argument)}`);
  if (argument.type === "enum" && argument.options?.includes(value) === false) {
    throw wrong(command, `${rawName} is one of ${argument.options.join(", ")}, not ${JSON.stringify(value)}`);
  }
}

/** The list of the variadic one, if there is one. */
function checkPositionals(
  command: string,
  args: Arguments,
  given: readonly string[],
): Readonly<Record<string, readonly string[]>> {
  const wanted: readonly NamedArgument[] = Object.entries(args).filter(
    ([, { type }]) => type === "positional",
  );
  const missing = wanted.find(
    ([, argument], index) => argument.required !== false && given[index] === undefined,
  );
  if (missing !== undefined) throw wrong(command, `${hintOf(...missing)} is missing`);
  const last = wanted.at(-1);
  if (last?.[1].variadic === true) return { [last[0]]: given.slice(wanted.length - 1) };
  if (given.length <= wanted.length) return {};
  throw wrong(
    command,
    `Too much: ${given
      .slice(wanted.length)
      .map((text) => JSON.stringify(text))
      .join(" ")}`,
  );
}

/** How help and messages call an argument's value. */
export function hintOf(name: string, { valueHint }: Pick<Argument, "valueHint">): string {
  return valueHint ?? name.toUpperCase();
}

export function shortNames({ type, ...argument }: Argument): readonly string[] {
  if (type === "positional" || !("alias" in argument)) return [];
  return [argument.alias ?? []].flat();
}

function wrong(command: string, what: string): UsageError {
  const end = /[.?!]$/.test(what) ? "" : ".";
  return new UsageError(`${what}${end} See \`holdfast ${command} --help\`.`);
}
