/** What a tool has returned, sorted: what is said of it, and the files that come with it. */
import { isJsonObject } from "../../core/json.js";

/** A file as a tool may hand it over. A text is the file's content. */
export interface ToolFile {
  readonly name?: string;
  readonly data: Uint8Array | Blob | string;
  readonly mime_type?: string;
}

export interface ToolOutput {
  /** A text, or a value that JSON may or may not hold. */
  readonly said: unknown;
  readonly files: readonly ToolFile[];
}

export function sortOutput(value: unknown): ToolOutput {
  if (isBytes(value)) return { said: "", files: [{ data: value }] };
  if (Array.isArray(value)) return fromParts(value) ?? { said: value, files: [] };
  if (!isJsonObject(value)) return { said: value ?? "", files: [] };
  const record: Readonly<Record<string, unknown>> = value;
  const [file] = isBytes(record.data) ? filesIn([record]) : [];
  if (file !== undefined) return { said: "", files: [file] };
  if (!Array.isArray(record.files)) return { said: value, files: [] };
  const files = filesIn(record.files);
  if (files.length < record.files.length) return { said: value, files: [] };
  const { files: _, text, ...rest } = record;
  const others = Object.keys(rest).length > 0;
  return { said: others ? (text === undefined ? rest : { text, ...rest }) : (text ?? ""), files };
}

/** A list of contents, where every entry is one. */
function fromParts(value: readonly unknown[]): ToolOutput | undefined {
  const texts: string[] = [];
  const files: ToolFile[] = [];
  for (const part of value) {
    const { type, text, data, ...rest }: Readonly<Record<string, unknown>> = isJsonObject(part) ? part : {};
    if (type === "text" && typeof text === "string") texts.push(text);
    else if (type === "file" || type === "image") {
      const bytes = type === "image" && typeof data === "string" ? Buffer.from(data, "base64") : data;
      const [file] = filesIn([{ ...rest, data: bytes }]);
      if (file === undefined) return undefined;
      files.push(file);
    } else return undefined;
  }
  return value.length === 0 ? undefined : { said: texts.join("\n"), files };
}

function filesIn(list: readonly unknown[]): readonly ToolFile[] {
  return list.flatMap((entry): readonly ToolFile[] => {
    if (isBytes(entry)) return [{ data: entry }];
    if (!isJsonObject(entry)) return [];
    const { name, data, mime_type, mimeType }: Readonly<Record<string, unknown>> = entry;
    if (typeof data !== "string" && !isBytes(data)) return [];
    const type = mime_type ?? mimeType;
    return [
      {
        data,
        ...(typeof name === "string" ? { name } : {}),
        ...(typeof type === "string" ? { mime_type: type } : {}),
      },
    ];
  });
}

function isBytes(value: unknown): value is Uint8Array | Blob {
  return value instanceof Uint8Array || value instanceof Blob;
}
