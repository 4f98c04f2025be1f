/** Where a worker may be killed in the middle of a call, by name, for tests that do so. */

/**
 * In their order: nothing done yet; the history is there and the provider is called next; the reply is there; it is in the
 * journal; the server has acknowledged it. Or: the call has failed and nobody has been told.
 */
export const CALL_POINTS = ["started", "read", "answered", "journaled", "acknowledged", "failing"] as const;

/**
 * Of a tool's call: nothing done yet; the server knows that it may have begun, and it begins next; it has returned, and
 * nobody has been told.
 */
export const TOOL_POINTS = ["tool_started", "tool_running", "tool_returned"] as const;
export type CallPoint = (typeof CALL_POINTS | typeof TOOL_POINTS)[number];
