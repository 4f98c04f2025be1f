/** The turns of an envelope, as one reads them: question, answer, who answered, what it took. */
import { answerText } from "../core/dialects/answer-text.js";
import { dialectFor } from "../core/dialects/index.js";
import type {
  Envelope,
  InterruptedToolCall,
  NativeMessage,
  TurnIndexEntry,
  Usage,
} from "../core/envelope/envelope.js";

export interface TurnSummary {
  /** From 1, over the committed turns, as `fork --at` counts them; null for one that was not committed. */
  readonly number: number | null;
  readonly turn_id: string;
  readonly state: TurnIndexEntry["state"];
  readonly question: string | null;
  readonly answer: string | null;
  readonly model: string | null;
  readonly simulated: boolean;
  readonly usage: Usage | null;
  /** Absent where it is not known. */
  readonly cost?: number;
  /** Why a turn has no answer. */
  readonly error: string | null;
  /** Parts of the question that are no text. */
  readonly attachments: number;
  /** Of a turn that did not complete: the tools that the model had called, and what is known of each call. */
  readonly tool_calls?: readonly InterruptedToolCall[];
}

export function turnSummaries(envelope: Envelope): readonly TurnSummary[] {
  const accounts = new Map(envelope.accounting.turns.map((account) => [account.turn_id, account]));
  let committed = 0;
  return envelope.turn_index.map((entry) => {
    const account = accounts.get(entry.turn_id);
    return {
      number: entry.state === "committed" ? ++committed : null,
      turn_id: entry.turn_id,
      state: entry.state,
      usage: account?.usage ?? null,
      ...(account?.cost === undefined ? {} : { cost: account.cost }),
      model: account?.model ?? null,
      ...wordsOf(entry, envelope),
    };
  });
}

type Words = Pick<TurnSummary, "question" | "answer" | "simulated" | "error" | "attachments" | "tool_calls">;

function wordsOf(entry: TurnIndexEntry, { messages, provider }: Envelope): Words {
  if (entry.state === "committed") {
    const [question, ...answer] = messages.slice(entry.from, entry.to);
    return {
      question: question === undefined ? null : textOf(question),
      answer: answerText(dialectFor(provider), answer),
      simulated: entry.simulated === true,
      error: null,
      attachments: question === undefined ? 0 : attachmentsOf(question, provider),
    };
  }
  const none = { answer: null, simulated: false, attachments: 0 };
  if (entry.state === "refused") return { ...none, question: null, error: entry.error ?? entry.reason };
  const { record } = entry;
  return {
    ...none,
    question: record.message,
    answer: record.partial_text ?? null,
    error: `${record.error_type}: ${record.error}`,
    attachments: record.files?.length ?? 0,
    ...(record.tool_calls === undefined ? {} : { tool_calls: record.tool_calls }),
  };
}

/** The text of a question: in every dialect a string, or a list of parts some of which have a `text`. */
function textOf(message: NativeMessage): string {
  const body = message.content ?? message.parts;
  if (!Array.isArray(body)) return typeof body === "string" ? body : "";
  return body
    .map((part: unknown) => (part as { readonly text?: unknown } | null)?.text)
    .filter((text) => typeof text === "string")
    .join("\n");
}

function attachmentsOf(message: NativeMessage, provider: Envelope["provider"]): number {
  let found = 0;
  dialectFor(provider).mapMedia(message, ({ data }) => {
    found++;
    return data;
  });
  return found;
}
