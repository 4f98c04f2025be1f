/** What an envelope says of its turns, checked: the index, the record of an interrupted one, the accounts. */
import type { EnvelopeIssue } from "../errors/errors.js";
import { isJsonObject } from "../json.js";
import { PROVIDER_NAMES } from "../providers.js";
import {
  amount,
  anyJson,
  type Check,
  count,
  listOf,
  nonEmptyText,
  nullable,
  oneOf,
  optional,
  outputSchema,
  shape,
  text,
  time,
} from "./check.js";
import { checkFileMarker } from "./check-media.js";
import {
  type AccountingTotals,
  type CommittedTurnEntry,
  type Envelope,
  FINISH_REASONS,
  type FinishReason,
  type InterruptedToolCall,
  type InterruptedTurn,
  type InterruptedTurnEntry,
  type RefusedTurnEntry,
  type TurnAccount,
  type Usage,
} from "./envelope.js";

export const provider: Check = oneOf(PROVIDER_NAMES);

const usage = shape<Usage>({
  input_tokens: count,
  output_tokens: count,
  cache_read_tokens: count,
  cache_write_tokens: count,
  reasoning_tokens: count,
});

const interruptedToolCall = shape<InterruptedToolCall>({
  id: text,
  name: text,
  state: oneOf(["not_started", "unknown", "settled"]),
});

export const checkInterruptedTurn: Check = shape<InterruptedTurn>({
  error_type: nonEmptyText,
  error: text,
  failed_at: time,
  message: text,
  turn_id: optional(nonEmptyText),
  attempts: optional(count),
  partial_text: optional(text),
  tool_calls: optional(listOf(interruptedToolCall)),
  usage: optional(usage),
  cost: optional(amount),
  files: optional(listOf(checkFileMarker)),
  output_schema: optional(outputSchema),
});

const ENTRIES: Readonly<Record<string, Check>> = {
  committed: shape<CommittedTurnEntry>({
    turn_id: nonEmptyText,
    state: oneOf(["committed"]),
    from: count,
    to: count,
    provider,
    endpoint: nonEmptyText,
    model: nonEmptyText,
    simulated: optional(oneOf([true])),
    structured: optional(oneOf([true])),
    resend_of: optional(nonEmptyText),
  }),
  interrupted: shape<InterruptedTurnEntry>({
    turn_id: nonEmptyText,
    state: oneOf(["interrupted"]),
    record: checkInterruptedTurn,
    resend_of: optional(nonEmptyText),
  }),
  refused: shape<RefusedTurnEntry>({
    turn_id: nonEmptyText,
    state: oneOf(["refused"]),
    reason: nonEmptyText,
    error: optional(text),
  }),
};
const unknownEntry = shape<Pick<CommittedTurnEntry, "turn_id" | "state">>({
  turn_id: nonEmptyText,
  state: oneOf(Object.keys(ENTRIES)),
});

export const checkTurnIndex: Check = listOf((value, path) => {
  const state = isJsonObject(value) ? String(value.state) : "";
  return (Object.hasOwn(ENTRIES, state) ? (ENTRIES[state] ?? unknownEntry) : unknownEntry)(value, path);
});

/** Committed turns lie one behind the other inside the history, and no turn id stands twice. */
export function checkTurnOrder({
  turn_index,
  messages,
}: Pick<Envelope, "turn_index" | "messages">): readonly EnvelopeIssue[] {
  const issues: EnvelopeIssue[] = [];
  const seen = new Set<string>();
  let end = 0;
  for (const [index, entry] of turn_index.entries()) {
    const path = `turn_index[${index}]`;
    if (seen.has(entry.turn_id)) {
      issues.push({
        path: `${path}.turn_id`,
        expected: "an id of its own",
        found: `${JSON.stringify(entry.turn_id)} again`,
      });
    }
    seen.add(entry.turn_id);
    if (entry.state !== "committed") continue;
    if (entry.from < end || entry.to < entry.from || entry.to > messages.length) {
      issues.push({
        path,
        expected: `a turn between messages ${end} and ${messages.length}`,
        found: `${entry.from} to ${entry.to}`,
      });
    }
    end = Math.max(end, entry.to);
  }
  return issues;
}

const finishReason = shape<FinishReason>({ unified: oneOf(FINISH_REASONS), raw: nullable(text) });

const turnAccount = shape<TurnAccount>({
  turn_id: nonEmptyText,
  state: oneOf(["committed", "interrupted"]),
  provider,
  model: nonEmptyText,
  simulated: optional(oneOf([true])),
  started_at: time,
  finished_at: time,
  provider_calls: count,
  tool_calls: count,
  tool_rounds: optional(count),
  usage,
  cost: optional(amount),
  raw_usage: listOf(anyJson),
  finish_reason: nullable(finishReason),
  error_type: optional(text),
  error: optional(text),
});

export const checkAccounting: Check = shape<Envelope["accounting"]>({
  turns: listOf(turnAccount),
  totals: shape<AccountingTotals>({
    turns: count,
    provider_calls: count,
    tool_calls: count,
    tool_rounds: optional(count),
    usage,
    cost: optional(amount),
  }),
});
