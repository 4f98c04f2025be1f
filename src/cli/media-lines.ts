/** The media of a file, as a person reads them: what each is, and where its bytes are. */
import { openMediaStore, storeLocation } from "../connection/open-media-store.js";
import type { MediaWhereabouts } from "../core/media/media-whereabouts.js";
import { BlobDamagedError } from "../media-stores/blob-damaged-error.js";
import { streamFrom } from "../media-stores/stream-from.js";
import { table } from "./table.js";
import { byteSize, minute } from "./wording.js";

/** A medium, and whether the store that was named has its bytes. */
export interface CheckedMedium extends MediaWhereabouts {
  readonly in_store?: "ok" | "missing" | "damaged";
}

/** @throws UsageError for what is no store; what a store throws that cannot be used. */
export async function checkedMedia(
  media: readonly MediaWhereabouts[],
  named: string | undefined,
  cwd: string,
): Promise<readonly CheckedMedium[]> {
  if (named === undefined) return media;
  const store = openMediaStore(storeLocation(named, { stores: {}, cwd }));
  const checked: CheckedMedium[] = [];
  for (const medium of media) {
    const { ref } = medium;
    checked.push(ref === undefined ? medium : { ...medium, in_store: await stateOf(store, ref) });
  }
  return checked;
}

async function stateOf(
  store: Parameters<typeof streamFrom>[0],
  key: string,
): Promise<NonNullable<CheckedMedium["in_store"]>> {
  try {
    const chunks = await streamFrom(store, key);
    if (chunks === undefined) return "missing";
    for await (const _ of chunks) {
      // Reading it to its end checks the digest.
    }
    return "ok";
  } catch (error) {
    if (error instanceof BlobDamagedError) return "damaged";
    throw error;
  }
}

export function mediaLines(media: readonly CheckedMedium[]): readonly string[] {
  return table(
    media.map((medium) => [
      `  message ${medium.message_index}`,
      medium.mime_type,
      medium.size_bytes === 0 ? "" : byteSize(medium.size_bytes),
      medium.name ?? "",
      whereOf(medium),
    ]),
  );
}

/** `inline`, `in a store: KEY`, or `nowhere`; and until when its upload can be used. */
export function whereOf({ bytes, ref, uri, expiration_time, in_store }: CheckedMedium): string {
  const places = {
    inline: "inline",
    store: `in a store: ${ref}${in_store === undefined ? "" : ` (${in_store})`}`,
    nowhere: "nowhere",
  };
  const until = expiration_time === undefined ? "" : ` until ${minute(expiration_time)} UTC`;
  return `${places[bytes]}${uri === undefined ? "" : `; uploaded${until}`}`;
}
