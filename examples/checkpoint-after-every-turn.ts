// Checkpoint after every turn: whatever happens, the file holds every turn that has ended, and no half of one.
//
// Needs a running `holdfast dev --simulate` in this folder (or TEMPORAL_ADDRESS and a worker).
//   node examples/checkpoint-after-every-turn.ts
import { Agent, Conversations } from "holdfast";

const CHECKPOINT = "checkpoints/contract-review.json";
const contract = new URL("contract.pdf", import.meta.url);

await using conversations = await Conversations.connect();
const agent = new Agent({ model: "claude-haiku-4-5", instructions: "You review contracts. Be brief." });
const session = await conversations.start(agent);

for (const question of ["Summarise clause 4.", "Who bears the risk in clause 5?"]) {
  const files = question.startsWith("Summarise") ? [contract] : [];
  const result = await session.run(question, { files });
  // Atomic: a crash in the middle of the write keeps the previous file. The text is returned as well,
  // for a host that keeps envelopes in a database.
  await session.toJson({ path: CHECKPOINT });
  console.log(result.output);
}

// The worker can do the same by itself after each turn: start(agent, { checkpoint: { path: CHECKPOINT } }).
console.log(`${CHECKPOINT} holds ${(await session.metadata()).run_count} turns`);
await session.close();
