// The tools of the recorded conversations.
import { defineTool, failTurn } from "../../dist/worker/index.js";

const numbers = { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } };
const key = { type: "object", properties: { key: { type: "string" } } };

/** One red pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

export const tools = [
  defineTool({ name: "add", inputSchema: numbers, execute: ({ a, b }) => a + b }),
  defineTool({
    name: "look",
    inputSchema: key,
    idempotent: true,
    local: true,
    execute: ({ key: asked }) => `value of ${asked}`,
  }),
  defineTool({
    name: "draw",
    execute: () => ({ text: "Here.", files: [{ name: "a.png", data: Buffer.from(PIXEL, "base64") }] }),
  }),
  defineTool({
    name: "fail",
    execute: () => {
      throw new Error("Out of paper.");
    },
  }),
  defineTool({ name: "forbid", execute: () => failTurn("The account is closed.") }),
  defineTool({ name: "pay", needsApproval: true, execute: ({ amount }) => `paid ${amount}` }),
  defineTool({
    name: "wait",
    execute: (_args, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  }),
];
