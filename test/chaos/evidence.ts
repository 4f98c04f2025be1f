/** All that there is to learn from of a seed with a violation, in a folder that stays. */
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { historyToJSON } from "@temporalio/common/lib/proto-utils.js";
import { failedTaskLines } from "../support/temporal-view.js";
import type { Violation } from "./observation.js";
import type { SeedResult } from "./run-seed.js";
import type { World } from "./world.js";

/**
 * `history-ID-N.json` for `holdfast replay` with HOLDFAST_PAYLOAD_STORE=`world/.holdfast/payloads`; `observation.json`; and
 * `world/`: the server's file, the journals, checkpoints, what workers and tools have written.
 */
export function keepEvidence(
  world: World,
  violations: readonly Violation[],
  { observation, histories }: Partial<SeedResult> = {},
): void {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-chaos-"));
  cpSync(world.folder, join(folder, "world"), { recursive: true });
  mkdirSync(join(folder, "histories"));
  for (const [index, { workflowId, history }] of (histories ?? []).entries()) {
    writeFileSync(join(folder, "histories", `history-${workflowId}-${index}.json`), historyToJSON(history));
    for (const line of failedTaskLines(history.events ?? [])) console.error(`  ${workflowId}: ${line}`);
  }
  write(join(folder, "observation.json"), observation ?? null);
  write(join(folder, "violations.json"), violations);
  console.error(`  kept in ${folder}`);
}

function write(path: string, value: unknown): void {
  const plain = (_key: string, entry: unknown): unknown =>
    entry instanceof Map ? Object.fromEntries(entry) : entry;
  writeFileSync(path, JSON.stringify(value, plain, 2));
}
