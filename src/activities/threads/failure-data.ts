/** Errors as data, for the way from a thread to the main loop: the classes differ there, what the activity reads of them must not. */
import { ApplicationFailure } from "@temporalio/common";
import { type HoldfastError, isHoldfastError } from "../../core/errors/errors.js";
import { ProviderFailure, type ProviderFailureKind } from "../../core/errors/provider-failure.js";

interface Said {
  readonly message: string;
  readonly stack: string | undefined;
}

export type FailureData =
  | (Said & {
      readonly class: "provider";
      readonly kind: ProviderFailureKind;
      readonly status: number | undefined;
      readonly retryAfterMs: number | undefined;
    })
  | (Said & {
      readonly class: "application";
      readonly type: string;
      readonly nonRetryable: boolean;
      readonly details: readonly unknown[];
    })
  | (Said & {
      readonly class: "holdfast";
      readonly code: string;
      readonly exitCode: HoldfastError["exitCode"];
    })
  | (Said & { readonly class: "other"; readonly name: string });

export function failureData(error: unknown): FailureData {
  if (!(error instanceof Error))
    return { class: "other", name: "Error", message: String(error), stack: undefined };
  const said: Said = { message: error.message, stack: error.stack };
  if (error instanceof ProviderFailure) {
    const { kind, status, retryAfterMs } = error;
    return { class: "provider", ...said, kind, status, retryAfterMs };
  }
  if (error instanceof ApplicationFailure) {
    const { type, nonRetryable, details } = error;
    return {
      class: "application",
      ...said,
      type: type ?? "",
      nonRetryable: nonRetryable === true,
      details: details ?? [],
    };
  }
  if (isHoldfastError(error)) {
    return { class: "holdfast", ...said, code: error.code, exitCode: error.exitCode };
  }
  return { class: "other", ...said, name: error.name };
}

/** The error again: of its class where activities look at it, otherwise one that says the same. */
export function failureOf(data: FailureData): Error {
  const error = rebuilt(data);
  if (data.stack !== undefined) error.stack = data.stack;
  return error;
}

function rebuilt(data: FailureData): Error {
  const { message } = data;
  switch (data.class) {
    case "provider":
      return new ProviderFailure(data.kind, message, {
        ...(data.status === undefined ? {} : { status: data.status }),
        ...(data.retryAfterMs === undefined ? {} : { retryAfterMs: data.retryAfterMs }),
      });
    case "application": {
      const { type, nonRetryable, details } = data;
      return ApplicationFailure.create({ type, message, nonRetryable, details: [...details] });
    }
    case "holdfast": {
      // The mark by which `isHoldfastError` knows errors of another realm.
      const { code, exitCode } = data;
      return Object.assign(new Error(message), { name: code, code, exitCode, holdfast: true });
    }
    case "other":
      return Object.assign(new Error(message), { name: data.name });
  }
}
