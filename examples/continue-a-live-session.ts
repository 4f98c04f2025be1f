// Continue a live conversation on another model, in place: no file, no copy, the same id. Another provider converts it.
//
//   node examples/continue-a-live-session.ts
import { Agent, Conversations } from "holdfast";

const instructions = "You review contracts. Be brief.";

await using conversations = await Conversations.connect();
const session = await conversations.start(new Agent({ model: "gpt-6-luna", instructions }));
await session.run("Summarise clause 4.", { files: [new URL("contract.pdf", import.meta.url)] });

// Refused with RebindRefusedError while a turn runs or waits.
const claude = new Agent({ model: "claude-haiku-4-5", instructions });
const { report, estimated_tokens } = await session.previewRebind(claude); // changes nothing
console.log(`${report.length} entries in the report, about ${estimated_tokens} tokens`);
await session.rebind(claude);
console.log(await session.convertedFrom(), (await session.metadata()).served_models.at(-1));

const result = await session.run("Who bears the risk in clause 5?");
console.log(`${result.model}: ${result.output}`);
await session.close();
