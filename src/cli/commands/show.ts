/** `holdfast show`: a conversation at a glance. */
import { isMediaLoss, mediaLine } from "../../connection/log-media.js";
import type { ConversationDescription } from "../../core/conversation/messages.js";
import type { Envelope } from "../../core/envelope/envelope.js";
import { budgetLines } from "../budget-option.js";
import { type Command, type CommandContext, defineCommand } from "../command.js";
import { conversationArgument, jsonArgument } from "../common-arguments.js";
import { withConversation } from "../connect.js";
import { numberOption } from "../number-option.js";
import { interruptedCallLines, runningTurnLines } from "../running-turn-lines.js";
import type { Terminal } from "../terminal.js";
import { type TurnSummary, turnSummaries } from "../turn-summaries.js";
import { costPart, count, hint, minute, shorten, tokens } from "../wording.js";

const TURNS_SHOWN = 10;
const ERROR_SHOWN = 400;
const MOST = 1_000_000;
/** Of the report on attachments, the last entries; --json has all. */
const MEDIA_SHOWN = 10;

const args = {
  id: conversationArgument,
  turns: {
    type: "string",
    valueHint: "N",
    description: `how many of the last turns; by default ${TURNS_SHOWN}`,
  },
  messages: {
    type: "string",
    valueHint: "N",
    description: "also the last N messages, as the provider's wire has them",
  },
  full: { type: "boolean", description: "whole questions and answers, not one line each" },
  json: jsonArgument,
} as const;

export const command: Command = defineCommand({
  args,
  examples: [
    ["where it stands", "holdfast show contract-review"],
    ["the last question and answer, in full", "holdfast show contract-review --turns 1 --full"],
  ],
  run: show,
});

async function show(context: CommandContext<typeof args>): Promise<undefined> {
  const { args: given, terminal } = context;
  const turnsShown = numberOption("turns", given.turns, 0, MOST) ?? TURNS_SHOWN;
  const messagesShown = numberOption("messages", given.messages, 0, MOST) ?? 0;
  await withConversation(context, given.id, async (conversation) => {
    const [description, envelope] = [await conversation.describe(), await conversation.inspect()];
    const turns = turnSummaries(envelope);
    const shown = turnsShown === 0 ? [] : turns.slice(-turnsShown);
    const messages = messagesShown === 0 ? [] : envelope.messages.slice(-messagesShown);
    if (given.json) {
      terminal.json({
        ...description,
        interrupted_turn: envelope.interrupted_turn,
        media_report: envelope.media_report,
        turns: shown,
        ...(messagesShown === 0 ? {} : { messages }),
      });
      return;
    }
    for (const line of stateLines(description, envelope, terminal)) terminal.print(line);
    if (turns.length > shown.length && shown.length > 0)
      terminal.print(terminal.style("dim", `… ${count(turns.length - shown.length, "earlier turn")}`));
    for (const line of shown.flatMap((turn) => turnLines(turn, terminal, given.full))) terminal.print(line);
    const running = description.running_turn;
    // It may have ended between the two looks.
    if (running !== undefined && !turns.some(({ turn_id }) => turn_id === running.turn_id))
      for (const line of runningTurnLines(running, {
        terminal,
        full: given.full,
        number: committedOf(turns) + 1,
      }))
        terminal.print(line);
    for (const entry of envelope.media_report.slice(-MEDIA_SHOWN)) {
      const line = terminal.safe(hint(mediaLine(entry)));
      terminal.print(isMediaLoss(entry) ? terminal.style("yellow", line) : line);
    }
    for (const message of messages) terminal.print(JSON.stringify(message));
  });
  return undefined;
}

function committedOf(turns: readonly TurnSummary[]): number {
  return turns.filter(({ number }) => number !== null).length;
}

function stateLines(
  description: ConversationDescription,
  envelope: Envelope,
  terminal: Terminal,
): readonly string[] {
  const { state, running, queued, provider, model, checkpoint, approvals, refusals, totals } = description;
  const doing = running === null ? state : `${state === "closing" ? "closing" : "running"} turn ${running}`;
  const waiting = queued.length === 0 ? "" : `, ${count(queued.length, "turn")} waiting`;
  const interrupted = envelope.interrupted_turn;
  return [
    `${terminal.style("bold", terminal.safe(description.conversation_id))} · ${doing}${waiting} · ${provider}:${model}`,
    `${count(description.run_count, "turn")}, ${count(description.message_count, "message")} · ${tokens(totals.usage)} tokens${costPart(totals.cost)} · since ${minute(description.created_at)} UTC`,
    ...(description.budget === undefined ? [] : budgetLines(description.budget)),
    ...(checkpoint === null ? [] : [checkpointLine(checkpoint)]),
    ...approvals.map((waits) => approvalLine(waits, description.conversation_id, terminal)),
    ...refusals.map(
      ({ at, name, error }) => `refused ${name} at ${minute(at)}: ${terminal.safe(shorten(error, 160))}`,
    ),
    ...(interrupted === null
      ? []
      : [
          terminal.style(
            "yellow",
            hint(
              `the last turn was interrupted; \`holdfast resend ${description.conversation_id}\` sends it again`,
            ),
          ),
        ]),
  ];
}

function approvalLine(
  { call, name, arguments: given, asked_at }: ConversationDescription["approvals"][number],
  id: string,
  terminal: Terminal,
): string {
  const asked = terminal.safe(shorten(`${name}(${given})`, 160));
  return terminal.style(
    "yellow",
    hint(
      `call ${call} waits since ${minute(asked_at)} UTC: ${asked}; \`holdfast approve ${id} ${call}\` or \`deny\``,
    ),
  );
}

function checkpointLine({
  path,
  run_count,
  error,
}: NonNullable<ConversationDescription["checkpoint"]>): string {
  if (error !== null) return `checkpoint ${path}: not written, ${error}`;
  return `checkpoint ${path}: ${run_count === null ? "not written yet" : count(run_count, "turn")}`;
}

function turnLines(turn: TurnSummary, terminal: Terminal, full: boolean): readonly string[] {
  const state = turn.state === "committed" ? "" : ` · ${terminal.style("yellow", turn.state)}`;
  const simulated = turn.simulated ? " · simulated" : "";
  const usage = turn.usage === null ? "" : ` · ${tokens(turn.usage)}${costPart(turn.cost)}`;
  const model = turn.model ?? "no model";
  const files = turn.attachments === 0 ? "" : ` (with ${count(turn.attachments, "file")})`;
  const room = Math.max(40, terminal.width - 4);
  const text = (words: string): string =>
    terminal.safe(full ? words.replaceAll("\n", "\n    ") : shorten(words, room));
  return [
    "",
    `${terminal.style("bold", turn.number === null ? "–" : String(turn.number))} ${terminal.style("dim", `${model}${usage}${simulated} · ${terminal.safe(turn.turn_id)}`)}${state}`,
    ...(turn.question === null
      ? []
      : [`  ${terminal.style("cyan", "›")} ${text(`${turn.question}${files}`)}`]),
    ...(turn.answer === null || turn.answer === ""
      ? []
      : [`  ${terminal.style("green", "‹")} ${text(turn.answer)}`]),
    ...(turn.error === null
      ? []
      : [
          `  ${terminal.style("yellow", "!")} ${terminal.safe(full ? turn.error : shorten(turn.error, ERROR_SHOWN))}`,
        ]),
    ...interruptedCallLines(turn.tool_calls ?? [], terminal),
  ];
}
