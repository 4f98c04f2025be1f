/** Faults of a server, and the failure that an adapter makes of each, whatever the wire. */
import type { ProviderFailure } from "../../src/core/errors/provider-failure.js";
import type { Fault } from "../../src/simulator/script.js";

type Expected = Partial<Pick<ProviderFailure, "kind" | "status" | "retryAfterMs" | "retryable">>;

export const FAILURE_CASES: readonly (readonly [name: string, fault: Fault, expected: Expected])[] = [
  [
    "a rate limit with its retry-after",
    { kind: "status", status: 429, retryAfter: 7 },
    { kind: "rate_limited", status: 429, retryAfterMs: 7000, retryable: true },
  ],
  [
    "an overloaded service with its retry-after-ms",
    { kind: "overloaded", retryAfterMs: 1500 },
    { kind: "overloaded", retryAfterMs: 1500, retryable: true },
  ],
  ["a bad gateway", { kind: "status", status: 502 }, { kind: "server_error", status: 502, retryable: true }],
  ["a request time-out", { kind: "status", status: 408 }, { kind: "timeout", status: 408, retryable: true }],
  ["a conflict", { kind: "status", status: 409 }, { kind: "conflict", status: 409, retryable: true }],
  ["a bad request", { kind: "status", status: 400 }, { kind: "bad_request", status: 400, retryable: false }],
  ["a missing right", { kind: "status", status: 403 }, { kind: "permission", status: 403, retryable: false }],
  [
    "a request that is too large",
    { kind: "status", status: 413 },
    { kind: "context_too_long", status: 413, retryable: false },
  ],
  ["a connection that breaks at once", { kind: "cut" }, { kind: "network", retryable: true }],
  ["a stream cut in the middle", { kind: "cut", afterChunks: 2 }, { kind: "stream_cut", retryable: true }],
  [
    "a stream that ends without its end",
    { kind: "truncated", afterChunks: 2 },
    { kind: "stream_cut", retryable: true },
  ],
  ["broken JSON", { kind: "malformed", afterChunks: 1 }, { kind: "malformed_reply", retryable: true }],
  [
    "an error inside the stream",
    { kind: "stream_error", afterChunks: 1 },
    { kind: "overloaded", retryable: true },
  ],
];
