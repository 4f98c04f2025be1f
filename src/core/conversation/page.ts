/** Pages: a list answered in pieces, each small enough for a query. */

import type { JsonValue } from "../json.js";
import { jsonByteLength } from "../json-byte-length.js";
import type { Page, PageRequest } from "./messages.js";
import { PAGE_BYTES } from "./messages.js";

/** Characters of one part of an entry that is too large for a page: even at three bytes each they fit. */
const PART_CHARACTERS = 31_000;
/** What a page may hold beside its entries. */
const PAGE_FRAME_BYTES = 1_024;

type Entry = Page["entries"][number];

/** The page of `list` that begins where `request` says. */
export function pageOf<T>(list: readonly T[], request: PageRequest, version: number): Page<T> {
  const entries: Entry[] = [];
  let room = PAGE_BYTES - PAGE_FRAME_BYTES;
  let index = request.from ?? 0;
  let part = request.part ?? 0;
  const end = Math.min(list.length, index + (request.limit ?? list.length));
  while (index < end) {
    const value = list[index] as JsonValue;
    const bytes = jsonByteLength(value) + 32;
    if (bytes > PAGE_BYTES - PAGE_FRAME_BYTES) {
      if (entries.length > 0) break;
      const piece = partOf(value, index, part);
      entries.push(piece);
      part = piece.part + 1 < piece.parts ? piece.part + 1 : 0;
      if (part === 0) index++;
      break;
    }
    if (bytes > room) break;
    entries.push({ index, value });
    room -= bytes;
    index++;
  }
  const next = index < end ? { from: index, part } : null;
  return { entries: entries as unknown as Page<T>["entries"], total: list.length, next, version };
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
