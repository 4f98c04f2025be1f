// Know what a save will write: attached files are stored inline, so an envelope can be thirty megabytes.
//
//   node examples/know-what-you-are-about-to-write.ts
import { Agent, Conversations } from "holdfast";

await using conversations = await Conversations.connect();
const agent = new Agent({ model: "claude-haiku-4-5", instructions: "You review contracts. Be brief." });
const session = await conversations.start(agent);
await session.run("Summarise clause 4.", { files: [new URL("contract.pdf", import.meta.url)] });

const report = await session.persistenceReport();
console.log(`${report.size_bytes} bytes, ${report.message_count} messages, ${report.media_count} media`);
for (const part of report.media) {
  console.log(`message ${part.message_index}: ${part.kind} ${part.mime_type}, ${part.size_bytes} bytes`);
}

const text = await session.toJson();
console.log(`written: ${Buffer.byteLength(text)} bytes`);
await session.close();
