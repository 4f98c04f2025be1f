// Your own Temporal client: starts the workflow, and reads what its conversation says meanwhile.
import { Client, Connection } from "@temporalio/client";
import { Conversations } from "holdfast";
import { HoldfastPlugin } from "holdfast/worker";

const [name = "meyer"] = process.argv.slice(2);
const connection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS ?? "" });
const namespace = process.env.TEMPORAL_NAMESPACE ?? "default";
const client = new Client({ connection, namespace, plugins: [new HoldfastPlugin()] });

const review = await client.workflow.execute("reviewContract", {
  taskQueue: "contracts",
  workflowId: `contract-${name}`,
  args: [name],
});
console.log(review.summary);
console.log(review.advice);

await using conversations = await Conversations.connect({ client, taskQueue: "contracts" });
const session = await conversations.open(`review-${name}`); // closed by now; its last envelope is kept
console.log(`${session.id} holds ${(await session.status()).run_count} turns`);
await connection.close();
