/** Which kind of failure an error is. The first rule that fits decides, so the order carries meaning. */
import type { ProviderFailureKind } from "../core/errors/provider-failure.js";
import type { FailureEvidence } from "./failure-evidence.js";

/** Each vendor's way to say that the conversation does not fit the model any more. */
const CONTEXT_TOO_LONG = [
  /prompt (is )?too long|input is too long/i,
  /input length and .?max_tokens.? exceed context limit/i,
  /context_length_exceeded|exceed_context_size|string_above_max_length|model_context_window_exceeded/i,
  /exceeds? the (available )?context (window|size|length)|maximum context length|max context length/i,
  /input token count.*exceeds? the maximum/i,
  /request too large for|request payload size exceeds/i,
];

const CONTENT_REFUSED =
  /content_policy|content_filter|content management policy|usage policy|invalid_prompt|bio_policy|misalignment_policy|prohibited_content/i;

/** Searched with underscores as spaces, so that words and codes (`invalid_image_format`) are one. */
const ABOUT_ATTACHMENT =
  /\b(images?|pdfs?|documents?|attachments?|audio|videos?|media ?type|mime ?type|inline ?data|input file|file (data|url|id|uri)|base64)\b/i;

const NO_CREDIT =
  /insufficient_quota|billing_(error|hard_limit)|billing_not_active|credit balance is too low|spend_limit|organization_on_hold|account_suspended/i;

const BAD_KEY = /api_key_invalid|invalid_api_key|api key not valid|api key expired/i;

/** Fetch refuses to put the key into a header: it holds a line break or a letter that is not Latin. */
const UNSENDABLE_KEY = /invalid header value|bytestring/i;

const NETWORK_CODES =
  /^(econn(refused|reset|aborted)|enotfound|eai_again|epipe|ehost(unreach|down)|enet(unreach|down)|eproto|eaddrnotavail|und_err_(socket|connect|closed|destroyed).*|err_(tls|ssl)_.*|cert_.*|depth_zero_.*|unable_to_.*|self_signed_.*)$/;
const TIMEOUT_CODES = /^(etimedout|esockettimedout|und_err_(connect|headers|body)_timeout)$/;
const CUT = /^(.*: )?terminated\b|premature (close|end)|incomplete json segment|stream ended|ended without/i;
const MALFORMED = /json|unexpected (event|end|token)|parsing|malformed/i;

/** What the body's own word means, whatever the status (mid-stream errors carry none). */
const WORDS: Readonly<Record<string, ProviderFailureKind>> = {
  overloaded_error: "overloaded",
  server_is_overloaded: "overloaded",
  service_unavailable_error: "overloaded",
  service_unavailable: "overloaded",
  slow_down: "overloaded",
  unavailable: "overloaded",
  rate_limit_error: "rate_limited",
  rate_limit_exceeded: "rate_limited",
  resource_exhausted: "rate_limited",
  timeout_error: "timeout",
  request_timeout: "timeout",
  vector_store_timeout: "timeout",
  deadline_exceeded: "timeout",
  api_error: "server_error",
  server_error: "server_error",
  internal: "server_error",
  internal_error: "server_error",
  authentication_error: "authentication",
  unauthenticated: "authentication",
  unauthorized: "authentication",
  permission_error: "permission",
  permission_denied: "permission",
  forbidden: "permission",
  not_found_error: "not_found",
  model_not_found: "not_found",
  not_found: "not_found",
  request_too_large: "context_too_long",
};

const STATUSES: Readonly<Record<number, ProviderFailureKind>> = {
  401: "authentication",
  402: "permission",
  403: "permission",
  404: "not_found",
  408: "timeout",
  409: "conflict",
  413: "context_too_long",
  429: "rate_limited",
  503: "overloaded",
  529: "overloaded",
};

export function failureKind(evidence: FailureEvidence): ProviderFailureKind {
  const { status } = evidence;
  const said = [...evidence.words, evidence.message.slice(0, 4096)].join("\n");
  if (status !== undefined && status >= 500) {
    return evidence.words.includes("overloaded_error") ? "overloaded" : (STATUSES[status] ?? "server_error");
  }
  if (status === 401 || BAD_KEY.test(said)) return "authentication";
  if (NO_CREDIT.test(said)) return "permission";
  if (status === undefined) return withoutStatus(evidence, said);
  if (
    isAbout(CONTEXT_TOO_LONG, said) &&
    (status === 400 || status === 413 || status === 422 || status === 429)
  ) {
    return "context_too_long";
  }
  return STATUSES[status] ?? refusedRequest(said);
}

/** A 4xx that no status of its own explains. */
function refusedRequest(said: string): ProviderFailureKind {
  if (isAbout(CONTEXT_TOO_LONG, said)) return "context_too_long";
  if (CONTENT_REFUSED.test(said)) return "content_refused";
  if (/user location is not supported/i.test(said)) return "permission";
  return ABOUT_ATTACHMENT.test(said.replaceAll("_", " ")) ? "attachment_refused" : "bad_request";
}

/** Errors inside a stream, of the network, and of a reply that could not be read. */
function withoutStatus(evidence: FailureEvidence, said: string): ProviderFailureKind {
  const { words, classes, message } = evidence;
  for (const word of words) {
    const kind = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
    if (kind !== undefined) return kind;
  }
  if (words.some((word) => TIMEOUT_CODES.test(word)) || classes.some((name) => /timeout/i.test(name))) {
    return "timeout";
  }
  if (CUT.test(message)) return "stream_cut";
  if (
    words.some((word) => NETWORK_CODES.test(word)) ||
    /fetch failed|connection error|network/i.test(message)
  ) {
    return "network";
  }
  if (classes.some((name) => /^(API)?(Connection|UserAbort|Abort)Error$/.test(name))) return "network";
  if (UNSENDABLE_KEY.test(message)) return "authentication";
  if (classes.includes("RangeError") && /call stack/i.test(message)) return "unkeepable_reply";
  if (classes.includes("SyntaxError") || classes.includes("TypeError") || isUnreadable(evidence)) {
    return "malformed_reply";
  }
  const kind = refusedRequest(said);
  const isOurs = words.length === 0 || words.some((word) => /invalid|unsupported|precondition/.test(word));
  // Inside a stream the request had been accepted: an error of no known sort is the service's own.
  return kind === "bad_request" && !isOurs ? "server_error" : kind;
}

/** An SDK that could not make sense of what came. An error that names a machine word is an answer, not a bad reply. */
function isUnreadable(evidence: FailureEvidence): boolean {
  return evidence.words.length === 0 && MALFORMED.test(evidence.message);
}

function isAbout(patterns: readonly RegExp[], said: string): boolean {
  return patterns.some((pattern) => pattern.test(said));
}
