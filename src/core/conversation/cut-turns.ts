/** An envelope cut at its turns, each with all that belongs to it: what a state is packed from. */
import type { Dialect } from "../dialects/dialect.js";
import type { Envelope, MediaEntry, TurnIndexEntry } from "../envelope/envelope.js";
import type { JsonObject } from "../json.js";
import { markerPlaces } from "../media/inline-media.js";
import { digestOfKey } from "../media/marker.js";
import type { Segment } from "./state.js";

/** A turn of the index with the messages up to its end. The first cut is empty, the last one holds what follows all turns. */
interface Cut {
  readonly entries: readonly TurnIndexEntry[];
  readonly from: number;
  readonly to: number;
}

/** What belongs to no turn comes before them. The attic lies where it stands for something. */
export function cutTurns(envelope: Envelope, dialect: Dialect): readonly Partial<Segment>[] {
  const cuts = cutsOf(envelope);
  const cutOfTurn = new Map(cuts.flatMap(({ entries }, cut) => entries.map((entry) => [entry.turn_id, cut])));
  const cutOfMessage = cuts.flatMap(({ from, to }, cut) => new Array<number>(to - from).fill(cut));
  const turns = byCut(envelope.accounting.turns, cuts, (account) => cutOfTurn.get(account.turn_id) ?? 0);
  const report = byCut(envelope.conversion_report, cuts, (entry) => cutOfMessage[entry.index] ?? cuts.length);
  const media = byCut(Object.entries(envelope.media), cuts, mediaCuts(envelope, dialect, cutOfMessage));
  const attic = byCut(envelope.attic, cuts, (entry) => cutOfMessage[placeInAttic(entry)] ?? 0);
  return cuts.map(({ entries, from, to }, cut) => ({
    messages: envelope.messages.slice(from, to),
    turn_index: entries,
    turns: turns[cut] ?? [],
    media: media[cut] ?? [],
    conversion_report: report[cut] ?? [],
    attic: attic[cut] ?? [],
    ...(cut === 0 ? { served_models: envelope.metadata.served_models } : {}),
  }));
}

function cutsOf({ turn_index, messages }: Envelope): readonly Cut[] {
  const cuts: Cut[] = [{ entries: [], from: 0, to: 0 }];
  let from = 0;
  for (const entry of turn_index) {
    const to = entry.state === "committed" ? entry.to : from;
    cuts.push({ entries: [entry], from, to });
    from = to;
  }
  return [...cuts, { entries: [], from, to: messages.length }];
}

/** The items of each cut. Their order is kept: none comes before the one that it follows in the envelope. */
function byCut<T>(
  items: readonly T[],
  cuts: readonly Cut[],
  cutOf: (item: T) => number,
): readonly (readonly T[])[] {
  const found = cuts.map((): T[] => []);
  let cut = 0;
  for (const item of items) {
    cut = Math.min(Math.max(cut, cutOf(item)), cuts.length - 1);
    found[cut]?.push(item);
  }
  return found;
}

/** Each medium belongs to the turn that names it first. */
function mediaCuts(
  { messages }: Envelope,
  dialect: Dialect,
  cutOfMessage: readonly number[],
): (entry: readonly [string, MediaEntry]) => number {
  const named = new Map<string, number>();
  for (const { key, message_index } of markerPlaces(dialect, messages)) {
    const digest = digestOfKey(key);
    if (!named.has(digest)) named.set(digest, cutOfMessage[message_index] ?? 0);
  }
  return ([digest]) => named.get(digest) ?? 0;
}

/** Where an entry stands for something; one for the whole history stands at its beginning. */
function placeInAttic({ from }: JsonObject): number {
  return typeof from === "number" ? from : 0;
}
