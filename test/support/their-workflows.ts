// Workflows of somebody who runs conversations beside them.
import { condition, defineSignal, proxyActivities, setHandler, startChild } from "@temporalio/workflow";
import {
  Agent,
  askConversation,
  conversation,
  conversationInput,
  type TurnEnded,
  type TurnResult,
} from "holdfast/workflows";

const { double } = proxyActivities<{ double(value: number): Promise<number> }>({
  startToCloseTimeout: "10 seconds",
});
const agent = new Agent({ model: "claude-haiku-4-5", instructions: "Be brief." });

/** Nothing of conversations in it. */
export async function doubled(value: number): Promise<number> {
  return double(value);
}

export async function asks(id: string, questions: readonly string[]): Promise<readonly TurnResult[]> {
  const child = await startChild(conversation, conversationInput(agent, { id }));
  const results: TurnResult[] = [];
  for (const [index, question] of questions.entries()) {
    const length = await double(index);
    results.push(await askConversation(child, question, { turnId: `${id}-${length}` }));
  }
  return results;
}

/** All questions at once, each twice under one turn id. */
export async function asksAtOnce(id: string, questions: readonly string[]): Promise<readonly string[]> {
  const child = await startChild(conversation, conversationInput(agent, { id }));
  const twice = questions.flatMap((question, index) =>
    [0, 1].map(() => [question, `${id}-${index}`] as const),
  );
  const results = await Promise.all(
    twice.map(([question, turnId]) => askConversation(child, question, { turnId })),
  );
  await child.signal("close");
  await child.result();
  return results.map(({ output }) => output ?? "");
}

/** How asking fails: the failure's type, and the state of the turn in its details. With `shut` after the close, while a turn runs. */
export async function asksInVain(id: string, question: string, shut: boolean): Promise<readonly unknown[]> {
  const child = await startChild(conversation, conversationInput(agent, { id }));
  if (shut) {
    await child.signal("submit_turn", { message: "A long question" });
    await child.signal("close");
  }
  try {
    await askConversation(child, question);
    return [];
  } catch (error) {
    const failure = error as { type?: string; message: string; details?: { state?: string }[] };
    return [failure.type, failure.details?.[0]?.state, failure.message];
  }
}

const buyer = new Agent({ model: "claude-haiku-4-5", tools: ["look", "pay"] });

/** With tools, of which one waits for approval. The conversation's runs are short: it goes through several while it waits. */
export async function buys(id: string, question: string): Promise<TurnResult> {
  const { args, ...options } = conversationInput(buyer, { id });
  const [head, ...segments] = args;
  const short = { ...head, limits: { events: 40 } };
  const child = await startChild(conversation, { ...options, args: [short, ...segments] });
  const result = await askConversation(child, question, { turnId: "t1" });
  await child.signal("close");
  await child.result();
  return result;
}

const stop = defineSignal("stop");

/** Leaves its conversation open. */
export async function leaves(id: string): Promise<void> {
  let stopped = false;
  setHandler(stop, () => {
    stopped = true;
  });
  const child = await startChild(conversation, conversationInput(agent, { id }));
  await askConversation(child, "A first question");
  await condition(() => stopped);
}

const turnEnded = defineSignal<[TurnEnded]>("turn_ended");

/** Whatever a conversation tells it, until it has heard so often. */
export async function hears(times: number): Promise<readonly TurnEnded[]> {
  const heard: TurnEnded[] = [];
  setHandler(turnEnded, (message) => {
    heard.push(message);
  });
  await condition(() => heard.length === times);
  return heard;
}
