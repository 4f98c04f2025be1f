/** A command as data: its arguments, its examples, and what it does. Help, checks and completions are made from it. */
import type { ArgsDef, BooleanArgDef, CommandDef, EnumArgDef, PositionalArgDef, StringArgDef } from "citty";
import type { GivenArguments } from "./check-arguments.js";
import type { Terminal } from "./terminal.js";

/** An argument as citty has it, and what it lacks. The last positional may be `variadic`, an option `multiple`. */
export type Argument = (
  | (BooleanArgDef & { readonly type: "boolean" })
  | (StringArgDef & { readonly type: "string" })
  | (PositionalArgDef & { readonly type: "positional" })
  | (Omit<EnumArgDef, "options"> & { readonly type: "enum"; readonly options: readonly string[] })
) & {
  readonly multiple?: true;
  readonly variadic?: true;
  /** What the shell offers for it. */
  readonly completes?: "conversation" | "closed conversation" | "file";
};
export type Arguments = Readonly<Record<string, Argument>>;

type ValueOf<A> = A extends { multiple: true } | { variadic: true }
  ? readonly string[]
  : A extends { type: "boolean" }
    ? boolean
    : A extends { type: "positional"; required: false } | { type: "string" | "enum"; default?: undefined }
      ? ChoiceOf<A> | undefined
      : ChoiceOf<A>;
type ChoiceOf<A> = A extends { options: readonly (infer Choice)[] } ? Choice : string;
export type ValuesOf<T extends Arguments> = { readonly [K in keyof T]: ValueOf<T[K]> };

/** A line of the table of commands. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<{ readonly command: Command }>;
}

/** What a command works with besides its arguments. */
export interface Surroundings {
  readonly terminal: Terminal;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** All commands that the help lists. */
  readonly commands: readonly CommandEntry[];
}

export interface CommandContext<T extends Arguments> extends Surroundings {
  readonly args: ValuesOf<T>;
}

/** What it shows, and the line to type. */
export type Example = readonly [string, string];

interface CommandDefinition<T extends Arguments> {
  readonly args: T;
  readonly examples: readonly Example[];
  /** More than the summary, for the command's own help. */
  readonly details?: string;
  /** Everything after its name belongs to another program: nothing is checked, and its variadic argument gets it all. */
  readonly passesThrough?: true;
  /** Throws for what fails. A number that it resolves to is the exit code. */
  readonly run: (context: CommandContext<T>) => Promise<number | undefined>;
}

export interface Command {
  readonly args: Arguments;
  readonly examples: readonly Example[];
  readonly details?: string;
  readonly passesThrough?: true;
  readonly definition: CommandDef;
}

/** What the dispatcher hands through citty. */
export interface CommandData extends Surroundings {
  readonly given: GivenArguments;
}

export function defineCommand<const T extends Arguments>({
  args,
  examples,
  details,
  passesThrough,
  run,
}: CommandDefinition<T>): Command {
  const definition: CommandDef = {
    args: cittyArguments(args),
    run: ({ args: parsed, data }) => {
      const { given, ...surroundings } = data as CommandData;
      return run({ ...surroundings, args: valuesOf(args, parsed, given) });
    },
  };
  return {
    args,
    examples,
    definition,
    ...(details === undefined ? {} : { details }),
    ...(passesThrough === undefined ? {} : { passesThrough }),
  };
}

function cittyArguments(args: Arguments): ArgsDef {
  return Object.fromEntries(
    Object.entries(args).map(([name, argument]) => [
      name,
      argument.type === "enum" ? { ...argument, options: [...argument.options] } : argument,
    ]),
  );
}

/** citty's values, and the lists that it does not know. */
function valuesOf<T extends Arguments>(
  args: T,
  parsed: Readonly<Record<string, unknown>>,
  given: GivenArguments,
): ValuesOf<T> {
  const entries = Object.entries(args).map(([name, argument]) => {
    if (argument.multiple === true || argument.variadic === true) return [name, given.lists[name] ?? []];
    return [name, argument.type === "boolean" ? parsed[name] === true : parsed[name]];
  });
  // One value of the declared kind for every argument.
  return Object.fromEntries(entries) as ValuesOf<T>;
}
