/** The code of a thread: does the tasks that the main loop sends, several at once. */
import { workerData } from "node:worker_threads";
import { createProviders } from "../../providers/providers.js";
import { performCall } from "../perform-call.js";
import { convertPages, previewPages } from "../perform-conversion.js";
import { checkpointPages, closePages } from "../perform-export.js";
import { TaskSide } from "./task-side.js";
import type { StartedTask, TaskName, ThreadTasks } from "./thread-messages.js";
import type { ThreadData } from "./work-threads.js";

type Perform<Name extends TaskName> = (
  task: ThreadTasks[Name]["task"],
  entries: readonly ThreadTasks[Name]["entry"][],
  side: TaskSide<ThreadTasks[Name]["entry"], ThreadTasks[Name]["event"]>,
) => Promise<ThreadTasks[Name]["result"]>;

const { providers: settings, keyRemedy } = workerData as ThreadData;
const providers = createProviders(settings, keyRemedy);

const TASKS: { readonly [Name in TaskName]: Perform<Name> } = {
  callModel: (task, messages, side) =>
    performCall(task, messages, {
      providers,
      mediaStore: side.mediaStore,
      signal: side.signal,
      onCalling: () => side.tell({ type: "calling" }),
      onText: (text) => side.tell({ type: "text", text }),
      onReasoning: (text) => side.tell({ type: "reasoning", text }),
    }),
  convert: async (task, pages, side) => {
    const converted = await convertPages(task, pages, side.mediaStore);
    return new TextEncoder().encode(JSON.stringify(converted));
  },
  previewConversion: (task, pages, side) => previewPages(task, pages, side.mediaStore),
  checkpoint: (task, pages, side) => checkpointPages(task, pages, side.mediaStore),
  close: (task, pages, side) => closePages(task, pages, side.mediaStore),
};

/** What the pool calls. Its promise says only that the task is over; everything else goes over the task's port. */
export default async function work({ name, task, port }: StartedTask): Promise<void> {
  // The name says of which task the rest is; a compiler cannot follow that over a port.
  const perform = TASKS[name] as Perform<TaskName>;
  const side = new TaskSide<ThreadTasks[TaskName]["entry"], ThreadTasks[TaskName]["event"]>(port);
  try {
    const value = await perform(task as never, await side.entries, side);
    side.done(value, bytesOf(value));
  } catch (error) {
    side.failed(error);
  }
}

function bytesOf(value: ThreadTasks[TaskName]["result"]): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  return "bytes" in value ? value.bytes : undefined;
}
