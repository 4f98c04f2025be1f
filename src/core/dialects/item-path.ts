/** Paths into the lists that messages are made of: nearly all are among the first few of these, made once. */

const READY = 32;
const PATHS: ReadonlyMap<string, readonly string[]> = new Map(
  ["content", "parts", "output", "tool_calls"].map((list) => [
    list,
    Array.from({ length: READY }, (_, index) => `${list}[${index}]`),
  ]),
);

/** `content[1]` */
export function itemPath(list: string, index: number): string {
  return PATHS.get(list)?.[index] ?? `${list}[${index}]`;
}
