/** What a caller does whose server or worker is away: the same again, under the same turn id. */
import { setTimeout as delay } from "node:timers/promises";
import { isGrpcServiceError, ServiceError } from "@temporalio/client";
import { NoWorkerError, ServerUnreachableError } from "../../src/core/errors/errors.js";

const AGAIN_MS = 200;

/** @throws what is no absence of server or worker, and the last such after the time. */
export async function persist<T>(call: () => Promise<T>, forMs = 90_000): Promise<T> {
  const until = Date.now() + forMs;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!isAbsence(error) || Date.now() > until) throw error;
      await delay(AGAIN_MS);
    }
  }
}

/** Also as Temporal's own client says it, for what goes past the handles. */
export function isAbsence(error: unknown): boolean {
  if (error instanceof NoWorkerError || error instanceof ServerUnreachableError) return true;
  const cause = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(cause) && [1, 4, 8, 14].includes(cause.code);
}
