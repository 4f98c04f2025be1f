/** How large a conversation is that has been read in pages. */
import type { AgentSpec } from "../core/agent.js";
import type { EnvelopePiece } from "../core/conversation/export.js";
import { PAGE_BYTES, type Page } from "../core/conversation/messages.js";
import type { Envelope, MediaEntry } from "../core/envelope/envelope.js";
import { namedKeys } from "../core/media/media-references.js";
import { HEAVY_BYTES } from "./heavy-bytes.js";

export type EnvelopePages = readonly Page<EnvelopePiece>[];

/** True where its JSON and the media that it names are above 1 MiB together. */
export function isHeavy(pages: EnvelopePages): boolean {
  const bytes = pages.length * PAGE_BYTES;
  return bytes > HEAVY_BYTES || bytes + mediaBytes(pages) > HEAVY_BYTES;
}

function mediaBytes(pages: EnvelopePages): number {
  return mediaEntries(pages).reduce((bytes, [, { size_bytes }]) => bytes + size_bytes, 0);
}

/** What the pages say of media, without the envelope being put together. */
export interface MediaOfPages {
  readonly agent: AgentSpec;
  readonly media: Envelope["media"];
  /** Also those of types that the table, with its one entry a digest, does not name. */
  readonly keys: ReadonlySet<string>;
}

export function mediaOfPages(pages: EnvelopePages): MediaOfPages {
  const [first] = pages[0]?.entries ?? [];
  if (first === undefined || !("value" in first) || first.value.at !== "head")
    throw new TypeError("The pages of an envelope begin with its head.");
  const { agent } = first.value.head as unknown as { readonly agent: AgentSpec };
  const media = Object.fromEntries(mediaEntries(pages));
  return { agent, media, keys: Object.keys(media).length === 0 ? new Set() : namedKeys(pages) };
}

function mediaEntries(pages: EnvelopePages): readonly (readonly [string, MediaEntry])[] {
  return pages.flatMap(({ entries }) =>
    entries.flatMap((entry) =>
      "value" in entry && entry.value.at === "media"
        ? [entry.value.value as readonly [string, MediaEntry]]
        : [],
    ),
  );
}
