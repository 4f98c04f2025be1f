// Continue a live conversation on another model, in place: no file, no copy, the same id.
//
//   node examples/continue-a-live-session.ts
import { Agent, Conversations } from "holdfast";

const instructions = "You review contracts. Be brief.";

await using conversations = await Conversations.connect();
const session = await conversations.start(new Agent({ model: "gpt-6-luna", instructions }));
await session.run("Summarise clause 4.", { files: [new URL("contract.pdf", import.meta.url)] });

// Refused with RebindRefusedError while a turn runs or waits.
await session.rebind(new Agent({ model: "gpt-5.5", instructions }));
console.log((await session.metadata()).served_models.at(-1));

const result = await session.run("Who bears the risk in clause 5?");
console.log(`${result.model}: ${result.output}`);
await session.close();
