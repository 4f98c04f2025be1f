/** Ctrl-C and SIGTERM: the first one asks for an orderly end, the second one ends the process. */

const FORCED = 130;

export interface StopSignals extends Disposable {
  /** Resolves with the first signal. */
  readonly stopped: Promise<NodeJS.Signals>;
}

export function stopSignals(): StopSignals {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let received = false;
  const listener = (signal: NodeJS.Signals): void => {
    if (received) process.exit(FORCED);
    received = true;
    resolve(signal);
  };
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const signal of signals) process.on(signal, listener);
  return {
    stopped: promise,
    [Symbol.dispose]: () => {
      for (const signal of signals) process.off(signal, listener);
    },
  };
}
