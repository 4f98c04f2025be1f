// Save with a store: the attached bytes lie in a folder of their own, and the envelope names them there.
//
//   node examples/save-with-a-store.ts
import { Agent, Conversations } from "holdfast";

const CHECKPOINT = "checkpoints/stored-review.json";
const MEDIA = "checkpoints/media";

await using conversations = await Conversations.connect();
const instructions = "You review contracts. Be brief.";
const agent = new Agent({ model: "claude-haiku-4-5", instructions, mediaStore: MEDIA }); // "auto" now externalizes
const session = await conversations.start(agent);
await session.run("Summarise clause 4.", { files: [new URL("contract.pdf", import.meta.url)] });
await session.toJson({ path: CHECKPOINT });
const { media_policy, media } = await session.toEnvelope();
for (const { mime_type, ref } of Object.values(media)) console.log(`${media_policy}: ${mime_type} as ${ref}`);

// The same policies per save, whatever the agent says.
const sizes = {
  externalize: await session.toJson({ media: "externalize", mediaStore: MEDIA }),
  strip: await session.toJson({ path: "checkpoints/review-small.json", media: "strip" }), // a text in its place
  inline: await session.toJson({ path: "checkpoints/review-full.json", media: "inline" }), // everything
};
for (const [policy, text] of Object.entries(sizes)) {
  const { size_bytes } = await session.persistenceReport({ media: policy as keyof typeof sizes });
  console.log(`${policy}: ${Buffer.byteLength(text)} bytes, reported as ${size_bytes}`);
}
await session.close();

// The same process or another one: the agent's store is used.
const restored = await conversations.fromJson(CHECKPOINT, { agent });
console.log((await restored.run("Who bears the risk in clause 5?")).output);
await restored.close();

// An agent without a store: the restore names it.
const plain = new Agent({ model: "claude-haiku-4-5", instructions });
const elsewhere = await conversations.fromJson(CHECKPOINT, { agent: plain, mediaStore: MEDIA });
for (const { reason, mime_type, size } of await elsewhere.mediaReport()) console.log(reason, mime_type, size);
console.log(`could not be put back: ${(await elsewhere.mediaReport()).length}`);
await elsewhere.close();
