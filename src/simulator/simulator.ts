/** The simulator: one local server that speaks the wires of all providers, for tests and for the demonstration. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { UsageError } from "../core/errors/errors.js";
import type { ProviderName } from "../core/providers.js";
import type { CallCounters, CallRecord, WaitOptions } from "./call-log.js";
import type { SimulatorOptions } from "./options.js";
import { parseScript } from "./parse-script.js";
import type { ScriptEntry } from "./script.js";
import { serve } from "./server.js";
import { SimulatorState } from "./state.js";

export interface Simulator extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** What each provider's SDK takes as its base URL. */
  readonly baseUrls: Readonly<Record<ProviderName, string>>;
  /** Queues replies and faults. @throws UsageError for an entry that is none. */
  script(...entries: readonly ScriptEntry[]): void;
  /** All calls since the start or the last reset, oldest first. */
  readonly calls: readonly CallRecord[];
  counters(): CallCounters;
  /** Resolves with the first call, past or to come, for which the predicate holds; rejects at the time-out. */
  waitForCall(predicate: (call: CallRecord) => boolean, options?: WaitOptions): Promise<CallRecord>;
  /** Lets the time pass after which uploaded files expire. */
  advanceClock(milliseconds: number): void;
  /** Forgets scripts, calls, uploaded files and the advanced clock. */
  reset(): void;
  /** Destroys all connections and frees the port. */
  close(): Promise<void>;
}

/** The base URLs of a simulator that runs at this address. */
export function simulatorBaseUrls(url: string): Readonly<Record<ProviderName, string>> {
  return {
    anthropic: `${url}/anthropic`,
    openai: `${url}/openai/v1`,
    google: `${url}/google`,
    fireworks: `${url}/fireworks/inference/v1`,
    compatible: `${url}/compatible/v1`,
  };
}

/** @throws UsageError when the port cannot be had. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const state = new SimulatorState(options);
  const server = createServer((request, response) => {
    serve(state, request, response).catch((error: unknown) => {
      // A client that goes while its request is read is no fault of the simulator; anything else must be seen.
      if (!response.headersSent) response.writeHead(500, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: `The simulator failed: ${String(error)}` } }));
    });
  });
  // Longer than clients keep idle sockets, so that none is closed while a request is on its way.
  server.keepAliveTimeout = 65_000;
  await listen(server, options.port ?? 0);
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const close = (): Promise<void> => closeServer(server);
  return {
    url,
    baseUrls: simulatorBaseUrls(url),
    script: (...entries) => state.script.add(...parseScript(entries)),
    get calls() {
      return state.calls.records;
    },
    counters: () => state.calls.counters(),
    waitForCall: (predicate, waitOptions) => state.calls.waitFor(predicate, waitOptions),
    advanceClock: (milliseconds) => state.advanceClock(milliseconds),
    reset: () => state.reset(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException): void => {
      const remedy = "stop what uses the port, or choose another (0 takes a free one)";
      reject(new UsageError(`The simulator cannot listen on 127.0.0.1:${port} (${error.code}): ${remedy}.`));
    };
    server.once("error", refuse);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", refuse);
      resolve();
    });
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
