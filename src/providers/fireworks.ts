/** Chat Completions through the openai SDK: Fireworks, and any OpenAI-compatible server by its base URL. */
// By its CommonJS build, which is loaded in two thirds of the time (decision 0033).
import { OpenAI } from "openai/index.js";
import type { ChatCompletionCreateParamsStreaming } from "openai/resources/chat/completions";
import { fireworks } from "../core/dialects/fireworks/index.js";
import { asChatMessage, type ChatMessage } from "../core/dialects/fireworks/wire.js";
import type { NativeMessage } from "../core/envelope/envelope.js";
import { isJsonObject } from "../core/json.js";
import { classifiedProvider } from "./classified-call.js";
import { eventsOf } from "./event-stream.js";
import type { FailureContext } from "./failure.js";
import { chatFormat } from "./fireworks-output.js";
import { FireworksReply } from "./fireworks-reply.js";
import { patientFetch } from "./patient-fetch.js";
import type {
  ModelCallHooks,
  ModelProvider,
  ModelReply,
  ModelRequest,
  ProviderEndpoint,
} from "./provider.js";
import { SDK_TIMEOUT_MS } from "./sdk-timeout.js";
import { toldOutput } from "./told-output.js";

const BASE_URL = "https://api.fireworks.ai/inference/v1";

/** The SDK insists on a key, also for a server that asks for none. */
const NO_KEY = "none";

export function createFireworksProvider(
  endpoint: ProviderEndpoint,
  name: "fireworks" | "compatible" = "fireworks",
): ModelProvider {
  const client = new OpenAI({
    apiKey: endpoint.apiKey ?? NO_KEY,
    ...(endpoint.apiKey === undefined ? { defaultHeaders: { authorization: null } } : {}),
    baseURL: endpoint.baseUrl ?? BASE_URL,
    // Else read from the environment, where they are meant for OpenAI.
    organization: null,
    project: null,
    maxRetries: 0,
    timeout: SDK_TIMEOUT_MS,
    logLevel: "off",
    fetch: patientFetch,
  });
  return classifiedProvider(name, endpoint, (request, hooks, context) =>
    callModel(client, request, hooks, context),
  );
}

async function callModel(
  client: OpenAI,
  request: ModelRequest,
  hooks: ModelCallHooks,
  context: FailureContext,
): Promise<ModelReply> {
  const { signal } = hooks;
  const { data, response } = await client.chat.completions.create(bodyOf(request), { signal }).withResponse();
  const reply = new FireworksReply(request.messages, hooks);
  const end = { hasCome: () => reply.isWhole, close: () => data.controller.abort() };
  for await (const chunk of eventsOf(data, response, { ...context, end })) reply.add(chunk, context);
  signal.throwIfAborted();
  return reply.end(context);
}

function bodyOf(given: ModelRequest): ChatCompletionCreateParamsStreaming {
  const { params, output } = given;
  const tools = [
    ...(Array.isArray(params.tools) ? params.tools : []),
    ...fireworks.toolDefinitions(given.tools),
  ];
  const format = output === undefined ? undefined : chatFormat(output, tools.length > 0);
  const request = format === undefined ? toldOutput(given) : given;
  const streamOptions = isJsonObject(params.stream_options) ? params.stream_options : {};
  const body = {
    ...params,
    ...(format === undefined ? {} : { response_format: format }),
    ...(tools.length === 0 ? {} : { tools }),
    model: request.model,
    messages: messagesOf(request),
    stream: true,
    stream_options: { include_usage: true, ...streamOptions },
  };
  // The dialect has checked the history and the service checks the parameters: here both are data.
  return body as unknown as ChatCompletionCreateParamsStreaming;
}

/**
 * The history behind one system message: the agent's instructions, the envelope's system text and the system message
 * that opens the history itself. Some chat templates refuse a second one, or one after index 0.
 */
function messagesOf({ instructions, system, messages }: ModelRequest): readonly NativeMessage[] {
  const first = messages[0] === undefined ? undefined : asChatMessage(messages[0]);
  const opensWithSystem = first?.role === "system" || first?.role === "developer";
  const texts = [instructions, system ?? "", opensWithSystem ? textOf(first.content) : ""];
  const content = texts.filter((text) => text.trim() !== "").join("\n\n");
  const rest = opensWithSystem ? messages.slice(1) : messages;
  return content === "" ? rest : [{ role: "system", content }, ...rest];
}

function textOf(content: ChatMessage["content"]): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => part.text ?? "").join("");
}
