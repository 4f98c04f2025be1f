/** `holdfast convert`: a history in another provider's format, and what did not cross. Needs no server. */
import { resolve } from "node:path";
import { writeEnvelopeFile } from "../../connection/checkpoint-file.js";
import { withPlacedSystem } from "../../core/dialects/native-history.js";
import type { Envelope, ServedModel } from "../../core/envelope/envelope.js";
import { envelopeOfHistory } from "../../core/envelope/envelope-of-history.js";
import { UsageError } from "../../core/errors/errors.js";
import { dialectOf, isProviderName, resolveModel } from "../../core/providers.js";
import { agentOnModel, leftOutLine, type MovedAgent } from "../agent-on-model.js";
import { type Command, type CommandContext, defineCommand } from "../command.js";
import {
  assertOutput,
  convertArgument,
  dialectArgument,
  jsonArgument,
  outputArguments,
  sourceArgument,
} from "../common-arguments.js";
import { conversionLines } from "../conversion-lines.js";
import { type ConversionTarget, conversionTarget } from "../conversion-target.js";
import { convertReading } from "../convert-reading.js";
import { readEnvelopeSource, readHistorySource } from "../read-source.js";
import { count } from "../wording.js";

const args = {
  file: sourceArgument,
  to: { type: "string", valueHint: "PROVIDER|MODEL", description: "who shall be able to continue it" },
  from: dialectArgument,
  model: { type: "string", alias: "m", description: "with the name of a provider: its model" },
  ...outputArguments("writes the converted envelope there; one is made around a bare history"),
  "media-store": {
    type: "string",
    valueHint: "DIR",
    description: "where attached text files lie that the file only names; by default the folder's own store",
    completes: "file",
  },
  convert: convertArgument,
  json: jsonArgument,
} as const;

type Context = CommandContext<typeof args>;

export const command: Command = defineCommand({
  args,
  details:
    "Prints {messages, system, converted_from, conversion_report, attic} as JSON; what did not cross is told on stderr as well.",
  examples: [
    ["what would another provider get?", "holdfast convert contract-review.json --to openai"],
    [
      "an envelope to import under the other model",
      "holdfast convert contract-review.json --to gpt-6-luna --out moved.json",
    ],
    [
      "a history from elsewhere",
      "holdfast convert messages.json --from anthropic --to gemini-3.5-flash-lite",
    ],
  ],
  run: convertFile,
});

async function convertFile(context: Context): Promise<undefined> {
  const { args: given, terminal } = context;
  if (given.to === undefined)
    throw new UsageError("--to is missing: name a provider or a model, such as --to openai.");
  assertOutput(given);
  const source = await sourceOf(context, given.to);
  const target = conversionTarget(given.to, given.model, source);
  const crosses = dialectOf(source.provider) !== dialectOf(target.provider);
  const options = { folder: given["media-store"], convert: given.convert };
  const converted = await convertReading(source, target, options, context);
  const conversion_report = crosses ? converted.conversion_report : [];
  if (given.out !== undefined) await write(context, { source, converted, target });
  if (given.json || given.out === undefined) {
    const { messages, system, attic } = converted;
    const converted_from = crosses ? converted.converted_from : null;
    terminal.json({ messages, system, converted_from, conversion_report, attic });
  }
  if (!given.json) for (const line of conversionLines(conversion_report)) terminal.note(line);
  return undefined;
}

/** A history that stays in its dialect has its system text where that dialect has it. */
async function sourceOf({ args: { file, from }, cwd }: Context, to: string): Promise<Envelope> {
  const dialect = isProviderName(to) ? dialectOf(to) : resolveModel(to).dialect;
  if (from === undefined) return (await readEnvelopeSource(file, cwd)).envelope;
  const read = await readHistorySource(file, from, cwd);
  const history = dialect === from ? withPlacedSystem(read, from) : read;
  return envelopeOfHistory(history, { provider: from, now: new Date().toISOString() });
}

/** The converted envelope as the one that shall be continued: its agent and its served models name the new model. */
function moved(source: Envelope, converted: Envelope, { agent }: MovedAgent): Envelope {
  const { provider, model } = converted;
  const saved_at = new Date().toISOString();
  const named = { ...converted, agent: isSpec(source.agent) ? agent.spec : source.agent, saved_at };
  if (source.provider === provider && source.model === model) return named;
  const { metadata } = source;
  const served: ServedModel = {
    event: "restore",
    provider,
    model,
    at: saved_at,
    turn: metadata.run_count,
    from: { provider: source.provider, model: source.model },
  };
  return { ...named, metadata: { ...metadata, served_models: [...metadata.served_models, served] } };
}

const isSpec = (agent: Envelope["agent"]): boolean => typeof agent === "object" && agent !== null;

async function write(
  { args: given, terminal, cwd }: Context,
  { source, converted, target }: Converted,
): Promise<void> {
  const out = given.out ?? "";
  const agent = agentOnModel(source, target.name);
  const envelope = moved(source, converted, agent);
  await writeEnvelopeFile(resolve(cwd, out), envelope, { overwrite: given.overwrite });
  if (given.json) return;
  const { provider, model, messages } = envelope;
  terminal.note(`${out}: ${count(messages.length, "message")} for ${provider}:${model}.`);
  const note = leftOutLine(agent);
  if (note !== undefined) terminal.note(note);
  if (target.guessed)
    terminal.note(`It names no model of ${provider} yet: say --model here or when it is imported.`);
}

interface Converted {
  readonly source: Envelope;
  readonly converted: Envelope;
  readonly target: ConversionTarget;
}
