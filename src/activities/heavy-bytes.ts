/** Work on more than this is done in a thread, so that the loop which beats is not kept from it (ACT-61). */
export const HEAVY_BYTES: number = 1024 * 1024;
/**
 * The same for the history that a call sends along. It is text already and goes into the request as it stands: 4 MiB keep the loop
 * for some 5 ms (bench/event-loop.mjs), about as long as handing them to a thread does. No model's window is longer.
 */
export const HEAVY_HISTORY_BYTES: number = 8 * 1024 * 1024;
