import { temporalProvider } from "@temporalio/ai-sdk/workflow";
import { condition, defineQuery, defineUpdate, setHandler } from "@temporalio/workflow";
import { generateText } from "ai";

export const sendTurn = defineUpdate("sendTurn");
export const readMessages = defineQuery("readMessages");

export async function conversation(model) {
  const messages = [];
  setHandler(readMessages, () => messages);
  setHandler(sendTurn, async (text) => {
    messages.push({ role: "user", content: text });
    const answer = await generateText({ model: temporalProvider.languageModel(model), messages });
    messages.push({ role: "assistant", content: answer.text });
    return answer.text;
  });
  await condition(() => false);
}
