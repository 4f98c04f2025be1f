/** The port to a provider: one adapter each implements it over the official SDK. */
import type { ToolSpec } from "../core/agent.js";
import type { FinishReason, NativeMessage, Usage } from "../core/envelope/envelope.js";
import type { JsonObject, JsonValue } from "../core/json.js";

export interface ModelRequest {
  readonly model: string;
  readonly instructions: string;
  /** System text that came out of a history; sent after the instructions. */
  readonly system: string | null;
  readonly tools: readonly ToolSpec[];
  /** Request parameters in the provider's own names; they win over the adapter's defaults. */
  readonly params: JsonObject;
  /** The history in the provider's dialect, media as base64. The adapter never changes it. */
  readonly messages: readonly NativeMessage[];
  /** Indexes of messages that another model made: what is bound to its maker is not sent of them. Absent: none. */
  readonly foreign?: ReadonlySet<number>;
  /** JSON Schema that the final answer has to fit. What the wire cannot say of it is told in the instructions; nothing is checked here. */
  readonly output?: JsonObject;
}

export interface ModelCallHooks {
  /** Aborting closes the socket. */
  readonly signal: AbortSignal;
  onText(text: string): void;
  onReasoning(text: string): void;
}

export interface ModelReply {
  /** The model's messages, native, whole and as they must be sent back. */
  readonly messages: readonly NativeMessage[];
  readonly usage: Usage;
  readonly raw_usage: JsonValue;
  readonly finish_reason: FinishReason;
  /** The model that the provider says has answered. */
  readonly model: string;
}

/** A file on its way to a service that keeps files. */
export interface FileUpload {
  /** What the user calls it. */
  readonly name: string;
  readonly mime_type: string;
  readonly size_bytes: number;
  /** Its bytes, from the start; read as they are sent. */
  open(): AsyncIterable<Uint8Array>;
}

/** Where the service keeps it, and until when (ISO 8601 in UTC). */
export interface UploadedFile {
  readonly uri: string;
  readonly expiration_time: string;
}

export interface ProviderFiles {
  /**
   * Resolves once the service can use the file. Aborting closes the socket.
   *
   * @throws ProviderFailure classified, what reading the bytes throws, or the signal's reason.
   */
  upload(file: FileUpload, signal: AbortSignal): Promise<UploadedFile>;
  /** False for a file that is dead, or not of this key: the service tells no difference. @throws as `upload`. */
  isUsable(uri: string, signal: AbortSignal): Promise<boolean>;
}

export interface ModelProvider {
  /** Present where the service keeps uploaded files, which messages then name by their address. */
  readonly files?: ProviderFiles;

  /**
   * One streamed call, without retries of its own.
   *
   * @throws ProviderFailure classified; on an abort, the signal's reason.
   */
  call(request: ModelRequest, hooks: ModelCallHooks): Promise<ModelReply>;
}

/** Where one provider is reached. `apiKey` is undefined where the server needs none. */
export interface ProviderEndpoint {
  readonly apiKey: string | undefined;
  readonly baseUrl: string | undefined;
  readonly simulated: boolean;
  /** Types of files that this endpoint takes beyond those of its wire. */
  readonly attachments?: readonly string[];
}
