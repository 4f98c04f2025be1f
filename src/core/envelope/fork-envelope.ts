/** An envelope cut at a turn: a conversation as it was, which may then go another way. */
import { cutAttic } from "../dialects/attic.js";
import { dialectFor } from "../dialects/index.js";
import { dropped } from "../dialects/report.js";
import { UsageError } from "../errors/errors.js";
import { isJsonObject, type JsonValue } from "../json.js";
import { totalsOf } from "./accounting.js";
import type {
  CommittedTurnEntry,
  Envelope,
  InterruptedTurn,
  ServedModel,
  TurnIndexEntry,
} from "./envelope.js";
import { restoredTurns } from "./turn-ranges.js";

const MOST_NAMED = 5;

/**
 * The envelope with its first turns only: so many committed ones, or all up to and including the turn of an id. What
 * follows them goes, half a tool round at the end included. An envelope without an index of turns has one at each message
 * where its dialect starts a turn, with the ids `restored-1`, `restored-2`, …. It keeps its conversation id.
 *
 * @throws UsageError for a turn that it does not have.
 */
export function forkEnvelope(envelope: Envelope, at: number | string): Envelope {
  const { checksum: _, ...rest } = envelope;
  const { conversation_id } = envelope;
  const index = indexOf(envelope);
  const turn_index = index.slice(0, countKept(index, at));
  const turns = turn_index.filter(isCommitted);
  const end = turns.at(-1)?.to ?? index.find(isCommitted)?.from ?? envelope.messages.length;
  const run_count = turns.length;
  const { attic, lost } = cutAttic(envelope.attic, end);
  const losses = lost.map(({ dialect, units, from }) =>
    dropped(
      "reference",
      { index: from, path: "" },
      `the fork cuts ${units} of the ${dialect} original's ranges from here on: they do not come back byte for byte`,
    ),
  );
  return withNamedMedia({
    ...rest,
    messages: envelope.messages.slice(0, end),
    turn_index,
    metadata: {
      ...envelope.metadata,
      run_count,
      served_models: servedUpTo(envelope, run_count),
    },
    accounting: accountsOf(envelope, turn_index, run_count),
    interrupted_turn: recordOf(turn_index.at(-1)),
    media_report: envelope.media_report.filter(({ message_index }) => message_index < end),
    conversion_report: [...envelope.conversion_report, ...losses],
    attic,
    // One that has no id yet is nobody's original.
    ...(conversation_id === "" ? {} : { copied_from: { conversation_id, turn: run_count } }),
  } as Envelope);
}

function isCommitted(entry: TurnIndexEntry): entry is CommittedTurnEntry {
  return entry.state === "committed";
}

function indexOf({ turn_index, messages, provider, model }: Envelope): readonly TurnIndexEntry[] {
  if (turn_index.some(isCommitted)) return turn_index;
  const { capabilities, startsTurn } = dialectFor(provider);
  const { endpoint } = capabilities;
  return [...restoredTurns(messages, startsTurn, { provider, endpoint, model }), ...turn_index];
}

/** How many entries of the index stay. */
function countKept(index: readonly TurnIndexEntry[], at: number | string): number {
  if (typeof at === "string") {
    const found = index.findIndex(({ turn_id }) => turn_id === at);
    if (found === -1) throw unknownTurn(index, at);
    return found + 1;
  }
  const ends = index.flatMap((entry, place) => (isCommitted(entry) ? [place + 1] : []));
  const kept = at === 0 ? 0 : ends[at - 1];
  if (kept === undefined) throw unknownTurn(index, at);
  return kept;
}

function unknownTurn(index: readonly TurnIndexEntry[], at: number | string): UsageError {
  const ids = index.filter(isCommitted).map(({ turn_id }) => turn_id);
  const committed = ids.length;
  const last = ids.length === 0 ? "" : `, or a turn's id (the last: ${ids.slice(-MOST_NAMED).join(", ")})`;
  return new UsageError(
    `There is no turn ${JSON.stringify(at)} to fork at: the history has ${committed} committed turn${committed === 1 ? "" : "s"}. Name a number from 0 to ${committed}${last}.`,
  );
}

/** The record of a turn that failed, where nothing came after it. */
function recordOf(last: TurnIndexEntry | undefined): InterruptedTurn | null {
  return last?.state === "interrupted" ? last.record : null;
}

/** The model that goes on stands last, also where it took over in a turn that has gone. */
function servedUpTo({ metadata, provider, model }: Envelope, turn: number): readonly ServedModel[] {
  const kept = metadata.served_models.filter((served) => served.turn <= turn);
  const before = kept.at(-1);
  const last = metadata.served_models.at(-1);
  if (last === undefined || last === before) return kept;
  if (before?.provider === provider && before.model === model) return kept;
  const from = before === undefined ? {} : { from: { provider: before.provider, model: before.model } };
  return [...kept, { ...last, turn, ...from }];
}

function accountsOf(
  { accounting }: Envelope,
  kept: readonly TurnIndexEntry[],
  run_count: number,
): Envelope["accounting"] {
  const ids = new Set(kept.map(({ turn_id }) => turn_id));
  const turns = accounting.turns.filter(({ turn_id }) => ids.has(turn_id));
  return { turns, totals: { ...totalsOf(turns), turns: run_count } };
}

/** Only the media that something in the envelope still names, by marker or by address. */
function withNamedMedia(envelope: Envelope): Envelope {
  const { messages, attic, turn_index } = envelope;
  const named = namesIn([messages, attic, turn_index as unknown as JsonValue]);
  const media = Object.entries(envelope.media).filter(
    ([digest, { uri }]) => named.has(digest) || (uri !== undefined && named.has(uri)),
  );
  return { ...envelope, media: Object.fromEntries(media) };
}

const MARKER = /\$media:([0-9a-f]{64})\./g;
const LONGEST_ADDRESS = 8_192;

/** Digests in markers, and every short text, for it may be the address of a file. */
function namesIn(value: JsonValue): ReadonlySet<string> {
  const names = new Set<string>();
  const open: (JsonValue | undefined)[] = [value];
  for (let next = open.pop(); open.length > 0 || next !== undefined; next = open.pop()) {
    if (typeof next === "string") {
      if (next.length <= LONGEST_ADDRESS) names.add(next);
      for (const [, digest] of next.matchAll(MARKER)) if (digest !== undefined) names.add(digest);
    } else if (Array.isArray(next)) for (const item of next) open.push(item);
    else if (isJsonObject(next)) for (const item of Object.values(next)) open.push(item);
  }
  return names;
}
