/** What the image sets for the memory of a worker, from its own file, so that the bench measures nothing else. */
import { readFileSync } from "node:fs";

export const MEMORY_VARIABLES = ["MALLOC_MMAP_THRESHOLD_", "MALLOC_ARENA_MAX", "NODE_OPTIONS"];

/** @throws an error for a variable that the image does not set. */
export function imageEnvironment() {
  const image = readFileSync(new URL("../Dockerfile", import.meta.url), "utf8");
  const lines = image.split("\n").filter((line) => line.startsWith("ENV "));
  const set = new Map(
    lines.flatMap((line) => [...line.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value])),
  );
  return Object.fromEntries(
    MEMORY_VARIABLES.map((name) => {
      const value = set.get(name);
      if (value === undefined) throw new Error(`The Dockerfile does not set ${name}.`);
      return [name, value];
    }),
  );
}
