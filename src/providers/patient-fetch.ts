/**
 * Node's fetch without its own time limits. It gives up on a server that is silent for 300 s, before the headers or
 * between two pieces of the body; a model may think that long without a word, and a local server may read a long prompt
 * that long. How long a call may last is for the activity to say, through the signal.
 */

/** Where Node keeps the dispatcher of its fetch; also the one that a proxy setting puts in its place. */
const GLOBAL_DISPATCHER = Symbol.for("undici.globalDispatcher.1");

type Dispatch = (options: object, handler: unknown) => boolean;

interface Dispatcher {
  readonly dispatch: Dispatch;
}

export const patientFetch: typeof fetch = (input, init) => {
  const dispatcher = globalDispatcher();
  if (dispatcher === undefined) return fetch(input, init);
  const patient: Dispatcher = {
    dispatch: (options, handler) =>
      dispatcher.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler),
  };
  return fetch(input, { ...init, dispatcher: patient } as RequestInit);
};

/** Ahead of the first call: Node loads its fetch, and compiles the reader of HTTP in it, at the first use of any of it. */
export function loadFetch(): void {
  globalDispatcher();
}

function globalDispatcher(): Dispatcher | undefined {
  // Node sets the dispatcher up at the first use of its fetch.
  new Headers();
  const dispatcher = (globalThis as Record<symbol, unknown>)[GLOBAL_DISPATCHER];
  const known = typeof (dispatcher as Partial<Dispatcher> | undefined)?.dispatch === "function";
  return known ? (dispatcher as Dispatcher) : undefined;
}

/** Node's own: the plain one, and the one that reads the proxy from the environment. */
const OWN_DISPATCHERS: readonly unknown[] = ["Agent", "EnvHttpProxyAgent"];

/** True where the program that runs this has put a dispatcher of its own in place. Other threads know nothing of it. */
export function usesOwnDispatcher(): boolean {
  const dispatcher = globalDispatcher();
  return dispatcher !== undefined && !OWN_DISPATCHERS.includes(dispatcher.constructor.name);
}
