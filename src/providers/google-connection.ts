/** The way to Google's service under its SDK: one call's socket and answer. */
import { ProviderFailure } from "../core/errors/provider-failure.js";
import { type FailureContext, providerFailure, toProviderFailure } from "./failure.js";
import { patientFetch } from "./patient-fetch.js";

/** One call's way to the service: its answer is kept for the error, and its socket closed whatever happens. */
export class GoogleConnection {
  readonly #closing = new AbortController();
  readonly signal: AbortSignal;
  #sent = false;
  #response: Response | undefined;

  constructor(signal: AbortSignal) {
    this.signal = AbortSignal.any([signal, this.#closing.signal]);
  }

  readonly fetch: typeof fetch = async (input, init) => {
    this.#sent = true;
    const closing = init?.signal ? AbortSignal.any([init.signal, this.signal]) : this.signal;
    this.#response = await patientFetch(input, { ...init, signal: closing });
    return this.#response;
  };

  /** Of a request that has been sent. */
  get response(): Response {
    if (this.#response === undefined) throw new TypeError("There is no answer yet.");
    return this.#response;
  }

  /** The SDK leaves the body of a stream open when it stops reading. */
  close(): void {
    this.#closing.abort();
  }

  /** An error answer with its headers, which the SDK leaves out; a request that the SDK itself refused, as such. */
  explain(error: unknown, context: FailureContext): unknown {
    if (error instanceof ProviderFailure || !(error instanceof Error)) return error;
    if (!this.#sent && !context.signal.aborted) return unsentFailure(error, context);
    if (this.#response === undefined || this.#response.ok) return error;
    const { status, headers } = this.#response;
    return { name: error.name, message: error.message, status, headers };
  }
}

/** Before anything is sent the SDK fails for the request's sake, or for that of a key which no header can carry. */
function unsentFailure(error: Error, context: FailureContext): ProviderFailure {
  const failure = toProviderFailure(error, context);
  if (failure.kind === "authentication") return failure;
  return providerFailure("bad_request", context, error.message);
}
