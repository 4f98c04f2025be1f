// Continue a saved conversation under another model of the same provider: the history reaches it as it is.
//
//   node examples/continue-under-another-model.ts
import { Agent, Conversations } from "holdfast";

const instructions = "You review contracts. Be brief.";

await using conversations = await Conversations.connect();
const session = await conversations.start(new Agent({ model: "claude-haiku-4-5", instructions }));
await session.run("Summarise clause 4.", { files: [new URL("contract.pdf", import.meta.url)] });
const envelope = await session.toEnvelope(); // saved under claude-haiku-4-5

const bigger = new Agent({ model: "claude-opus-5-5", instructions });
const copy = await conversations.fromEnvelope(envelope, { agent: bigger, id: `${session.id}-opus` });
const result = await copy.run("Who bears the risk in clause 5?");
console.log(result.output);

for (const { event, model, turn } of (await copy.metadata()).served_models) {
  console.log(`after ${turn} turns: ${event} under ${model}`);
}
await Promise.all([session.close(), copy.close()]);
