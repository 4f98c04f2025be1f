import { describe, expect, it } from "vitest";
import { ProviderFailure, type ProviderFailureKind } from "../../src/core/errors/provider-failure.js";
import type { ProviderName } from "../../src/core/providers.js";
import { type FailureContext, providerFailure, toProviderFailure } from "../../src/providers/failure.js";

const NOW = Date.parse("2026-11-05T12:00:00Z");

function context(overrides: Partial<FailureContext> = {}): FailureContext {
  const { signal } = new AbortController();
  return { provider: "anthropic", model: "claude-haiku-4-5", signal, now: () => NOW, ...overrides };
}

const failure = (error: unknown, overrides: Partial<FailureContext> = {}): ProviderFailure =>
  toProviderFailure(error, context(overrides));

/** An error as Anthropic's SDK throws it: the whole body is kept. */
function anthropicError(status: number | undefined, type: string, message: string): object {
  return {
    name: "Error",
    message: `${status} ${message}`,
    status,
    error: { type: "error", error: { type, message } },
  };
}

/** As OpenAI's SDK throws it: the inner error is kept. */
function openaiError(
  status: number | undefined,
  code: string | null,
  message: string,
  type = "invalid_request_error",
): object {
  return { message: `${status} ${message}`, status, code, type, error: { code, message, type, param: null } };
}

/** As Google's SDK throws it: the body is the message, as text. */
function googleError(status: number, word: string, message: string, details: readonly object[] = []): object {
  return {
    name: "ApiError",
    status,
    message: JSON.stringify({ error: { code: status, message, status: word, details } }),
  };
}

