// Asks the agent of tools.ts, and shows which tools it calls. Beside a running
//
//   npx holdfast dev examples/order-desk/tools.ts --simulate
import { Agent, Conversations } from "holdfast";

await using conversations = await Conversations.connect();
// Names are enough here: the worker has the tools, and sends their definitions.
const agent = new Agent({
  name: "order-desk",
  model: "claude-haiku-4-5",
  tools: ["order_status", "cancel_order"],
});
const session = await conversations.start(agent);

const question = 'Call order_status with {"order": "A-17"}, then tell me where it is.';
const turn = await session.submit(question);
for await (const frame of turn.stream()) {
  if (frame.type === "tool_call") console.log(`calls ${frame.name}(${frame.arguments})`);
  if (frame.type === "tool_result") console.log(`  ${frame.is_error ? "failed: " : ""}${frame.output}`);
}
const result = await turn.result();
console.log(result.output);
console.log(`${result.toolCalls} tool call, ${result.providerCalls} calls of the model`);
await session.close();
