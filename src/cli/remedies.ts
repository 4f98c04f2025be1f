/** The remedies of errors, which speak of the API, in the words of the command. */
import { hint } from "./wording.js";

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/, set TEMPORAL_ADDRESS, or connect\(\{ embedded: true \}\)/, ", or set TEMPORAL_ADDRESS"],
  [
    /of this process and connect again, or connect\(\{ embedded: true, simulate: true \}\)/,
    "or .env and start again, or start with --simulate",
  ],
  [/, or overwrite it on purpose/, "; `holdfast export --overwrite` replaces this one"],
  [/or choose another folder$/, "or choose another folder with --root"],
  [/or choose another port\.$/, "or choose another with --port."],
  [/under that id \(`turnId`\)/, "under that id (`holdfast send --turn-id`)"],
  [/or let this one queue/, "or let this one wait with --on-busy queue"],
  [/continue it with open\("([^"]*)"\)/, "continue it with `holdfast send $1 …`"],
  [/read it with open\("([^"]*)"\)/, "read it with `holdfast show $1`"],
  [/say ifExists: "replace"/, "replace it with --replace"],
  [
    /resend with `files`, or with `files: \[\]` to leave it out/,
    "leave it out with `holdfast resend --no-files`",
  ],
  [
    /([Rr])aise the agent's budget\.(\S+) by a rebind/,
    "$1aise it with `holdfast rebind ID MODEL --budget $2=…`",
  ],
  [
    /or send the message again with a larger budget/,
    "or send it again with `holdfast resend ID --budget …`, a larger one",
  ],
  [
    /add one to the agent's `prices` or the worker's \(HOLDFAST_PRICES\)/,
    "add one to the file of HOLDFAST_PRICES",
  ],
];

/** What an error says, as somebody who types commands can follow it. */
export function inCommandWords(message: string): string {
  return hint(WORDS.reduce((text, [api, command]) => text.replace(api, command), message));
}
