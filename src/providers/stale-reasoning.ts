/**
 * Refusals of the reasoning that a history brings along. Signed and encrypted reasoning is bound to the model, the
 * organisation and the conversation before it, so that new instructions, a shortened history or another key can make
 * it unreadable. Nothing was answered then, and the same history without it is accepted.
 */
export function isStaleReasoning(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  const { status, message } = error as { readonly status?: unknown; readonly message?: unknown };
  if (status !== 400 || typeof message !== "string") return false;
  return /thinking|signature|encrypted[ _]content|reasoning/i.test(message.slice(0, 4096));
}
