import { TemporalProvider, temporalProvider } from "@temporalio/ai-sdk/workflow";
import { condition, defineQuery, defineUpdate, setHandler } from "@temporalio/workflow";
import { WorkflowStream } from "@temporalio/workflow-streams/workflow";
import { generateText, streamText } from "ai";

export const sendTurn = defineUpdate("sendTurn");
export const streamTurn = defineUpdate("streamTurn");
export const readMessages = defineQuery("readMessages");

export async function conversation(model) {
  const messages = [];
  new WorkflowStream();
  const turnWith = (call) => async (text, topic) => {
    messages.push({ role: "user", content: text });
    const answer = await call(topic);
    messages.push({ role: "assistant", content: answer });
    return answer;
  };
  setHandler(readMessages, () => messages);
  setHandler(
    sendTurn,
    turnWith(
      async () => (await generateText({ model: temporalProvider.languageModel(model), messages })).text,
    ),
  );
  setHandler(
    streamTurn,
    turnWith((streamingTopic) => {
      const provider = new TemporalProvider({ languageModel: { streamingTopic } });
      return streamText({ model: provider.languageModel(model), messages }).text;
    }),
  );
  await condition(() => false);
}
