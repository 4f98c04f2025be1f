// An answer as data: typed here, checked by the worker, asked of every provider in its own way.
//
//   node examples/structured-output.ts
import { Agent, Conversations, OutputParseError, TurnInterruptedError } from "holdfast";
import { z } from "zod"; // or any library with the Standard Schema interface

const Clause = z.object({
  subject: z.string(),
  days: z.number().int().min(1),
  parties: z.array(z.string()).default(["buyer", "seller"]),
});

await using conversations = await Conversations.connect();
const agent = new Agent({ model: "claude-haiku-4-5", instructions: "You review contracts. Be brief." });
const session = await conversations.start(agent);
const files = [new URL("contract.pdf", import.meta.url)];

try {
  const { data } = await session.run("What does clause 4 say?", { files, output: Clause });
  console.log(`${data.subject}, within ${data.days} days, between ${data.parties.join(" and ")}`);

  // A JSON Schema will do as well.
  const schema = { type: "object", properties: { valid: { type: "boolean" } }, required: ["valid"] };
  console.log((await session.run("Is clause 6 valid?", { output: { schema, name: "validity" } })).data);
} catch (error) {
  if (error instanceof TurnInterruptedError)
    console.error(error.record.error_type, error.record.partial_text);
  else if (error instanceof OutputParseError) console.error(error.issues, error.result.output);
  else throw error;
} finally {
  await session.close();
}
