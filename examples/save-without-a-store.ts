// Save without a store, which is the default: the envelope holds the attached bytes and needs nothing beside it. On Google a
// file above 8 MiB is left out, with a warning: `mediaMaxInlineBytes: null`, or a store, keeps it beyond its 48 hours.
//
//   node examples/save-without-a-store.ts
import { Agent, Conversations } from "holdfast";

const CHECKPOINT = "checkpoints/clip.json";

await using conversations = await Conversations.connect();
const agent = new Agent({ model: "gemini-3.5-flash-lite", instructions: "You describe media. Be brief." });
const session = await conversations.start(agent);
const first = await session.run("What is in this clip?", { files: [new URL("clip.wav", import.meta.url)] });
console.log(first.output);
for (const { name, uri } of first.mediaUploads) console.log(`uploaded: ${name} as ${uri}`);

await session.toJson({ path: CHECKPOINT }); // the clip's bytes are in the "media" table
const { media_policy } = await session.toEnvelope();
console.log(`media policy: ${media_policy}`);
await session.close();

// Here or on any other machine; after 48 hours the clip is uploaded again from the file first.
const restored = await conversations.fromJson(CHECKPOINT, { agent });
const second = await restored.run("And how long is it?");
console.log(second.output);
console.log(`to report: ${(await restored.mediaReport()).length}`); // or an entry "expired_reuploaded"
await restored.close();
