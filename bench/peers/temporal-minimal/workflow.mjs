import { condition, defineQuery, defineUpdate, proxyActivities, setHandler } from "@temporalio/workflow";

const { callModel } = proxyActivities({ startToCloseTimeout: "1 minute" });

export const sendTurn = defineUpdate("sendTurn");
export const readMessages = defineQuery("readMessages");

export async function conversation(id) {
  const messages = [];
  setHandler(readMessages, () => messages);
  setHandler(sendTurn, async (text) => {
    const answer = await callModel({ id, text, before: messages.length });
    messages.push({ role: "user", content: text }, { role: "assistant", content: answer });
    return answer;
  });
  await condition(() => false);
}
