// Asks in a conversation of a server of its own, in the folder it is started in.
import { Agent, Conversations } from "holdfast";

await using conversations = await Conversations.connect({ embedded: true, simulate: true });
const session = await conversations.start(new Agent({ model: "claude-haiku-4-5" }), {
  id: "asked",
  ifExists: "open",
});
const turn = await session.submit("Are you there?", { turnId: "t1" });
console.log("asked");
await turn.result();
await new Promise(() => setInterval(() => undefined, 1_000));
