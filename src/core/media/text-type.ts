/** Which media are text that a model can be given as text. */
import { bareMimeType } from "./mime.js";

/** Text that is filed under `application/`, as JSON and code are. */
const APPLICATION_TEXT: ReadonlySet<string> = new Set([
  "ecmascript",
  "graphql",
  "javascript",
  "json",
  "json5",
  "jsonl",
  "ld+json",
  "ndjson",
  "sql",
  "toml",
  "typescript",
  "x-httpd-php",
  "x-javascript",
  "x-ndjson",
  "x-python",
  "x-python-code",
  "x-sh",
  "x-shellscript",
  "x-sql",
  "x-tex",
  "x-typescript",
  "x-yaml",
  "xml",
  "yaml",
]);

/** True for `text/*` and for text under `application/`: JSON, XML, YAML, code. False for RTF, which is none to read. */
export function isTextType(mimeType: string): boolean {
  const [family, subtype = ""] = bareMimeType(mimeType).split("/");
  if (family === "text") return subtype !== "rtf";
  if (family !== "application") return false;
  return APPLICATION_TEXT.has(subtype) || subtype.endsWith("+json") || subtype.endsWith("+xml");
}
