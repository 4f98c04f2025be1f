/** How large a conversation is that has been read in pages. */
import type { EnvelopePiece } from "../core/conversation/export.js";
import { PAGE_BYTES, type Page } from "../core/conversation/messages.js";
import { HEAVY_BYTES } from "./threads/work-threads.js";

export type EnvelopePages = readonly Page<EnvelopePiece>[];

/** True where its JSON and the media that it names are above 1 MiB together. */
export function isHeavy(pages: EnvelopePages): boolean {
  const bytes = pages.length * PAGE_BYTES;
  return bytes > HEAVY_BYTES || bytes + mediaBytes(pages) > HEAVY_BYTES;
}

function mediaBytes(pages: EnvelopePages): number {
  let bytes = 0;
  for (const { entries } of pages) {
    for (const entry of entries) {
      if ("value" in entry && entry.value.at === "media") bytes += sizeOf(entry.value.value);
    }
  }
  return bytes;
}

function sizeOf(entry: unknown): number {
  const [, media] = entry as readonly [sha256: string, media: { readonly size_bytes: number }];
  return media.size_bytes;
}
