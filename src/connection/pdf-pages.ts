/** How many pages a PDF has, as far as it says so without being decoded. */

/** A linearized file says it in its first object. */
const LINEARIZED = /\/Linearized[^>]{0,300}?\/N\s+(\d{1,7})/;
const HEAD_CHARACTERS = 2_048;
const TREE_NODE = /\/Type\s*\/Pages\b/g;
const COUNT = /\/Count\s+(\d{1,7})/;

/** Undefined where the page tree is compressed. */
export function pdfPages(bytes: Uint8Array): number | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const linearized = LINEARIZED.exec(text.slice(0, HEAD_CHARACTERS))?.[1];
  if (linearized !== undefined) return Number(linearized);
  // Each node counts the pages below it; the root's count is the largest.
  let pages: number | undefined;
  for (const { index } of text.matchAll(TREE_NODE)) {
    const count = COUNT.exec(objectAround(text, index))?.[1];
    if (count !== undefined) pages = Math.max(pages ?? 0, Number(count));
  }
  return pages;
}

function objectAround(text: string, index: number): string {
  const end = text.indexOf("endobj", index);
  return text.slice(Math.max(0, text.lastIndexOf(" obj", index)), end < 0 ? index : end);
}
