/** What a worker of the image has for its memory, from the image's and the compose file's own text, so that the bench measures nothing else. */
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

/**
 * The heap that Node allows a thread in a container of the compose file's limit: half of it, as V8 takes it from the memory there is.
 *
 * @throws an error where the compose file gives the worker no limit in GiB.
 */
export function containerHeap() {
  const compose = readFileSync(new URL("../docker-compose.yml", import.meta.url), "utf8");
  const [, limit] = /mem_limit: \$\{WORKER_MEMORY:-(\d+)g\}/.exec(compose) ?? [];
  if (limit === undefined) throw new Error("docker-compose.yml gives the worker no mem_limit in GiB.");
  return `--max-old-space-size=${(Number(limit) * 1024) / 2}`;
}
