// Resume from a checkpoint file: the process that wrote it is gone, and so may be the server on which it ran.
// (A conversation whose server still runs needs no file: `conversations.open(id)` finds it.)
//
//   node examples/checkpoint-after-every-turn.ts && node examples/resume-in-another-process.ts
import { Agent, Conversations } from "holdfast";

const CHECKPOINT = "checkpoints/contract-review.json";

await using conversations = await Conversations.connect();
const agent = new Agent({ model: "claude-haiku-4-5", instructions: "You review contracts. Be brief." });
const session = await conversations.fromJson(CHECKPOINT, { agent, ifExists: "replace" });

console.log(`schema version ${await session.restoredFromSchemaVersion()}`);
console.log(`turns so far: ${(await session.metadata()).run_count}`);
if (await session.prefixChangedOnResume()) {
  // The instructions or the tools have moved since the save. The conversation goes on all the same.
  console.log("changed since the save:", await session.prefixChangeReport());
}

const result = await session.run("List the parties.");
console.log(result.output);
await session.toJson({ path: CHECKPOINT });
await session.close();
