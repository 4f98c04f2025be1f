import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { repositoryRoot } from "../support/source-file.js";

it("BEN-300 measures long lives with what a worker of the image has for its memory, which docs/operations.md names", async () => {
  const url = pathToFileURL(join(repositoryRoot, "bench/image-environment.mjs")).href;
  const { imageEnvironment, containerHeap } = await import(url);
  const environment: Record<string, string> = imageEnvironment();
  expect(containerHeap()).toMatch(/^--max-old-space-size=\d+$/);
  expect(environment.NODE_OPTIONS).toMatch(/^--max-semi-space-size=\d+$/);
  expect(Number(environment.MALLOC_MMAP_THRESHOLD_)).toBeGreaterThan(0);
  const operations = readFileSync(join(repositoryRoot, "docs/operations.md"), "utf8");
  for (const [name, value] of Object.entries(environment)) expect(operations).toContain(`${name}=${value}`);
});
