/** Google's Files API: uploads through the SDK's resumable protocol, and the question whether an upload is still there. */
import { setTimeout as wait } from "node:timers/promises";
import { type File, FileState, GoogleGenAI } from "@google/genai";
import { ProviderFailure, type ProviderFailureKind } from "../core/errors/provider-failure.js";
import { type FailureContext, providerFailure, toProviderFailure } from "./failure.js";
import { GoogleConnection } from "./google-connection.js";
import type { FileUpload, ProviderFiles, UploadedFile } from "./provider.js";
import { UploadBlob, UploadPiece } from "./upload-blob.js";

export interface GoogleFilesEndpoint {
  readonly apiKey: string;
  readonly baseUrl: string;
  /** How long the service may look at a file. Default: ten minutes at one just uploaded, two at one that a history names. */
  readonly patience?: ProcessingPatience;
}

/** In milliseconds. */
interface ProcessingPatience {
  readonly uploadMs: number;
  readonly askMs: number;
}

const PATIENCE: ProcessingPatience = { uploadMs: 10 * 60_000, askMs: 2 * 60_000 };

/** Most characters of a display name. */
const LONGEST_NAME = 512;
/** Between two looks at a file that is being processed, in milliseconds; the last one repeats. */
const LOOKS_MS: readonly number[] = [250, 500, 1_000, 2_000, 5_000];
/** The service keeps a file this long; only for an answer that does not say until when. */
const LIFETIME_MS = 48 * 3_600_000;

const UNUSABLE: readonly ProviderFailureKind[] = [
  "permission",
  "not_found",
  "bad_request",
  "attachment_refused",
];

export function createGoogleFiles(endpoint: GoogleFilesEndpoint): ProviderFiles {
  const { uploadMs, askMs } = endpoint.patience ?? PATIENCE;
  return {
    upload: (file, signal) =>
      connected(endpoint, signal, async (client, context) => {
        const blob = new UploadBlob(file.open(), { size: file.size_bytes, type: file.mime_type });
        try {
          const uploaded = await upload(client, blob, file);
          return uploadedFile(
            await untilActive(client, uploaded, { file, context, patienceMs: uploadMs }),
            context,
          );
        } catch (error) {
          throw blob.failure === undefined ? error : new SourceFailure(blob.failure.error);
        } finally {
          await blob.close();
        }
      }),
    isUsable: async (uri, signal) => {
      const name = fileName(uri);
      if (name === undefined) return false;
      try {
        return await connected(endpoint, signal, async (client, context) => {
          const file = await untilActive(client, await client.files.get({ name }), {
            context,
            patienceMs: askMs,
          });
          return isBehind(uri, file.uri);
        });
      } catch (error) {
        if (isGone(error)) return false;
        throw error;
      }
    },
  };
}

/** Reading the bytes failed, which is no failure of the service. */
class SourceFailure {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

/** A client of its own, so that the pieces of an upload, for which the SDK takes no options, go through this connection too. */
async function connected<T>(
  { apiKey, baseUrl }: GoogleFilesEndpoint,
  signal: AbortSignal,
  work: (client: GoogleGenAI, context: FailureContext) => Promise<T>,
): Promise<T> {
  const context: FailureContext = { provider: "google", model: "Files API", signal, apiKey };
  const connection = new GoogleConnection(signal);
  const client = new GoogleGenAI({
    apiKey,
    vertexai: false,
    httpOptions: { baseUrl, fetch: readingPieces(connection) },
  });
  try {
    signal.throwIfAborted();
    return await work(client, context);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SourceFailure) throw error.error;
    throw toProviderFailure(connection.explain(error, context), context);
  } finally {
    connection.close();
  }
}

function readingPieces(connection: GoogleConnection): typeof fetch {
  return async (input, init) => {
    const body = init?.body;
    return connection.fetch(input, body instanceof UploadPiece ? { ...init, body: await body.read() } : init);
  };
}

function upload(client: GoogleGenAI, blob: UploadBlob, { name, mime_type }: FileUpload): Promise<File> {
  const displayName = [...name.toWellFormed()].slice(0, LONGEST_NAME).join("");
  // The SDK reads size and type, and cuts pieces; a whole Blob would hold every byte of the file.
  return client.files.upload({ file: blob as unknown as Blob, config: { mimeType: mime_type, displayName } });
}

/** Sound and video are looked at by the service before a model can use them. */
async function untilActive(
  client: GoogleGenAI,
  uploaded: File,
  {
    file,
    context,
    patienceMs,
  }: { readonly file?: FileUpload; readonly context: FailureContext; readonly patienceMs: number },
): Promise<File> {
  let now = uploaded;
  const until = performance.now() + patienceMs;
  for (let look = 0; now.state === FileState.PROCESSING; look += 1) {
    if (performance.now() >= until) throw stillProcessing(file, context, patienceMs);
    await wait(LOOKS_MS[Math.min(look, LOOKS_MS.length - 1)], undefined, { signal: context.signal });
    now = await client.files.get({ name: now.name ?? "" });
  }
  if (now.state !== FileState.FAILED) return now;
  const why = now.error?.message ?? "it gave no reason";
  throw providerFailure(
    "attachment_refused",
    context,
    `${file?.name ?? "the file"} could not be processed, ${why}`,
  );
}

function stillProcessing(file: FileUpload | undefined, context: FailureContext, patienceMs: number): Error {
  const name = file?.name ?? "the file";
  const text = `${name} is still being processed by the service after ${patienceMs / 1_000} seconds`;
  return providerFailure("attachment_refused", context, text);
}

function uploadedFile({ uri, expirationTime }: File, context: FailureContext): UploadedFile {
  if (uri === undefined || uri === "") {
    throw providerFailure("malformed_reply", context, "the upload was answered without an address");
  }
  const expires = Date.parse(expirationTime ?? "");
  const until = Number.isNaN(expires) ? Date.now() + LIFETIME_MS : expires;
  return { uri, expiration_time: new Date(until).toISOString() };
}

/** Dead, of another key, no file's name at all, or of no use to any model. */
function isGone(error: unknown): boolean {
  return error instanceof ProviderFailure && UNUSABLE.includes(error.kind);
}

/** A name alone may be that of another file, behind another address. */
function isBehind(uri: string, now: string | undefined): boolean {
  return now !== undefined && URL.canParse(uri) && new URL(uri).host === new URL(now).host;
}

/** `files/NAME` in a file's address. */
function fileName(uri: string): string | undefined {
  return /\/(files\/[a-z0-9][a-z0-9-]*)$/i.exec(uri)?.[1];
}
