/** Gemini through @google/genai: generateContent, streamed. */
import {
  type GenerateContentConfig,
  type GenerateContentParameters,
  GoogleGenAI,
  type Content as SdkContent,
} from "@google/genai";
import { google } from "../core/dialects/google/index.js";
import type { JsonObject } from "../core/json.js";
import { eventsOf } from "./event-stream.js";
import { type FailureContext, providerFailure, toProviderFailure } from "./failure.js";
import { GoogleConnection } from "./google-connection.js";
import { createGoogleFiles } from "./google-files.js";
import { googleFormat } from "./google-output.js";
import { GoogleReply } from "./google-reply.js";
import { withoutForeignSignatures } from "./google-signatures.js";
import type {
  ModelCallHooks,
  ModelProvider,
  ModelReply,
  ModelRequest,
  ProviderEndpoint,
} from "./provider.js";
import { toldOutput } from "./told-output.js";

const BASE_URL = "https://generativelanguage.googleapis.com";

/** The SDK takes a missing key from the environment; this keeps a real one from a server that was not meant to get it. */
const NO_KEY = "none";

/** Options of the SDK rather than of the request: from an envelope they could send the key to another address. */
const SDK_OPTIONS = ["httpOptions", "abortSignal"] as const;

export function createGoogleProvider(endpoint: ProviderEndpoint): ModelProvider {
  const client = new GoogleGenAI({
    apiKey: endpoint.apiKey ?? NO_KEY,
    vertexai: false,
    httpOptions: { baseUrl: endpoint.baseUrl ?? BASE_URL },
  });
  return {
    call: (request, hooks) => callModel(client, request, hooks, contextOf(endpoint, request, hooks)),
    files: createGoogleFiles({
      ...endpoint,
      apiKey: endpoint.apiKey ?? NO_KEY,
      baseUrl: endpoint.baseUrl ?? BASE_URL,
    }),
  };
}

function contextOf(endpoint: ProviderEndpoint, request: ModelRequest, hooks: ModelCallHooks): FailureContext {
  return { provider: "google", model: request.model, signal: hooks.signal, apiKey: endpoint.apiKey };
}

async function callModel(
  client: GoogleGenAI,
  request: ModelRequest,
  hooks: ModelCallHooks,
  context: FailureContext,
): Promise<ModelReply> {
  const connection = new GoogleConnection(hooks.signal);
  try {
    assertParams(request, context);
    const stream = await client.models.generateContentStream(parametersOf(request, connection));
    const reply = new GoogleReply(hooks);
    const end = { hasCome: () => reply.isWhole, close: () => connection.close() };
    for await (const chunk of eventsOf(stream, connection.response, { ...context, end })) reply.add(chunk);
    hooks.signal.throwIfAborted();
    return reply.end(context);
  } catch (error) {
    throw toProviderFailure(connection.explain(error, context), context);
  } finally {
    connection.close();
  }
}

function assertParams(request: ModelRequest, context: FailureContext): void {
  const option = SDK_OPTIONS.find((name) => request.params[name] !== undefined);
  if (option === undefined) return;
  throw providerFailure(
    "bad_request",
    context,
    `params.${option} is an option of the connection, not a parameter of the request`,
  );
}

/** Of two schemas in one request the service takes none. */
function withoutSchema({ responseSchema: _, ...params }: JsonObject): JsonObject {
  return params;
}

/** Thoughts stay out of the reply unless `params.thinkingConfig.includeThoughts` asks for them. */
function parametersOf(given: ModelRequest, connection: GoogleConnection): GenerateContentParameters {
  const { model, params, output } = given;
  const hasTools = given.tools.length > 0 || (Array.isArray(params.tools) && params.tools.length > 0);
  const format = output === undefined ? undefined : googleFormat(model, output, hasTools);
  const request = format === undefined ? toldOutput(given) : given;
  const messages = withoutForeignSignatures(request.messages, request.foreign ?? new Set());
  const tools = [
    ...(Array.isArray(params.tools) ? params.tools : []),
    ...google.toolDefinitions(request.tools),
  ];
  const system = [request.instructions, request.system ?? ""]
    .filter((text) => text.trim() !== "")
    .join("\n\n");
  const config = {
    // The SDK would resume a broken stream by a second call of its own.
    automaticContinuation: false,
    ...(format === undefined ? params : { ...withoutSchema(params), ...format }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(system === "" ? {} : { systemInstruction: system }),
    abortSignal: connection.signal,
    httpOptions: { fetch: connection.fetch },
  };
  // The dialect has checked the history and the service checks the parameters: here both are data.
  return {
    model,
    contents: messages as unknown as SdkContent[],
    config: config as unknown as GenerateContentConfig,
  };
}
