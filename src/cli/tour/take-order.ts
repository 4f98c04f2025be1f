/** The inner end of a process that the tour starts: one order comes in, its fate goes out, and the process ends. */
import type { ProcessReport } from "./tour-message.js";

export function takeOrder<Order>(carryOut: (order: Order, ready: () => void) => Promise<void>): void {
  process.once("message", (order: Order) => void answer(carryOut, order));
}

async function answer<Order>(
  carryOut: (order: Order, ready: () => void) => Promise<void>,
  order: Order,
): Promise<void> {
  const report = (words: ProcessReport): void => void (process.connected && process.send?.(words));
  try {
    await carryOut(order, () => report({ ready: true }));
  } catch (error) {
    process.exitCode = 1;
    report({ failed: error instanceof Error ? error.message : String(error) });
  } finally {
    if (process.connected) process.disconnect();
  }
}
