// The conversation as a careless change would leave it: with a step that no recorded history knows.
import { sleep } from "@temporalio/workflow";
import type { ConversationHead, Segment } from "../../src/core/conversation/state.js";
import { conversation as real } from "../../src/workflows/index.js";

export async function conversation(head: ConversationHead, ...segments: Segment[]): Promise<void> {
  await sleep("1 second");
  await real(head, ...segments);
}
