/** How many pages a PDF has, as far as it says so without being decoded. */
import { setImmediate } from "node:timers/promises";

/** A linearized file says it in its first object. */
const LINEARIZED = /\/Linearized[^>]{0,300}?\/N\s+(\d{1,7})/;
const HEAD_CHARACTERS = 2_048;
/** No provider takes a larger PDF, so that its pages need not be counted. */
const MOST_BYTES: number = 50 * 1024 * 1024;
/** Some milliseconds of reading; others have their turn after each. */
const PIECE_BYTES: number = 512 * 1024;
/** What is looked for is never longer than MOST_TOKEN characters, so that a file full of it is read once. */
const TOKEN = / obj|endobj|(\/Type\s{0,32}\/Pages\b)|\/Count\s{1,32}(\d{1,7})/g;
const MOST_TOKEN = 64;

/** Undefined where the page tree is compressed, and of a file above 50 MiB. */
export async function pdfPages(bytes: Uint8Array): Promise<number | undefined> {
  if (bytes.byteLength > MOST_BYTES) return undefined;
  const linearized = LINEARIZED.exec(latin1(bytes.subarray(0, HEAD_CHARACTERS)))?.[1];
  if (linearized !== undefined) return Number(linearized);
  const count = new PageCount();
  let rest = "";
  for (let start = 0; start < bytes.byteLength; start += PIECE_BYTES) {
    const end = start + PIECE_BYTES;
    rest = count.read(rest + latin1(bytes.subarray(start, end)), end >= bytes.byteLength);
    await setImmediate();
  }
  return count.pages;
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** Each node of the tree counts the pages below it; the root's count is the largest. */
class PageCount {
  #pages: number | undefined;
  /** Of the object that is being read. */
  #isNode = false;
  #count: number | undefined;

  get pages(): number | undefined {
    return this.#pages;
  }

  /** Reads what is surely whole, and gives back the rest. */
  read(text: string, isLast: boolean): string {
    const whole = isLast ? text.length : text.length - MOST_TOKEN;
    let read = Math.max(0, whole);
    for (const token of text.matchAll(TOKEN)) {
      if (token.index >= whole) break;
      this.#see(token);
      read = Math.max(read, token.index + token[0].length);
    }
    if (isLast) this.#endObject();
    return text.slice(read);
  }

  #see([, node, count]: RegExpExecArray): void {
    if (node !== undefined) this.#isNode = true;
    else if (count !== undefined) this.#count ??= Number(count);
    else this.#endObject();
  }

  #endObject(): void {
    if (this.#isNode && this.#count !== undefined) this.#pages = Math.max(this.#pages ?? 0, this.#count);
    this.#isNode = false;
    this.#count = undefined;
  }
}
