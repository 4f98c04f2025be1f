// A client of the built package, as a process of its own: `client-process.ts CONVERSATION MESSAGE TURN`. Prints the answer.
import { Conversations } from "holdfast";

const [id = "", message = "", turnId = ""] = process.argv.slice(2);
await using conversations = await Conversations.connect();
const session = await conversations.open(id);
console.log((await session.run(message, { turnId })).output);
