/** `holdfast completion`: the script that makes a shell ask `holdfast complete`. */
import { script } from "@bomb.sh/tab";
import { UsageError } from "../../core/errors/errors.js";
import { BASH_COMPLETION } from "../bash-completion.js";
import { type Command, defineCommand } from "../command.js";

const SHELLS: readonly string[] = ["bash", "zsh", "fish"];

export const command: Command = defineCommand({
  args: {
    shell: {
      type: "positional",
      valueHint: "bash|zsh|fish",
      description: "the shell",
    },
  },
  details: "Completes commands, options, files, and the ids of conversations that are open.",
  examples: [
    ["bash, for this session", "source <(holdfast completion bash)"],
    ["zsh", "holdfast completion zsh > ~/.zfunc/_holdfast"],
    ["fish", "holdfast completion fish > ~/.config/fish/completions/holdfast.fish"],
  ],
  run: async ({ args, terminal }) => {
    if (!SHELLS.includes(args.shell))
      throw new UsageError(`There are completions for ${SHELLS.join(", ")}, not for ${args.shell}.`);
    if (args.shell === "bash") terminal.print(BASH_COMPLETION);
    else script(args.shell, "holdfast", "holdfast");
    return undefined;
  },
});
