/** Whether a request with all its media, those of the history included, keeps the limits of the service. */
import type { NativeMessage } from "../envelope/envelope.js";
import { jsonByteLength } from "../json-byte-length.js";
import { decodedLength } from "../media/base64.js";
import { MEDIA_LIMITS } from "../media/limits.js";
import { isMarker } from "../media/marker.js";
import { type MediaPlace, mediaPlaces } from "../media/media-place.js";
import {
  type AttachmentFacts,
  type AttachmentRefusal,
  attachmentRefusal,
  bytes,
  type FileReader,
} from "./check-attachment.js";
import { dialectFor } from "./index.js";

/** What only a look into the bytes (base64) can tell. */
export type Measure = (
  place: Pick<MediaPlace, "mime_type" | "data">,
) => MeasuredFacts | Promise<MeasuredFacts>;

type MeasuredFacts = Pick<AttachmentFacts, "pixels" | "pages">;

export interface RequestParts {
  /** As they are sent, media inline. */
  readonly messages: readonly NativeMessage[];
  /** The index from which messages are the turn's own; `names` are the names of its files, in order. */
  readonly turnFrom: number;
  readonly names: readonly string[];
}

/** Media that were not resolved are none. Undefined where nothing that is known speaks against the request. */
export async function requestMediaRefusal(
  { messages, turnFrom, names }: RequestParts,
  reader: FileReader,
  measure: Measure,
): Promise<AttachmentRefusal | undefined> {
  const places = mediaPlaces(dialectFor(reader.provider), messages).filter(({ data }) => !isMarker(data));
  if (places.length === 0) return undefined;
  let own = 0;
  for (const place of places) {
    const isOwn = place.message_index >= turnFrom;
    const name = isOwn ? (names[own++] ?? whereOf(place)) : whereOf(place);
    const facts = {
      name,
      mime_type: place.mime_type,
      size_bytes: decodedLength(place.data),
      ...(await measure(place)),
    };
    // Types that stand in the history already were judged when they came in, or were converted by a rule.
    const refusal = attachmentRefusal(facts, reader);
    if (refusal?.reason === "too_large") return isOwn ? refusal : inHistory(refusal);
  }
  return overall(messages, places, reader);
}

function overall(
  messages: readonly NativeMessage[],
  places: readonly MediaPlace[],
  { provider, model }: FileReader,
): AttachmentRefusal | undefined {
  const { images, totalBase64, requestBytes } = MEDIA_LIMITS[provider];
  const pictures = places.filter(({ kind }) => kind === "image").length;
  const encoded = places.reduce((sum, { data }) => sum + data.length, 0);
  if (images !== undefined && pictures > images) {
    return whole(`${pictures} images`, `${images} of them in a request`);
  }
  if (totalBase64 !== undefined && encoded > totalBase64) {
    return whole(`${bytes(encoded)} of media as base64`, `${bytes(totalBase64)} in a request`);
  }
  if (requestBytes === undefined) return undefined;
  const size = jsonByteLength(messages);
  return size > requestBytes ? whole(bytes(size), `${bytes(requestBytes)} in a request`) : undefined;

  function whole(has: string, most: string): AttachmentRefusal {
    const error = `With its history the request has ${has}, and ${model} (${provider}) takes at most ${most}. Send fewer or smaller files, limit the history with the agent's sendWindow, fork before the turns with the files, or rebind to another model.`;
    return { reason: "too_large", error };
  }
}

function whereOf({ message_index, path }: MediaPlace): string {
  return `the file at messages[${message_index}].${path}`;
}

function inHistory({ reason, error }: AttachmentRefusal): AttachmentRefusal {
  const way =
    "It stands in the history: fork before its turn, limit the history with the agent's sendWindow, or rebind to another model.";
  return { reason, error: error.replace(/Attach a smaller one, or leave it out\.$/, way) };
}
