// The least on Temporal. The activity gets the new message; the transcript is in its worker's memory, and asked of the workflow where
// another worker had it.
import { temporalAdapter } from "../../suite/temporal-adapter.mjs";

const transcripts = new Map();

await temporalAdapter(({ client, callProvider }) => ({
  async callModel({ id, text, before }) {
    let messages = transcripts.get(id);
    if (messages?.length !== before) messages = await client.workflow.getHandle(id).query("readMessages");
    const sent = [...messages, { role: "user", content: text }];
    const answer = await callProvider(sent);
    transcripts.set(id, [...sent, { role: "assistant", content: answer }]);
    return answer;
  },
}));
