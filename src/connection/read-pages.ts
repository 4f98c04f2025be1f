/** Reading a live conversation through its paged queries, from a client or from an activity. */
import type { WorkflowHandle } from "@temporalio/client";
import { assembleEnvelope, type EnvelopePiece, type ListCounts } from "../core/conversation/export.js";
import type { Page, PageRequest } from "../core/conversation/messages.js";
import { PageReader } from "../core/conversation/page.js";
import type { Envelope } from "../core/envelope/envelope.js";
import { ServerUnreachableError } from "../core/errors/errors.js";
import * as m from "../workflows/messages.js";

/** Entries that change are read again when they did between two pages; each try takes milliseconds, a turn much longer. */
const MOST_TRIES = 50;

/** All entries of a list that only grows, page by page. */
export async function readPages<T>(
  query: (request: PageRequest) => Promise<Page<T>>,
  from = 0,
): Promise<readonly T[]> {
  const reader = new PageReader<T>();
  await eachPage(query, from, (page) => reader.add(page));
  return reader.values;
}

async function eachPage<T>(
  query: (request: PageRequest) => Promise<Page<T>>,
  from: number,
  take: (page: Page<T>) => void,
): Promise<void> {
  let request: PageRequest | null = { from };
  while (request !== null) {
    const page: Page<T> = await query(request);
    take(page);
    request = page.next;
  }
}

/**
 * The first entry of a list whose entries change, of one moment even where it comes in parts; undefined where there is none.
 *
 * @throws ServerUnreachableError when it never stood still.
 */
export async function readFirst<T>(
  query: (request: PageRequest) => Promise<Page<T>>,
): Promise<T | undefined> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const versions = new Set<number>();
    const [first] = await readPages<T>(async ({ part }) => {
      const page = await query({ from: 0, limit: 1, ...(part === undefined ? {} : { part }) });
      versions.add(page.version);
      return page;
    });
    if (versions.size <= 1) return first;
  }
  throw new ServerUnreachableError("The conversation changes faster than it can be read: try again.");
}

/** The envelope of one moment, media as markers, not yet sealed. Turns that end meanwhile are not in it. */
export async function readEnvelope(handle: WorkflowHandle, savedAt: string): Promise<Envelope> {
  return envelopeOfPages(await readEnvelopePages(handle), savedAt);
}

/** The same in the pages in which it comes: putting a long one together takes a while, and can be done elsewhere. */
export async function readEnvelopePages(handle: WorkflowHandle): Promise<readonly Page<EnvelopePiece>[]> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const pages = await envelopePages(handle);
    if (pages !== undefined) return pages;
  }
  throw new ServerUnreachableError("The conversation changes faster than it can be read: try again.");
}

export function envelopeOfPages(pages: readonly Page<EnvelopePiece>[], savedAt: string): Envelope {
  const reader = new PageReader<EnvelopePiece>();
  for (const page of pages) reader.add(page);
  return assembleEnvelope(reader.values, savedAt);
}

/** Undefined when the history was converted in place between two pages: then its lists are others. */
async function envelopePages(handle: WorkflowHandle): Promise<readonly Page<EnvelopePiece>[] | undefined> {
  const histories = new Set<number>();
  const query = async (request: EnvelopeRequest): Promise<Page<EnvelopePiece>> => {
    const page = await handle.query(m.envelope, request);
    histories.add(page.conversions);
    return page;
  };
  const first = await query({});
  const begin = new PageReader<EnvelopePiece>();
  begin.add(first);
  // A head that fits no page comes in parts, and may have changed between them; the lists behind it only grow.
  const [whole] = begin.values;
  const head = whole ?? (await readFirst(query));
  if (head?.at !== "head") throw new TypeError("The envelope query did not begin with the head.");
  const { counts } = head;
  const pages = [whole === undefined ? { ...first, entries: [{ index: 0, value: head }] } : first];
  const next = whole === undefined ? 1 : first.next?.from;
  if (next !== undefined)
    await eachPage(
      (request) => query({ ...request, counts }),
      next,
      (page) => pages.push(page),
    );
  return histories.size === 1 ? pages : undefined;
}

type EnvelopeRequest = PageRequest & { readonly counts?: ListCounts };
