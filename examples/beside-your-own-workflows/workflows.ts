// Your own workflow, which asks a model on its way: the conversation is its child, durable like itself.
import { proxyActivities, startChild } from "@temporalio/workflow";
import { Agent, askConversation, conversation, conversationInput } from "holdfast/workflows";
import type { activities } from "./worker.js";

const { readContract } = proxyActivities<typeof activities>({ startToCloseTimeout: "10 seconds" });
const agent = new Agent({ model: "claude-haiku-4-5", instructions: "You review contracts. Be brief." });

export async function reviewContract(name: string): Promise<{ summary: string; advice: string }> {
  const text = await readContract(name);
  const review = await startChild(conversation, conversationInput(agent, { id: `review-${name}` }));
  const summary = await askConversation(review, `Summarise this contract:\n\n${text}`);
  const advice = await askConversation(review, "What should be negotiated?");
  await review.signal("close");
  await review.result();
  return { summary: summary.output ?? "", advice: advice.output ?? "" };
}
