// A restore that crosses providers: the history is converted, and the report says what did not cross.
//
//   node examples/restore-under-another-provider.ts
import { Agent, Conversations, SessionCompatibilityError } from "holdfast";

const instructions = "You review contracts. Be brief.";
const file = "checkpoints/contract-review.json";

await using conversations = await Conversations.connect();
const first = await conversations.start(new Agent({ model: "claude-haiku-4-5", instructions }));
await first.run("Summarise clause 4.", { files: [new URL("contract.pdf", import.meta.url)] });
await first.toJson({ path: file, overwrite: true });

try {
  const agent = new Agent({ model: "gpt-6-luna", instructions });
  const session = await conversations.fromJson(file, { agent, id: `${first.id}-gpt` });
  console.log("converted from", await session.convertedFrom());
  for (const { kind, artefact, index, detail } of await session.conversionReport()) {
    console.log(kind, artefact, index, detail);
  }
  const result = await session.run("And clause 5?"); // continues on gpt-6-luna, attachment and tool rounds intact
  console.log(`${result.model}: ${result.output}`);
  await session.toJson({ path: file, overwrite: true }); // the report rides the envelope
  await session.close();
} catch (error) {
  // Only a history that cannot be converted: it ends inside a tool round, a call has no name, a result has no call.
  if (!(error instanceof SessionCompatibilityError)) throw error;
  console.error(error.message);
} finally {
  await first.close();
}
