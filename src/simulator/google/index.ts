/** The wire of Google's Gemini API: generateContent, and the Files API beside it. */
import type { IncomingHttpHeaders } from "node:http";
import { isJsonObject, type JsonObject } from "../../core/json.js";
import { objectsIn } from "../request-facts.js";
import type { GenerateRoute, Wire, WireError } from "../wire.js";
import { errorBody, errorEvent, OVERLOADED } from "./error.js";
import { factsFrom } from "./facts.js";
import { type FileStore, fileNameIn } from "./files.js";
import { FilesApi, noAccess, notActive } from "./files-api.js";
import { partsIn } from "./parts.js";
import { replyBody } from "./reply.js";
import { replyEvents } from "./stream.js";
import { validateGoogleRequest } from "./validate.js";

const MAXIMUM_BODY = 100 * 1024 * 1024;

export function createGoogleWire(files: FileStore): Wire {
  const filesApi = new FilesApi(files);
  const findFile = (uri: string) => files.findByUri(uri);
  return {
    name: "google",
    prefix: "google",
    overloaded: OVERLOADED,
    maximumBodyBytes: MAXIMUM_BODY,
    route,
    serveOther: (exchange, path, query) =>
      filesApi.serve(exchange, path, query, keyIn(exchange.request.headers, query)),
    authenticate,
    validate: (body, { model = "" }, options) => validateGoogleRequest(body, { ...options, model, findFile }),
    refuse: (body, headers, query) => refuseFiles(body, files, keyIn(headers, query)),
    facts: (body, generateRoute) => factsFrom(body, generateRoute, findFile),
    replyBody,
    replyEvents: (reply, _body, chunkSize) => replyEvents(reply, chunkSize),
    errorBody,
    errorEvent,
    responseHeaders: () => ({}),
  };
}

function route(method: string, path: string): GenerateRoute | undefined {
  const match = /^\/v1(?:beta|alpha)?\/models\/([^/]+):(generateContent|streamGenerateContent)$/.exec(path);
  if (method !== "POST" || match === null) return undefined;
  return { model: decodeURIComponent(match[1] ?? ""), stream: match[2] === "streamGenerateContent" };
}

function keyIn(headers: IncomingHttpHeaders, query: URLSearchParams): string {
  const header = headers["x-goog-api-key"];
  return (Array.isArray(header) ? header[0] : header) ?? query.get("key") ?? "";
}

function authenticate(headers: IncomingHttpHeaders, query: URLSearchParams): WireError | undefined {
  // The address of an upload in progress is its own credential.
  if (query.has("upload_id")) return undefined;
  const key = keyIn(headers, query);
  if (key === "") {
    const message =
      "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.";
    return { status: 403, message };
  }
  if (key !== "invalid") return undefined;
  return { status: 400, code: "API_KEY_INVALID", message: "API key not valid. Please pass a valid API key." };
}

/** Files that are dead, or not of this key. URLs that are no uploads are fetched by the service, and not looked at. */
function refuseFiles(body: JsonObject, files: FileStore, owner: string): WireError | undefined {
  const uris = objectsIn(body.contents)
    .flatMap((content) => partsIn(content))
    .flatMap(({ fileData }) => (isJsonObject(fileData) ? [String(fileData.fileUri)] : []));
  for (const uri of uris) {
    const name = fileNameIn(uri);
    if (name === undefined) continue;
    const file = files.find(name, owner);
    if (file?.uri !== uri) return noAccess(name);
    if (files.stateOf(file) !== "ACTIVE") return notActive(name);
  }
  return undefined;
}
