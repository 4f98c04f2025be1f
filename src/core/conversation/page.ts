/** Pages: a list answered in pieces, each small enough for a query. */

import { isJsonObject, type JsonValue } from "../json.js";
import { jsonByteLength } from "../json-byte-length.js";
import type { Page, PageRequest } from "./messages.js";
import { PAGE_BYTES } from "./messages.js";

/** Characters of one part of an entry that is too large for a page: even at three bytes each they fit. */
const PART_CHARACTERS = 31_000;
/** What a page may hold beside its entries. */
const ENTRIES_BYTES = PAGE_BYTES - 1_024;
/** `{"index":…,"value":…},` around an entry. */
const ENTRY_FRAME_BYTES = 32;

type Entry = Page["entries"][number];

/** The page of `list` that begins where `request` says; what a caller in any language sent as one is made safe. */
export function pageOf<T>(list: readonly T[], request: unknown, version: number): Page<T> {
  const { from = 0, part = 0, limit = list.length } = pageRequest(request);
  const end = Math.min(list.length, from + limit);
  const { entries, next } = entriesOf(list, { from, part, end });
  return { entries: entries as unknown as Page<T>["entries"], total: list.length, next, version };
}

function pageRequest(value: unknown): PageRequest {
  if (!isJsonObject(value)) return {};
  const natural = (key: string): Readonly<Record<string, number>> => {
    const number = value[key];
    return typeof number === "number" && Number.isInteger(number) && number >= 0 ? { [key]: number } : {};
  };
  return { ...natural("from"), ...natural("part"), ...natural("limit") };
}

function entriesOf(
  list: readonly unknown[],
  { from, part, end }: { readonly from: number; readonly part: number; readonly end: number },
): Pick<Page, "entries" | "next"> {
  const entries: Entry[] = [];
  let room = ENTRIES_BYTES;
  for (let index = from; index < end; index++) {
    const value = list[index] as JsonValue;
    const bytes = jsonByteLength(value) + ENTRY_FRAME_BYTES;
    if (bytes > ENTRIES_BYTES && entries.length === 0) return partPage(value, { index, part, end });
    if (bytes > room) return { entries, next: { from: index, part: 0 } };
    entries.push({ index, value });
    room -= bytes;
  }
  return { entries, next: null };
}

/** A page of one part of an entry that no page holds. */
function partPage(
  value: JsonValue,
  { index, part, end }: { readonly index: number; readonly part: number; readonly end: number },
): Pick<Page, "entries" | "next"> {
  const piece = partOf(value, index, part);
  const rest = piece.part + 1 < piece.parts;
  const after = index + 1 < end ? { from: index + 1, part: 0 } : null;
  return { entries: [piece], next: rest ? { from: index, part: piece.part + 1 } : after };
}

function partOf(
  value: JsonValue,
  index: number,
  part: number,
): { index: number; part: number; parts: number; text: string } {
  const text = JSON.stringify(value);
  const parts = Math.ceil(text.length / PART_CHARACTERS);
  const at = Math.min(part, parts - 1);
  return { index, part: at, parts, text: text.slice(at * PART_CHARACTERS, (at + 1) * PART_CHARACTERS) };
}

/** Puts the pages of one list together again. */
export class PageReader<T> {
  readonly #values: T[] = [];
  #parts: string[] = [];

  add(page: Page<T>): void {
    for (const entry of page.entries) {
      if ("value" in entry) {
        this.#values.push(entry.value);
        continue;
      }
      this.#parts.push(entry.text);
      if (this.#parts.length < entry.parts) continue;
      this.#values.push(JSON.parse(this.#parts.join("")) as T);
      this.#parts = [];
    }
  }

  get values(): readonly T[] {
    return this.#values;
  }
}
