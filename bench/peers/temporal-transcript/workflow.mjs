import { condition, defineQuery, defineUpdate, proxyActivities, setHandler } from "@temporalio/workflow";

const { callModel } = proxyActivities({ startToCloseTimeout: "1 minute" });

export const sendTurn = defineUpdate("sendTurn");
export const readMessages = defineQuery("readMessages");

export async function conversation() {
  const messages = [];
  setHandler(readMessages, () => messages);
  setHandler(sendTurn, async (text) => {
    messages.push({ role: "user", content: text });
    const answer = await callModel(messages);
    messages.push({ role: "assistant", content: answer });
    return answer;
  });
  await condition(() => false);
}
