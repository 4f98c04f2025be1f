/** What the tour runs on: a server, two worker processes and a connection, in a folder of their own; all of it ends with the tour. */

import { existsSync } from "node:fs";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Conversations } from "../../client/conversations.js";
import type { Cleanup } from "../../connection/cleanup.js";
import { DEV_FOLDER_NAME } from "../../connection/dev-folder.js";
import { type LocalStack, startLocalStack } from "../../server/local-stack.js";
import { contractPdf } from "./contract-pdf.js";
import { stackAddress, type WorkerOrder } from "./tour-message.js";
import { TourProcess } from "./tour-process.js";

/** Slow enough to be read, and to be killed in the middle. */
const CHUNK_DELAY_MS = 50;

export interface TourStack {
  /** Stays behind with the contract and the checkpoint in it. */
  readonly folder: string;
  readonly contract: string;
  readonly checkpoint: string;
  readonly stack: LocalStack;
  readonly workers: readonly TourProcess<WorkerOrder>[];
  /** Resolves when the second worker takes work as well. */
  readonly bothWork: Promise<void>;
  /** Closed by the tour at its good end only: calls on their way would fail beyond anybody's reach when it closes under them. */
  readonly conversations: Conversations;
}

export interface TourStackOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly live: boolean;
  readonly onProgress: (line: string) => void;
}

/** Starts it all; what was started is put on `parts` at once, so that it ends also when the rest fails. */
export async function startTourStack(
  parts: Cleanup,
  { env, live, onProgress }: TourStackOptions,
): Promise<TourStack> {
  const first = new TourProcess<WorkerOrder>("worker-process", "first worker");
  const folder = await realpath(await mkdtemp(join(tmpdir(), "holdfast-tour-")));
  const contract = join(folder, "contract.pdf");
  const checkpoint = join(folder, "contract-review.json");
  // A tour that came to no checkpoint leaves nothing to look at.
  parts.defer(() => remove(existsSync(checkpoint) ? join(folder, DEV_FOLDER_NAME) : folder));
  await writeFile(contract, contractPdf());
  const simulate = live ? false : { chunkDelayMs: CHUNK_DELAY_MS };
  const stack = parts.use(await startLocalStack({ root: folder, env, simulate, onProgress }));
  parts.use(first);
  const address = stackAddress(stack.settings);
  const journal = { HOLDFAST_JOURNAL: join(folder, DEV_FOLDER_NAME, "journal") };
  const order = { stack: address, env: { ...stack.workerEnv, ...journal } };
  const [conversations] = await Promise.all([
    Conversations.connect({ ...address, cwd: folder, env }),
    first.order(order),
  ]);
  // Loaded while the first question is asked: nobody waits for two processes where one will do.
  const second = parts.use(new TourProcess<WorkerOrder>("worker-process", "second worker"));
  const bothWork = second.order(order);
  bothWork.catch(() => undefined);
  return { folder, contract, checkpoint, stack, workers: [first, second], bothWork, conversations };
}

function remove(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 3 });
}
