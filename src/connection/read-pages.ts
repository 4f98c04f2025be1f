/** Reading a live conversation through its paged queries, from a client or from an activity. */
import type { WorkflowHandle } from "@temporalio/client";
import { assembleEnvelope, type EnvelopePiece, type ListCounts } from "../core/conversation/export.js";
import type { Page, PageRequest } from "../core/conversation/messages.js";
import { PageReader } from "../core/conversation/page.js";
import type { Envelope } from "../core/envelope/envelope.js";
import * as m from "../workflows/messages.js";

/** All entries of a list, page by page. */
export async function readPages<T>(
  query: (request: PageRequest) => Promise<Page<T>>,
  from = 0,
): Promise<readonly T[]> {
  const reader = new PageReader<T>();
  let request: PageRequest | null = { from };
  while (request !== null) {
    const page: Page<T> = await query(request);
    reader.add(page);
    request = page.next;
  }
  return reader.values;
}

/** The envelope of one moment, media as markers, not yet sealed. Turns that end meanwhile are not in it. */
export async function readEnvelope(handle: WorkflowHandle, savedAt: string): Promise<Envelope> {
  let counts: ListCounts | undefined;
  const pieces = await readPages<EnvelopePiece>(async (request) => {
    const page = await handle.query(m.envelope, counts === undefined ? request : { ...request, counts });
    counts ??= countsOf(page);
    return page;
  });
  return assembleEnvelope(pieces, savedAt);
}

/** The head is the first entry; one that comes in parts is read on its own, and its lists as they are then. */
function countsOf(page: Page<EnvelopePiece>): ListCounts | undefined {
  const first = page.entries[0];
  return first !== undefined && "value" in first && first.value.at === "head"
    ? first.value.counts
    : undefined;
}