describe("the kind of a failed call", () => {
  it("ACT-382 is final where a reply overflows the stack", () => {
    const overflow = failure(new RangeError("Maximum call stack size exceeded"));
    expect(overflow).toMatchObject({ kind: "unkeepable_reply", retryable: false });
  });

  it.each([
    [400, "bad_request"],
    [401, "authentication"],
    [402, "permission"],
    [403, "permission"],
    [404, "not_found"],
    [408, "timeout"],
    [409, "conflict"],
    [413, "context_too_long"],
    [422, "bad_request"],
    [429, "rate_limited"],
    [500, "server_error"],
    [502, "server_error"],
    [503, "overloaded"],
    [504, "server_error"],
    [529, "overloaded"],
  ] as const)("PRV-6 follows from the status %i: %s", (status, kind) => {
    const failed = failure({ status, message: "x" });
    expect([failed.kind, failed.status]).toEqual([kind, status]);
  });

  it("PRV-6 says by itself whether calling again may help", () => {
    const retryable = (kind: ProviderFailureKind) => providerFailure(kind, context(), "").retryable;
    expect(
      (
        [
          "network",
          "timeout",
          "conflict",
          "rate_limited",
          "overloaded",
          "server_error",
          "stream_cut",
          "malformed_reply",
        ] as const
      ).every(retryable),
    ).toBe(true);
    expect(
      (
        [
          "bad_request",
          "authentication",
          "permission",
          "not_found",
          "context_too_long",
          "content_refused",
          "attachment_refused",
        ] as const
      ).some(retryable),
    ).toBe(false);
  });

  it.each([
    anthropicError(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
    anthropicError(
      400,
      "invalid_request_error",
      "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000",
    ),
    openaiError(400, "context_length_exceeded", "Your input exceeds the context window of this model."),
    openaiError(429, "rate_limit_exceeded", "Request too large for gpt-4.1: Limit 30000, Requested 45000."),
    googleError(
      400,
      "INVALID_ARGUMENT",
      "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    ),
    openaiError(400, null, "The prompt is too long: 140000, model maximum context length: 131071"),
    openaiError(400, null, "the request exceeds the available context size", "exceed_context_size_error"),
  ])("PRV-7 is context_too_long in each vendor's words: $message", (error) => {
    expect(failure(error).kind).toBe("context_too_long");
  });

  it.each([
    anthropicError(
      400,
      "invalid_request_error",
      "messages.0.content.0.image.source.base64.data: Could not process image",
    ),
    anthropicError(400, "invalid_request_error", "A maximum of 100 PDF pages may be provided."),
    openaiError(400, "invalid_image_format", "The picture you uploaded is of an unsupported format."),
    openaiError(400, null, "Invalid 'input[0].content[0].file_data'."),
    googleError(400, "INVALID_ARGUMENT", "Unsupported MIME type: application/zip"),
    googleError(400, "INVALID_ARGUMENT", "The document has no pages."),
  ])("PRV-8 is attachment_refused where the refusal is about a file: $message", (error) => {
    expect(failure(error).kind).toBe("attachment_refused");
  });

  it("PRV-8 stays bad_request for other refusals, also those that send the reader to the documentation", () => {
    const message = "temperature: range 0..1. See the documentation.";
    expect(failure(anthropicError(400, "invalid_request_error", message)).kind).toBe("bad_request");
  });

  it.each([
    openaiError(429, "insufficient_quota", "You exceeded your current quota.", "insufficient_quota"),
    anthropicError(400, "invalid_request_error", "Your credit balance is too low to access the API."),
    { status: 403, message: "x", error: { error: { type: "billing_error", message: "x" } } },
  ])("PRV-9 is permission, not a rate limit, where the account is empty", (error) => {
    expect(failure(error).kind).toBe("permission");
  });

  it("PRV-9 is rate_limited for Google's quota, with the delay that its body names", () => {
    const retry = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "27.5s" };
    const failed = failure(
      googleError(
        429,
        "RESOURCE_EXHAUSTED",
        "You exceeded your current quota, please check your plan and billing details.",
        [retry],
      ),
    );
    expect([failed.kind, failed.retryAfterMs]).toEqual(["rate_limited", 27_500]);
  });

  it.each([
    [
      googleError(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."),
      "authentication",
    ],
    [
      googleError(400, "FAILED_PRECONDITION", "User location is not supported for the API use."),
      "permission",
    ],
    [
      openaiError(400, "content_policy_violation", "Your request was rejected by our safety system."),
      "content_refused",
    ],
    [
      openaiError(
        400,
        "invalid_prompt",
        "Invalid prompt: flagged as potentially violating our usage policy.",
      ),
      "content_refused",
    ],
  ])("PRV-9 is read from the body where the status says less: $1", (error, kind) => {
    expect(failure(error).kind).toBe(kind);
  });

  it.each([
    [anthropicError(undefined, "overloaded_error", "Overloaded"), "overloaded"],
    [anthropicError(undefined, "api_error", "Internal server error"), "server_error"],
    [anthropicError(undefined, "rate_limit_error", "Too fast"), "rate_limited"],
    [
      anthropicError(undefined, "invalid_request_error", "prompt is too long: 3 tokens > 2 maximum"),
      "context_too_long",
    ],
    [openaiError(undefined, "server_error", "The model failed."), "server_error"],
    [openaiError(undefined, "rate_limit_exceeded", "Too fast"), "rate_limited"],
    [openaiError(undefined, "server_is_overloaded", "Try again later."), "overloaded"],
    [{ error: { code: "brand_new_trouble", message: "x" } }, "server_error"],
    [{ error: { code: "invalid_value", message: "x" } }, "bad_request"],
    [{ error: { code: "invalid_image_url", message: "x" } }, "attachment_refused"],
    [{ error: { code: "image_content_policy_violation", message: "x" } }, "content_refused"],
    [
      {
        name: "ApiError",
        message:
          'got status: UNAVAILABLE. {"error":{"code":503,"status":"UNAVAILABLE","message":"Overloaded"}}',
      },
      "overloaded",
    ],
  ])("PRV-15 is read from an error that came inside the stream: $1", (error, kind) => {
    expect(failure(error).kind).toBe(kind);
  });

  const caused = (message: string, code: string) => {
    const cause = Object.assign(new Error(`${code} somewhere`), { code });
    return Object.assign(new Error(message), {
      cause: Object.assign(new TypeError("fetch failed"), { cause }),
    });
  };

  it.each([
    ["a refused connection", caused("Connection error.", "ECONNREFUSED"), "network"],
    ["an unknown host", caused("Connection error.", "ENOTFOUND"), "network"],
    ["a reset before the answer", caused("Connection error.", "ECONNRESET"), "network"],
    ["an untrusted certificate", caused("Connection error.", "DEPTH_ZERO_SELF_SIGNED_CERT"), "network"],
    [
      "several addresses, all refused",
      Object.assign(new AggregateError([Object.assign(new Error("x"), { code: "ECONNREFUSED" })])),
      "network",
    ],
    ["no connection in time", caused("Connection error.", "UND_ERR_CONNECT_TIMEOUT"), "timeout"],
    ["no headers in time", caused("Connection error.", "UND_ERR_HEADERS_TIMEOUT"), "timeout"],
    [
      "the SDK's own time-out",
      Object.assign(new Error("Request timed out."), { name: "APIConnectionTimeoutError" }),
      "timeout",
    ],
    [
      "a socket closed in the body",
      new TypeError("terminated", { cause: new Error("other side closed") }),
      "stream_cut",
    ],
    [
      "a stream that ended early",
      new Error("stream ended without producing a Message with role=assistant"),
      "stream_cut",
    ],
    ["half a JSON segment", new Error("Incomplete JSON segment at the end"), "stream_cut"],
    ["broken JSON", new SyntaxError("Unexpected token } in JSON at position 3"), "malformed_reply"],
    [
      "events out of order",
      new Error('Unexpected event order, got ping before "message_start"'),
      "malformed_reply",
    ],
    [
      "a field that is not there",
      new TypeError("Cannot read properties of undefined (reading 'type')"),
      "malformed_reply",
    ],
    ["what an SDK refuses to send", new Error("Model name is required"), "bad_request"],
    ["a thrown string", "no", "bad_request"],
  ])("PRV-14 is told without a status: %s", (_what, error, kind) => {
    expect(failure(error).kind).toBe(kind);
  });
});

describe("the failure of a call", () => {
  it("PRV-10 carries how long the provider asks to wait", () => {
    const headers = new Headers({ "retry-after": "Thu, 05 Nov 2026 12:00:30 GMT" });
    expect(failure({ status: 429, headers, message: "x" }).retryAfterMs).toBe(30_000);
    expect(failure({ status: 429, message: "x" }).retryAfterMs).toBeUndefined();
  });

  it("PRV-340 names what starts the simulator, and no variable of the provider, where that one is away", () => {
    const away = { message: "Connection error.", cause: { code: "ECONNREFUSED" } };
    expect(failure(away).message).toContain("ANTHROPIC_BASE_URL");
    const { message } = failure(away, { simulated: true });
    expect(message).toMatch(/Its simulator is not there: start it again \(`holdfast dev --simulate`\)/);
    expect(message).not.toContain("_BASE_URL");
  });

  it("PRV-11 is one line: who, what, the model, the status, the request, the provider's words, the remedy", () => {
    const headers = new Headers({ "request-id": "req_1" });
    expect(
      failure({ ...anthropicError(401, "authentication_error", "invalid\nx-api-key."), headers }).message,
    ).toBe(
      "Anthropic did not accept the key (claude-haiku-4-5, HTTP 401, request req_1): invalid x-api-key. Check ANTHROPIC_API_KEY.",
    );
  });

  it.each([
    ["openai", "OPENAI_API_KEY"],
    ["google", "GEMINI_API_KEY"],
    ["fireworks", "FIREWORKS_API_KEY"],
    ["compatible", "HOLDFAST_COMPATIBLE_API_KEY"],
  ] as const)("PRV-11 names the variable of %s", (provider: ProviderName, variable) => {
    expect(failure({ status: 401, message: "no" }, { provider }).message).toContain(variable);
  });

  it.each([
    ["Anthropic's", (text: string) => anthropicError(500, "api_error", text)],
    ["OpenAI's", (text: string) => openaiError(500, null, text)],
    ["Google's", (text: string) => googleError(500, "INTERNAL", text)],
    ["a bare error", (text: string) => new Error(text)],
  ])("PRV-11 stays within 2 KiB however much the provider said: %s", (_what, errorOf) => {
    const { message, cause } = failure(errorOf("€".repeat(1_000_000)));
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(2048);
    expect(message).toContain("€€€…");
    expect(message.endsWith("again.") || message.endsWith("tools.")).toBe(true);
    expect(cause).toBeUndefined();
  });

  it("PRV-12 has no key in it, neither a vendor's nor the one in use", () => {
    const error = openaiError(
      401,
      "invalid_api_key",
      "Incorrect API key provided: sk-proj-abcdefgh1234. Also swordfish99.",
    );
    const { message } = failure(error, { provider: "openai", apiKey: "swordfish99" });
    expect(message).not.toMatch(/abcdefgh|swordfish/);
    expect(message).toContain("[redacted]");
  });

  it("PRV-13 is not one when the call was aborted: the signal's reason is thrown", () => {
    const controller = new AbortController();
    const reason = new Error("stopped");
    controller.abort(reason);
    expect(() => failure(new Error("Request was aborted."), { signal: controller.signal })).toThrow(reason);
  });

  it("PRV-13 stays itself when it is classified again", () => {
    const failed = new ProviderFailure("stream_cut", "broken off");
    expect(failure(failed)).toBe(failed);
  });
});
