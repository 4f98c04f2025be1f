/** From the state to an envelope, in pieces that fit a query, and from the pieces to the whole. */
import type { Envelope, EnvelopeMetadata, ServedModel, TurnAccount } from "../envelope/envelope.js";
import { SCHEMA_VERSION } from "../envelope/envelope.js";
import type { JsonObject } from "../json.js";
import type { ConversationState, ListName, Segment } from "./state.js";
import { LIST_NAMES, listOf } from "./state.js";

/** How long each list was when the export began. All of them only grow, so that a slow reader sees one moment. */
export type ListCounts = Readonly<Record<ListName, number>>;

/** The first piece: all that does not grow by turn. */
export interface EnvelopeHeadPiece {
  readonly at: "head";
  readonly head: JsonObject;
  readonly counts: ListCounts;
}
export interface EnvelopeListPiece {
  readonly at: ListName;
  readonly value: Segment[ListName][number];
}
export type EnvelopePiece = EnvelopeHeadPiece | EnvelopeListPiece;

/** A reader of many pages asks for the same pieces again and again; made anew each time they would cost it the square. */
const lastPieces = new WeakMap<ConversationState, { key: string; pieces: readonly EnvelopePiece[] }>();

/** All pieces of the state, or of an earlier moment of it when its counts are given. */
export function envelopePieces(state: ConversationState, counts?: ListCounts): readonly EnvelopePiece[] {
  const key = JSON.stringify(counts ?? null);
  const known = lastPieces.get(state);
  if (known?.key === key) return known.pieces;
  const pieces = piecesOf(state, counts);
  lastPieces.set(state, { key, pieces });
  return pieces;
}

function piecesOf(state: ConversationState, counts: ListCounts | undefined): readonly EnvelopePiece[] {
  const lists = LIST_NAMES.flatMap((at) =>
    listOf(state, at)
      .slice(0, counts?.[at])
      .map((value): EnvelopeListPiece => ({ at, value })),
  );
  const now = Object.fromEntries(
    LIST_NAMES.map((name) => [name, listOf(state, name).length]),
  ) as unknown as ListCounts;
  return [{ at: "head", head: headFields(state), counts: counts ?? now }, ...lists];
}

function headFields({ head }: ConversationState): JsonObject {
  const fields = {
    conversation_id: head.conversation_id,
    created_at: head.created_at,
    provider: head.provider,
    model: head.model,
    agent: head.agent,
    system: head.system,
    prefix: head.prefix,
    run_count: head.run_count,
    totals: head.totals,
    interrupted_turn: head.interrupted_turn,
    media_policy: head.media_policy,
    converted_from: head.converted_from,
    ...(head.copied_from === undefined ? {} : { copied_from: head.copied_from }),
    unknown: head.unknown,
    unknown_metadata: head.unknown_metadata,
  };
  return fields as unknown as JsonObject;
}

/** What `headFields` wrote, read back. */
interface HeadFields
  extends Pick<
    Envelope,
    | "conversation_id"
    | "created_at"
    | "provider"
    | "model"
    | "agent"
    | "system"
    | "prefix"
    | "interrupted_turn"
    | "media_policy"
    | "converted_from"
  > {
  readonly copied_from?: NonNullable<Envelope["copied_from"]>;
  readonly run_count: number;
  readonly totals: Envelope["accounting"]["totals"];
  readonly unknown: JsonObject;
  readonly unknown_metadata: JsonObject;
}

/** The envelope that these pieces make; not yet sealed. Its media are markers, as in the state. */
export function assembleEnvelope(pieces: readonly EnvelopePiece[], savedAt: string): Envelope {
  const [first, ...rest] = pieces;
  if (first?.at !== "head") throw new TypeError("assembleEnvelope: the first piece must be the head");
  const head = first.head as unknown as HeadFields;
  const list = <Name extends ListName>(name: Name): Segment[Name] =>
    rest.flatMap((piece) =>
      piece.at === name ? [(piece as EnvelopeListPiece).value] : [],
    ) as unknown as Segment[Name];
  const metadata: EnvelopeMetadata = {
    run_count: head.run_count,
    served_models: list("served_models") as readonly ServedModel[],
    ...head.unknown_metadata,
  };
  return {
    schema_version: SCHEMA_VERSION,
    conversation_id: head.conversation_id,
    created_at: head.created_at,
    saved_at: savedAt,
    provider: head.provider,
    model: head.model,
    agent: head.agent,
    system: head.system,
    prefix: head.prefix,
    messages: list("messages"),
    turn_index: list("turn_index"),
    metadata,
    accounting: { turns: list("turns") as readonly TurnAccount[], totals: head.totals },
    interrupted_turn: head.interrupted_turn,
    media_policy: head.media_policy,
    media: Object.fromEntries(list("media")),
    media_report: list("media_report"),
    converted_from: head.converted_from,
    conversion_report: list("conversion_report"),
    attic: list("attic"),
    ...(head.copied_from === undefined ? {} : { copied_from: head.copied_from }),
    ...head.unknown,
  };
}

/** The state as an envelope, without a detour over pieces. */
export function envelopeOf(state: ConversationState, savedAt: string): Envelope {
  return assembleEnvelope(envelopePieces(state), savedAt);
}
