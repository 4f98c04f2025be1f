// A client of the built package that closes its connection while a call waits to be tried again: `closing-process.ts ADDRESS ID`.
import { setTimeout as delay } from "node:timers/promises";
import { Conversations } from "holdfast";

const [address = "", id = ""] = process.argv.slice(2);
const conversations = await Conversations.connect({ address, namespace: "holdfast" });
const session = await conversations.open(id);
console.log("connected");
await new Promise((resolve) => process.stdin.once("data", resolve));
process.stdin.destroy();
const refused = session.run("Are you there?").then(
  () => ({ code: "none", message: "answered" }),
  ({ code, message }: { code?: string; message: string }) => ({ code, message }),
);
await delay(50);
await conversations.close();
const { code, message } = await refused;
await delay(500);
console.log(`ended with ${code}: ${message}`);
