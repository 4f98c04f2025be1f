// Resend a turn that did not complete. Its question never stands in the history unanswered: it lives on a record,
// which the checkpoint carries to the next process.
//
//   node examples/resend-an-interrupted-turn.ts checkpoints/contract-review.json
import { Conversations, TurnInterruptedError } from "holdfast";

const checkpoint = process.argv[2] ?? "checkpoints/contract-review.json";

await using conversations = await Conversations.connect();
const session = await conversations.fromJson(checkpoint, { ifExists: "replace" });

const record = await session.interruptedTurn(); // null unless the last turn failed
if (record === null) {
  console.log("The last turn was completed: there is nothing to send again.");
} else {
  console.log(`${record.failed_at} ${record.error_type}: ${record.error}`);
  try {
    // The same question, with its files from the working store; `resend({ files })` names others.
    const result = await session.resend();
    console.log(result.output);
  } catch (error) {
    if (!(error instanceof TurnInterruptedError)) throw error;
    console.log(`Interrupted again: ${error.record.error}`);
  } finally {
    // Also after a failure, so that the record reaches the next process.
    await session.toJson({ path: checkpoint });
  }
}
await session.close();
