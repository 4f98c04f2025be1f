/** The Files API: resumable upload as the vendor's SDK does it, get, list and delete. */
import { isJsonObject, type JsonObject } from "../../core/json.js";
import type { Exchange } from "../exchange.js";
import { parseJson, readBody } from "../request-body.js";
import type { WireError } from "../wire.js";
import { errorBody } from "./error.js";
import { type FileStore, fileResource, type StoredFile } from "./files.js";

/** 2 GB a file. */
const MAXIMUM_FILE = 2 * 1024 * 1024 * 1024;
const MAXIMUM_CHUNK = 64 * 1024 * 1024;
const UPLOAD = /^\/upload\/v1(?:beta|alpha)?\/files$/;
const LIST = /^\/v1(?:beta|alpha)?\/files$/;
const FILE = /^\/v1(?:beta|alpha)?\/(files\/[^/]+)$/;
const NAME = /^files\/[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/;

interface Upload {
  readonly name: string | undefined;
  readonly displayName: string | undefined;
  readonly mimeType: string;
  readonly announcedBytes: number;
  readonly owner: string;
  readonly parts: Buffer[];
}

export class FilesApi {
  readonly #files: FileStore;
  readonly #uploads = new Map<string, Upload>();
  #nextUpload = 1;

  constructor(files: FileStore) {
    this.#files = files;
  }

  /** True when the path is one of this API. */
  async serve(exchange: Exchange, path: string, query: URLSearchParams, owner: string): Promise<boolean> {
    if (UPLOAD.test(path)) {
      const id = query.get("upload_id");
      if (id === null) await this.#start(exchange, owner);
      else await this.#receive(exchange, id);
      return true;
    }
    if (LIST.test(path)) {
      await exchange.sendJson(200, { files: this.#files.list(owner).map((file) => this.#shown(file)) });
      return true;
    }
    const name = FILE.exec(path)?.[1];
    if (name === undefined) return false;
    await this.#serveFile(exchange, name, owner);
    return true;
  }

  #shown(file: StoredFile): JsonObject {
    return fileResource(file, this.#files.stateOf(file));
  }

  async #serveFile(exchange: Exchange, name: string, owner: string): Promise<void> {
    const file = this.#files.find(name, owner);
    if (file === undefined) return sendError(exchange, noAccess(name));
    if (exchange.request.method === "GET") return exchange.sendJson(200, this.#shown(file));
    if (exchange.request.method !== "DELETE")
      return sendError(exchange, { status: 404, message: "Not Found" });
    this.#files.remove(name);
    return exchange.sendJson(200, {});
  }

  async #start(exchange: Exchange, owner: string): Promise<void> {
    const { headers } = exchange.request;
    const text = (await readBody(exchange.request, MAXIMUM_CHUNK))?.toString("utf8") ?? "";
    const parsed = parseJson(text === "" ? "{}" : text);
    const body: JsonObject = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
    const file = isJsonObject(body.file) ? body.file : {};
    const resumable =
      headers["x-goog-upload-protocol"] === "resumable" && headers["x-goog-upload-command"] === "start";
    if (!parsed.ok || !resumable) return sendError(exchange, { status: 400, message: "Bad upload request" });
    const name = typeof file.name === "string" ? file.name : undefined;
    if (name !== undefined && !NAME.test(name)) return sendError(exchange, badName(name));
    if (name !== undefined && this.#files.find(name, owner) !== undefined) {
      return sendError(exchange, {
        status: 409,
        type: "ALREADY_EXISTS",
        message: `Requested entity already exists`,
      });
    }
    const announcedBytes = Number(header(headers["x-goog-upload-header-content-length"]) ?? Number.NaN);
    if (announcedBytes > MAXIMUM_FILE) return sendError(exchange, tooLarge(announcedBytes));
    const id = `sim${this.#nextUpload++}`;
    this.#uploads.set(id, {
      name,
      displayName: typeof file.displayName === "string" ? file.displayName : undefined,
      mimeType: header(headers["x-goog-upload-header-content-type"]) ?? String(file.mimeType),
      announcedBytes,
      owner,
      parts: [],
    });
    const url = `${baseUrlOf(exchange)}/upload/v1beta/files?upload_id=${id}&upload_protocol=resumable`;
    await exchange.sendJson(200, {}, { "x-goog-upload-url": url, "x-goog-upload-status": "active" });
  }

  async #receive(exchange: Exchange, id: string): Promise<void> {
    const bytes = await readBody(exchange.request, MAXIMUM_CHUNK);
    const upload = this.#uploads.get(id);
    if (upload === undefined || bytes === undefined) {
      return sendError(exchange, { status: 404, message: "Upload has already been terminated." });
    }
    const command = header(exchange.request.headers["x-goog-upload-command"]) ?? "";
    const offset = Number(header(exchange.request.headers["x-goog-upload-offset"]));
    if (offset !== received(upload))
      return sendError(exchange, { status: 400, message: "Invalid upload offset" });
    upload.parts.push(bytes);
    if (!command.includes("finalize")) {
      return exchange.sendJson(200, {}, { "x-goog-upload-status": "active" });
    }
    this.#uploads.delete(id);
    if (received(upload) !== upload.announcedBytes) {
      return sendError(exchange, { status: 400, message: "The upload does not have the announced size." });
    }
    const stored = this.#files.add({
      ...upload,
      bytes: Buffer.concat(upload.parts),
      baseUrl: baseUrlOf(exchange),
    });
    return exchange.sendJson(200, { file: this.#shown(stored) }, { "x-goog-upload-status": "final" });
  }
}

/** What the service says of a file that it has not, or not for this key. */
export function noAccess(name: string): WireError {
  const id = name.replace(/^files\//, "");
  return {
    status: 403,
    message: `You do not have permission to access the File ${id} or it may not exist.`,
  };
}

/** What the service says of a file that it has and cannot use. */
export function notActive(name: string): WireError {
  const id = name.replace(/^files\//, "");
  return {
    status: 400,
    type: "FAILED_PRECONDITION",
    message: `The File ${id} is not in an ACTIVE state and usage is not allowed.`,
  };
}

function tooLarge(bytes: number): WireError {
  return {
    status: 400,
    message: `File of ${bytes} bytes exceeds the maximum size of ${MAXIMUM_FILE} bytes.`,
  };
}

function badName(name: string): WireError {
  return {
    status: 400,
    message: `* UploadFileRequest.file.name: File name ${name} must start with 'files/' followed by lowercase letters, digits or dashes.`,
  };
}

function received(upload: Upload): number {
  return upload.parts.reduce((sum, part) => sum + part.length, 0);
}

function baseUrlOf(exchange: Exchange): string {
  return `http://${exchange.request.headers.host ?? "127.0.0.1"}/google`;
}

function header(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

function sendError(exchange: Exchange, error: WireError): Promise<void> {
  return exchange.sendJson(error.status, errorBody(error));
}
