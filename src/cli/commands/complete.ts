/** `holdfast complete -- WORDS`: what the shell may offer for the last word. Asked by the scripts of `holdfast completion`. */
import { RootCommand, ShellCompDirective } from "@bomb.sh/tab";
import { shortNames } from "../check-arguments.js";
import {
  type Argument,
  type Arguments,
  type Command,
  type CommandEntry,
  defineCommand,
  type Surroundings,
} from "../command.js";
import { connect } from "../connect.js";

/** A shell that waits for longer is a shell that hangs. */
const PATIENCE_MS = 2_000;
/** Ids that mean only themselves on a command line: whoever chose another may have meant a command. */
const PLAIN = /^[\w.:@%+,/][\w.:@%+,/-]*$/;

export const command: Command = defineCommand({
  args: {
    words: { type: "positional", required: false, variadic: true, description: "what was typed so far" },
  },
  examples: [["what comes after", 'holdfast complete -- send ""']],
  run: async (context) => {
    const words = [...context.args.words];
    const args = (await context.commands.find(({ name }) => name === words[0])?.load())?.command.args;
    const typed = words.at(-1) ?? "";
    const expected =
      args === undefined || words.length < 2 ? undefined : expectedArgument(words.slice(1), args);
    const offered = expected === undefined ? undefined : await offer(expected, context);
    if (offered === undefined) completeNames(words, args, context.commands);
    else {
      for (const word of offered.words) if (word.startsWith(typed)) context.terminal.print(word);
      context.terminal.print(`:${offered.directive}`);
    }
    return undefined;
  },
});

/** The argument that the last word is, or will be, the value of. */
function expectedArgument(words: readonly string[], args: Arguments): Argument | undefined {
  const positionals = Object.values(args).filter(({ type }) => type === "positional");
  let index = 0;
  let open: Argument | undefined;
  for (const [position, word] of words.entries()) {
    const last = position === words.length - 1;
    if (open !== undefined) {
      if (last) return open;
      open = undefined;
    } else if (word.startsWith("-") && word !== "-") {
      open = valueOption(word, args);
      if (last) return undefined;
    } else if (last) {
      const after = positionals.at(-1)?.variadic === true ? positionals.at(-1) : undefined;
      return positionals[index] ?? after;
    } else index++;
  }
  return undefined;
}

function valueOption(word: string, args: Arguments): Argument | undefined {
  return Object.entries(args).find(
    ([name, argument]) =>
      (argument.type === "string" || argument.type === "enum") &&
      (word === `--${name}` || shortNames(argument).some((short) => word === `-${short}`)),
  )?.[1];
}

interface Offer {
  readonly words: readonly string[];
  readonly directive: number;
}

/** Undefined where names of options are all there is to offer. */
async function offer(argument: Argument, surroundings: Surroundings): Promise<Offer | undefined> {
  if (argument.completes === "file")
    return { words: [], directive: ShellCompDirective.ShellCompDirectiveDefault };
  const directive = ShellCompDirective.ShellCompDirectiveNoFileComp;
  if (argument.completes === "conversation" || argument.completes === "closed conversation") {
    const closed = argument.completes === "closed conversation";
    return { words: await idsOf(surroundings, closed), directive };
  }
  if (argument.type === "enum") return { words: argument.options ?? [], directive };
  return undefined;
}

async function idsOf(surroundings: Surroundings, closed: boolean): Promise<readonly string[]> {
  const ids = async (): Promise<readonly string[]> => {
    await using conversations = await connect(surroundings);
    return (await conversations.list({ closed })).map(({ id }) => id).filter((id) => PLAIN.test(id));
  };
  const late = new Promise<readonly string[]>((resolve) => setTimeout(resolve, PATIENCE_MS, []).unref());
  return Promise.race([ids().catch(() => []), late]);
}

function completeNames(
  words: string[],
  args: Arguments | undefined,
  commands: readonly CommandEntry[],
): void {
  const root = new RootCommand();
  for (const { name, summary } of commands) root.command(name, summary);
  const asked = words.length < 2 || args === undefined ? undefined : root.command(words[0] ?? "", "");
  for (const [name, argument] of Object.entries(args ?? {})) {
    if (argument.type === "positional") continue;
    const [short] = shortNames(argument);
    const long = argument.type === "boolean" && argument.default === true ? `no-${name}` : name;
    asked?.option(long, argument.description ?? "", short);
  }
  root.parse(words);
}
