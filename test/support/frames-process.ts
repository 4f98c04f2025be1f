// A reader of the built package, as a process of its own: `frames-process.ts CONVERSATION TURN`. Prints a line of JSON a frame.
import { Conversations } from "holdfast";

const [id = "", turnId = ""] = process.argv.slice(2);
await using conversations = await Conversations.connect();
const session = await conversations.open(id);
for await (const frame of session.stream({ turnId })) console.log(JSON.stringify(frame));
