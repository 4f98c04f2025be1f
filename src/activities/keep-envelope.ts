/** The activities that write a conversation's envelope outside of it: the checkpoint, and the last envelope of a close. */
import { Context } from "@temporalio/activity";
import { ClosedConversations } from "../connection/closed-conversations.js";
import { externalized } from "../connection/export-envelope.js";
import { logMedia } from "../connection/log-media.js";
import { openNamedStore } from "../connection/open-media-store.js";
import { readEnvelopePages } from "../connection/read-pages.js";
import type {
  CheckpointInput,
  CheckpointResult,
  KeepEnvelopeInput,
} from "../core/conversation/activity-contract.js";
import type { TurnView } from "../core/conversation/messages.js";
import { savePlan } from "../core/media/policy.js";
import * as m from "../workflows/messages.js";
import { activityFailure, errorMessage } from "./activity-failure.js";
import type { ActivityDependencies } from "./dependencies.js";
import { startHeartbeat } from "./heartbeat.js";
import { type EnvelopePages, isHeavy, mediaOfPages } from "./page-weight.js";
import { checkpointPages, closePages, type WrittenCheckpoint } from "./perform-export.js";
import { AFTER_ATTEMPT, TurnFrames } from "./turn-frames.js";

/** Writes the file of an ended turn, then sends the turn's end frame: a reader of it finds the file written. */
export async function checkpoint(
  dependencies: ActivityDependencies,
  input: CheckpointInput,
): Promise<CheckpointResult> {
  const context = Context.current();
  const stopHeartbeat = startHeartbeat(context, () => undefined);
  try {
    const { run_count, report } = await writeCheckpoint(dependencies, input);
    logMedia(context.log, report, { conversation_id: input.conversation_id });
    return { run_count };
  } catch (error) {
    const text = `The checkpoint ${input.path} was not written: ${errorMessage(error)}`;
    context.log.warn(text, { conversation_id: input.conversation_id });
    throw activityFailure("checkpoint.failed", text, { retryable: false });
  } finally {
    await sendEnd(dependencies, input);
    stopHeartbeat();
  }
}

/** Blobs go from store to store here, in chunks; only the envelope itself is made in a thread, where it is large. */
async function writeCheckpoint(
  { mediaStore, stores: named = {}, agents, threads }: ActivityDependencies,
  input: CheckpointInput,
): Promise<WrittenCheckpoint> {
  const { savedAt, pages } = await read(input);
  const { agent: asked, media, keys } = mediaOfPages(pages);
  const agent = (asked.name === undefined ? undefined : agents.get(asked.name)?.spec) ?? asked;
  const plan = savePlan(agent, {});
  const externalizes = plan.policy === "externalize";
  const target =
    externalizes && agent.media_store !== undefined ? openNamedStore(agent.media_store, named) : undefined;
  const stores = { working: mediaStore, target };
  const missing = externalizes ? [...(await externalized(media, stores, { keys }))] : [];
  const task = { savedAt, path: input.path, plan, missing };
  if (threads === undefined || !isHeavy(pages)) return checkpointPages(task, pages, mediaStore);
  return threads.run("checkpoint", task, pages, { mediaStore });
}

/** Keeps the last envelope in the working store, where `open`, `export` and `list --closed` find it. */
export async function keepEnvelope(
  dependencies: ActivityDependencies,
  input: KeepEnvelopeInput,
): Promise<void> {
  const stopHeartbeat = startHeartbeat(Context.current(), () => undefined);
  try {
    if (dependencies.closedFolder === undefined) return;
    const { mediaStore, threads } = dependencies;
    const closed = new ClosedConversations(mediaStore, dependencies.closedFolder);
    const { savedAt, pages } = await read(input);
    const task = { savedAt };
    const written =
      threads === undefined || !isHeavy(pages)
        ? await closePages(task, pages, mediaStore)
        : await threads.run("close", task, pages, { mediaStore });
    await closed.keepWritten(written, new Date().toISOString());
  } catch (error) {
    throw activityFailure("envelope.not_kept", errorMessage(error), { retryable: true });
  } finally {
    stopHeartbeat();
  }
}

async function read({
  conversation_id,
  run_id,
}: KeepEnvelopeInput): Promise<{ readonly savedAt: string; readonly pages: EnvelopePages }> {
  const handle = Context.current().client.workflow.getHandle(conversation_id, run_id);
  return { savedAt: new Date().toISOString(), pages: await readEnvelopePages(handle) };
}

async function sendEnd({ frames }: ActivityDependencies, input: CheckpointInput): Promise<void> {
  const handle = Context.current().client.workflow.getHandle(input.conversation_id, input.run_id);
  const view: TurnView | undefined = await handle
    .query(m.turn, { turn_id: input.turn_id })
    .catch(() => undefined);
  const attempt = view?.result?.attempt ?? view?.interrupted_turn?.attempts ?? 1;
  const position = { conversation: input.conversation_id, turn: input.turn_id, attempt };
  const turn = new TurnFrames(frames, position, AFTER_ATTEMPT);
  const result = view?.result === undefined || view.result.output === null ? {} : { result: view.result };
  const state = view?.state === "committed" ? "committed" : "interrupted";
  turn.push({ type: "end", state, digest: view?.result?.digest ?? null, ...result });
}
