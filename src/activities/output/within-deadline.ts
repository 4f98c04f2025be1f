/** Work whose length a stranger decides, cut off when it has taken its time. */
import { createContext, Script } from "node:vm";

export class OverDeadlineError extends Error {
  constructor(ms: number) {
    super(`it takes more than ${ms} ms`);
  }
}

const held: { work: () => void } = { work: () => undefined };
const context = createContext(held);
const script = new Script("work()");

/** Each time twice as long, where the system gave the time to others. */
const TRIES = 3;

/**
 * What `work` returns. Node stops it wherever it is, also within a regular expression, and it may be begun again, so it must
 * change nothing that outlives it.
 *
 * @param ms of work: on a busy machine it may take up to seven times as long.
 * @throws what `work` throws, and OverDeadlineError.
 */
export function withinDeadline<Value>(ms: number, work: () => Value): Value {
  for (let tries = 1; ; tries += 1) {
    const before = workedMs();
    try {
      return runOnce(ms * 2 ** (tries - 1), work);
    } catch (error) {
      if (!isTimeout(error)) throw error;
      if (tries === TRIES || workedMs() - before > ms / 2) throw new OverDeadlineError(ms);
    }
  }
}

function runOnce<Value>(timeout: number, work: () => Value): Value {
  const done: { value?: { readonly of: Value } } = {};
  held.work = () => {
    done.value = { of: work() };
  };
  try {
    script.runInContext(context, { timeout });
  } finally {
    held.work = () => undefined;
  }
  if (done.value === undefined) throw new Error("nothing was done");
  return done.value.of;
}

/** What this thread alone has worked so far; before Node 23.9, all threads of the process. */
function workedMs(): number {
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
  return (user + system) / 1_000;
}

/** It is of no class that is known here: Node makes it in the other context. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === "object" &&
    error !== null &&
    "code" in error &&
    error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"
  );
}
