// For bench/media.mjs: a client as a process of its own, which does one step after the other as it is told over IPC.
import { setTimeout } from "node:timers/promises";
import { Agent, Conversations } from "../dist/index.js";
import { DirectoryMediaStore } from "../dist/media-stores/index.js";
import { attachFiles } from "../src/client/attach-files.js";

const conversations = await Conversations.connect({ logger: silent() });

const STEPS = {
  /** A file into the working store, as `run` puts it before its turn is sent. */
  attach: async ({ path }) => {
    const mediaStore = new DirectoryMediaStore(conversations.settings.mediaStore);
    const [marker] = await attachFiles({ mediaStore, cwd: process.cwd() }, [path]);
    return marker;
  },
  turn: async ({ id, model, files }) => {
    const agent = new Agent({ model, instructions: "Be brief." });
    const conversation = await conversations.start(agent, { id, ifExists: "open" });
    await conversation.run("What does it say?", { files });
  },
  history: async ({ id, model, dialect, messages, mediaStore }) => {
    const agent = new Agent({ model, instructions: "Be brief." });
    await conversations.fromMessages(messages, { dialect, agent, id, mediaStore });
  },
  export: async ({ id, options }) => {
    const conversation = await conversations.open(id);
    return (await conversation.toJson(options)).length;
  },
  import: async ({ id, options, path }) => {
    const conversation = await conversations.fromJson(path, { ...options, id });
    return (await conversation.mediaReport()).length;
  },
  /** What earlier steps have left behind is not theirs that follow. */
  collect: async () => globalThis.gc(),
  close: async ({ id }) => (await conversations.open(id)).close(),
};

process.on("message", async ({ step, ...input }) => {
  try {
    process.send({ result: (await STEPS[step](input)) ?? null });
  } catch (error) {
    process.send({ error: error.stack });
  }
});
process.on("disconnect", async () => {
  await conversations.close();
  await setTimeout(10);
  process.exit(0);
});
process.send({ result: "ready" });

/** Warnings about what a policy leaves out are no failure here. */
function silent() {
  const nothing = () => undefined;
  return { log: nothing, trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };
}
