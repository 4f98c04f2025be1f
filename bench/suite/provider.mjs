// The one provider of a run: the simulator's Chat Completions, a fixed reply of 400 bytes at once, and when it saw each call.
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { startSimulator } from "../../dist/testing.js";
import { now } from "./clock.mjs";

export const MODEL = "bench-model";
export const REPLY = "The tenant bears the cost of repair. ".repeat(11).slice(0, 400);

/** A message of 200 bytes that no other turn has. */
export function messageOf(conversation, turn) {
  return `Turn ${turn} of ${conversation}: what does the contract say about the cost of repair, `.padEnd(
    200,
    "and of notice, ",
  );
}

export async function startProvider() {
  const simulator = await startSimulator({ keepBodies: false, contextTokens: Number.MAX_SAFE_INTEGER });
  const { port } = new URL(simulator.url);
  const ours = ({ server, request }) =>
    server.address()?.port === Number(port) && request.url.includes("/chat/completions");
  const seen = [];
  const listeners = new Set();
  const onStart = (event) => {
    if (ours(event)) seen.push(now());
  };
  const onFinish = (event) => {
    if (ours(event)) for (const listener of listeners) listener();
  };
  subscribe("http.server.request.start", onStart);
  subscribe("http.server.response.finish", onFinish);
  const fill = () => simulator.script({ times: null, reply: { text: REPLY } });
  fill();
  return {
    env: {
      BENCH_PROVIDER_URL: `${simulator.url}/compatible/v1`,
      BENCH_API_KEY: "bench",
      BENCH_MODEL: MODEL,
    },
    /** When the calls since the last `forget` were seen, on the shared clock. */
    seen,
    /** The calls whose last message is this. */
    callsOf: (text) => simulator.calls.filter(({ lastUserText }) => lastUserText === text).length,
    waitForCall: (text) =>
      simulator.waitForCall(({ lastUserText }) => lastUserText === text, { timeoutMs: 60_000 }),
    /** Called at once when the last byte of a reply has been handed to the system. Gives a function that ends it. */
    onReplied(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** The next call whose message this is takes so long. */
    delay(text, delayMs) {
      simulator.reset();
      simulator.script({ match: { text }, reply: { text: REPLY }, pace: { delayMs } });
      fill();
    },
    forget() {
      simulator.reset();
      seen.length = 0;
      fill();
    },
    async stop() {
      unsubscribe("http.server.request.start", onStart);
      unsubscribe("http.server.response.finish", onFinish);
      await simulator.close();
    },
  };
}
