/** A call whose provider keeps files: they are uploaded before it, and once more where it finds one of them dead. */

import type { CallModelInput } from "../core/conversation/activity-contract.js";
import { historyIndex } from "../core/conversation/send-window.js";
import { fileEntries } from "../core/conversation/turn.js";
import type { FileMarker } from "../core/envelope/envelope.js";
import { ProviderFailure } from "../core/errors/provider-failure.js";
import { resolveModel } from "../core/providers.js";
import { CallDeadline } from "./call-deadline.js";
import type { ActivityDependencies } from "./dependencies.js";
import { FileReferences } from "./file-references.js";
import { type CallPorts, type CallTask, type PerformedCall, toSend } from "./perform-call.js";
import type { Transcript } from "./read-transcript.js";
import { filePlaces } from "./refer-files.js";
import { toldMedia } from "./told-media.js";
import { UploadRegistry } from "./upload-registry.js";

export interface FileCall {
  readonly task: CallTask;
  readonly transcript: Transcript;
  readonly ports: CallPorts;
}

/** What the service says where an address is dead, or of another key. */
const DENIED: readonly (number | undefined)[] = [403, 404];

/** @throws what `perform` throws, and what uploading throws. */
export async function callWithFiles(
  dependencies: ActivityDependencies,
  call: FileCall,
  perform: (task: CallTask) => Promise<PerformedCall>,
): Promise<PerformedCall> {
  const performed = await performedWithFiles(dependencies, call, perform);
  const { provider } = resolveModel(call.task.agent.model);
  return { ...performed, ...(await toldMedia(performed.media_report, provider, call.transcript)) };
}

async function performedWithFiles(
  dependencies: ActivityDependencies,
  call: FileCall,
  perform: (task: CallTask) => Promise<PerformedCall>,
): Promise<PerformedCall> {
  const { task } = call;
  const references = await referencesOf(dependencies, call);
  if (references === undefined) return perform(task);
  const withFiles = (): CallTask => ({ ...task, files: references.substitutes });
  await withinBound(call, (signal) => references.resolve(signal));
  const performed = await perform(withFiles()).catch(async (error: unknown) => {
    const mayBeDead = error instanceof ProviderFailure && DENIED.includes(error.status);
    if (!mayBeDead || !(await withinBound(call, (signal) => references.resolveAgain(signal)))) throw error;
    return perform(withFiles());
  });
  return merged(performed, references.said);
}

/** What the call says of its media beside what its files say. */
function merged(performed: PerformedCall, said: FileReferences["said"]): PerformedCall {
  const media = { ...performed.media, ...said.media };
  const media_report = [...(performed.media_report ?? []), ...(said.media_report ?? [])];
  return {
    ...performed,
    ...said,
    ...(Object.keys(media).length === 0 ? {} : { media }),
    ...(media_report.length === 0 ? {} : { media_report }),
  };
}

/** Undefined where no file of the request is, or can be, one that the provider keeps. */
async function referencesOf(
  { providers, now = Date.now }: ActivityDependencies,
  { task, transcript, ports }: FileCall,
): Promise<FileReferences | undefined> {
  const { dialect, sent } = toSend(task, transcript.messages);
  const places = filePlaces(dialect, sent.messages);
  if (places.length === 0) return undefined;
  const { files } = await providers.get(resolveModel(task.agent.model).provider);
  if (files === undefined) return undefined;
  const { length } = transcript.messages;
  return new FileReferences({
    registry: UploadRegistry.of(files),
    store: ports.mediaStore,
    places,
    media: {
      ...(length === 0 ? {} : await transcript.media?.()),
      ...Object.fromEntries(fileEntries(resultFiles(task.input))),
    },
    attached: task.input.user?.files ?? [],
    historyIndex: (index) => historyIndex(sent, index),
    now,
  });
}

/** What tools have just handed over: the conversation's table does not have it yet. */
function resultFiles({ results = [] }: CallModelInput): readonly FileMarker[] {
  return results.flatMap(({ files = [] }) => files);
}

/** Uploading may take as long as a call, which has its own bound. */
async function withinBound<T>(
  { task, ports }: FileCall,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  using deadline = new CallDeadline(ports.signal, task.callMs);
  try {
    return await work(deadline.signal);
  } catch (error) {
    if (ports.signal.aborted || !deadline.isOver) throw error;
    const text = `${task.agent.model}: the attachments were not uploaded within ${Math.round(task.callMs / 1000)} seconds. Send the message again.`;
    throw new ProviderFailure("timeout", text);
  }
}
