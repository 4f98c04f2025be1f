/** The one place where what a provider's SDK throws becomes a ProviderFailure. */
import { cleanText } from "../core/errors/clean-text.js";
import { ProviderFailure, type ProviderFailureKind } from "../core/errors/provider-failure.js";
import type { ProviderName } from "../core/providers.js";
import { failureEvidence } from "./failure-evidence.js";
import { failureKind } from "./failure-kind.js";
import { PROVIDER_VARIABLES } from "./settings.js";

/** Bounds in bytes of UTF-8: the whole message, and the provider's own words inside it. */
const MESSAGE_BYTES = 2048;
const QUOTED_BYTES = 1200;

export interface FailureContext {
  readonly provider: ProviderName;
  readonly model: string;
  /** The call's signal: once aborted, whatever was thrown is the abort's echo and its reason is thrown instead. */
  readonly signal: AbortSignal;
  /** Scrubbed from the message literally, whatever it looks like. */
  readonly apiKey?: string | undefined;
  /** The simulator answers in the provider's place. */
  readonly simulated?: boolean;
  /** The time in epoch milliseconds; the system's clock where it is not given. */
  readonly now?: () => number;
}

const TITLES: Readonly<Record<ProviderName, string>> = {
  anthropic: "Anthropic",
  openai: "OpenAI",
  google: "Google",
  fireworks: "Fireworks",
  compatible: "The compatible server",
};

/** What happened, and what the reader can do. `%key` is the provider's key variable, `%url` its base URL variable. */
const SENTENCES: Readonly<Record<ProviderFailureKind, readonly [what: string, remedy: string]>> = {
  network: ["could not be reached", "Check the network and %url."],
  timeout: ["did not answer in time", "Send the message again."],
  conflict: ["reported a conflict", "Send the message again."],
  rate_limited: ["limits the rate of requests", "Wait, then send the message again."],
  overloaded: ["is overloaded", "Wait, then send the message again."],
  server_error: ["failed on its side", "Wait, then send the message again."],
  stream_cut: ["broke off in the middle of its answer", "Send the message again."],
  malformed_reply: ["sent a reply that cannot be read", "Send the message again."],
  bad_request: ["refused the request", "Check the agent's model, params and tools."],
  authentication: ["did not accept the key", "Check %key."],
  permission: [
    "does not permit this request",
    "Check what %key may use, and the account's credit and limits.",
  ],
  not_found: ["does not know the model or address", "Check the model's name and %url."],
  context_too_long: [
    "finds the conversation too long for the model",
    "Limit it with the agent's send window, send fewer or smaller attachments, or rebind to a model with a larger context.",
  ],
  content_refused: ["refused the content", "Rephrase the message."],
  attachment_refused: [
    "refused an attachment",
    "Send the message again with another format, a smaller file or without it.",
  ],
  no_event_stream: ["did not answer with an event stream", "Check %url."],
  unkeepable_reply: [
    "answered with something that is nested too deep to be kept",
    "Ask for a flatter answer, or give the tool a flatter input.",
  ],
};

/** None of the provider's variables says where the simulator is. */
const SIMULATOR_AWAY =
  "Its simulator is not there: start it again (`holdfast dev --simulate`), and this worker if it was started beside another one.";

/**
 * The classified failure of a provider call: one line of at most 2 KiB that says who, what, the status, the provider's
 * own words and the remedy, without keys or headers. The SDK's error is not kept as cause: it holds both.
 *
 * @throws the signal's reason when the call was aborted.
 */
export function toProviderFailure(error: unknown, context: FailureContext): ProviderFailure {
  if (context.signal.aborted) throw context.signal.reason;
  if (error instanceof ProviderFailure) return error;
  const evidence = failureEvidence(error, (context.now ?? Date.now)());
  const kind = failureKind(evidence);
  const said = cleanText(evidence.message, QUOTED_BYTES, [context.apiKey]);
  const message = failureMessage(kind, context, [
    evidence.status === undefined ? "" : `HTTP ${evidence.status}`,
    evidence.requestId === undefined ? "" : `request ${cleanText(evidence.requestId, 100)}`,
    said,
  ]);
  return new ProviderFailure(kind, message, {
    ...(evidence.status === undefined ? {} : { status: evidence.status }),
    ...(evidence.retryAfterMs === undefined ? {} : { retryAfterMs: evidence.retryAfterMs }),
  });
}

/** A failure that the adapter itself found, such as a stream without its final event. */
export function providerFailure(
  kind: ProviderFailureKind,
  context: Pick<FailureContext, "provider" | "model">,
  detail: string,
): ProviderFailure {
  return new ProviderFailure(kind, failureMessage(kind, context, ["", "", cleanText(detail, QUOTED_BYTES)]));
}

function failureMessage(
  kind: ProviderFailureKind,
  context: Pick<FailureContext, "provider" | "model" | "simulated">,
  [status, request, said]: readonly [status: string, request: string, said: string],
): string {
  const [what, standard] = SENTENCES[kind];
  const remedy = kind === "network" && context.simulated === true ? SIMULATOR_AWAY : standard;
  const variables = PROVIDER_VARIABLES[context.provider];
  const advice = remedy.replace("%key", variables.key).replace("%url", variables.baseUrl);
  const facts = [context.model, status, request].filter((fact) => fact !== "").join(", ");
  const quoted = said === "" ? "" : `: ${said.replace(/[.\s]+$/, "")}`;
  return cleanText(`${TITLES[context.provider]} ${what} (${facts})${quoted}. ${advice}`, MESSAGE_BYTES);
}
