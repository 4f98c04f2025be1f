/** Repaired entries by hand, and the writer over them, held against what the service refuses. */
import { expect } from "vitest";
import { writeHistory } from "../../../../src/core/dialects/google/write-history.js";
import type {
  Origin,
  PivotArguments,
  PivotMedia,
  PivotPart,
  PivotText,
  RepairedCall,
  RepairedEntry,
  RepairedResult,
  WrittenHistory,
} from "../../../../src/core/dialects/pivot.js";
import type { JsonObject, JsonValue } from "../../../../src/core/json.js";
import { validateGoogleRequest } from "../../../../src/simulator/google/validate.js";
import { deepFreeze } from "../deep-freeze.js";

export const at = (index: number, path = ""): Origin => ({ index, path });
export const text = (index: number, said: string): PivotText => ({
  kind: "text",
  text: said,
  origin: at(index),
});
export const user = (index: number, ...parts: readonly (PivotPart | string)[]): RepairedEntry => ({
  kind: "user",
  origin: at(index),
  parts: parts.map((part) => (typeof part === "string" ? text(index, part) : part)),
});
export const assistant = (
  index: number,
  ...parts: readonly (PivotPart | RepairedCall | string)[]
): RepairedEntry => ({
  kind: "assistant",
  origin: at(index),
  parts: parts.map((part) => (typeof part === "string" ? text(index, part) : part)),
});
export const call = (
  index: number,
  id: string,
  name: string,
  args: PivotArguments = { type: "object", value: {} },
): RepairedCall => ({ kind: "call", origin: at(index), id, name, arguments: args });
export const result = (
  index: number,
  callId: string,
  name: string,
  ...parts: readonly PivotPart[]
): RepairedResult => ({
  origin: at(index, `content[${callId}]`),
  callId,
  name,
  parts,
  isError: false,
});
export const results = (index: number, ...given: readonly RepairedResult[]): RepairedEntry => ({
  kind: "results",
  origin: at(index),
  results: given,
});
export const system = (index: number, said: string): RepairedEntry => ({
  kind: "system",
  origin: at(index),
  text: said,
  leading: index === 0,
});
export const media = (
  index: number,
  mime_type: string | null,
  more: Partial<PivotMedia> = {},
): PivotMedia => ({
  kind: "media",
  origin: at(index, "content[0]"),
  mime_type,
  source: { type: "data", data: "iVBORw0KGgo=" },
  ...more,
});
export const address = (index: number, mime_type: string | null, url: string): PivotMedia =>
  media(index, mime_type, { source: { type: "url", url } });

/** Writes, and holds the contents against what the service refuses. */
export function write(entries: readonly RepairedEntry[], systemBeside: string | null = null): WrittenHistory {
  const written = writeHistory(deepFreeze(entries), {
    model: "gemini-3-flash-preview",
    system: systemBeside,
  });
  const contents = contentsOf(written);
  if (contents.length === 0) return written;
  const open = contents.at(-1)?.role === "model" ? [{ role: "user", parts: [{ text: "go on" }] }] : [];
  // The bytes are back in their places before a request is sent.
  const sent = JSON.stringify([...contents, ...open]).replace(/\$media:[0-9a-f]{64}\.\w+/g, "AAAA");
  const body: JsonValue = { contents: JSON.parse(sent) as JsonValue };
  expect(validateGoogleRequest(body, { model: "gemini-3-flash-preview", mediaBytes: false })).toEqual([]);
  return written;
}

export const contentsOf = ({ messages }: WrittenHistory): readonly JsonObject[] =>
  messages.map(({ message }) => message);

export function reported({ report }: WrittenHistory): readonly string[] {
  return report.map(({ kind, artefact, index, detail }) => [kind, artefact, index, detail].join(" ").trim());
}

export const SIGNED: JsonObject = { thoughtSignature: "skip_thought_signature_validator" };
export const said = (role: string, ...texts: readonly string[]): JsonObject => ({
  role,
  parts: texts.map((each) => ({ text: each })),
});
