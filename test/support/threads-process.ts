// A process that has a thread do one task and then has nothing left to do.
import { convertTask } from "./convert-task.js";
import { sourceThreads } from "./source-threads.js";

const threads = sourceThreads({ providers: {} as never });
const mediaStore = { get: async () => undefined, put: async () => undefined };
const { message_count } = await threads.run("previewConversion", ...convertTask(), { mediaStore });
console.log(message_count);
