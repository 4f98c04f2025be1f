/** The results of a round as a history has them, files in the places that conversion gives them. */
import type { FileMarker, NativeMessage } from "../envelope/envelope.js";
import type { ResolvedModel } from "../providers.js";
import { attachmentRefusal, type FileReader } from "./check-attachment.js";
import { CONVERSIONS } from "./conversions.js";
import type { ToolResult } from "./dialect.js";
import { DIALECTS } from "./index.js";
import type { PivotPart, RepairedResult } from "./pivot.js";

/** A result with what its tool handed over beside the text. */
export interface ResultWithFiles extends ToolResult {
  readonly files?: readonly FileMarker[];
}

const ORIGIN = { index: 0, path: "" };

/**
 * In call order. A file that the provider does not take, or not of that size, is named in the result's text. Where a result has files the conversion's writer spells out the round: the file stands in the result, or,
 * where the wire takes none there, in a user message after the round; what the wire takes nowhere is named in a text.
 */
export function resultMessages(
  { provider, dialect, model }: ResolvedModel,
  given: readonly ResultWithFiles[],
): readonly NativeMessage[] {
  const results = given.map((result) => withTakenFiles(result, { provider, model }));
  if (!results.some(({ files = [] }) => files.length > 0))
    return DIALECTS[dialect].toolResultMessages(results);
  const entry = { kind: "results", origin: ORIGIN, results: results.map(pivotResult) } as const;
  const { messages } = CONVERSIONS[dialect].writeHistory([entry], { model, system: null });
  return messages.map(({ message }) => message);
}

function withTakenFiles(result: ResultWithFiles, reader: FileReader): ResultWithFiles {
  const { files = [] } = result;
  const refusals = files.map((file) => attachmentRefusal(file, reader));
  if (!refusals.some((refusal) => refusal !== undefined)) return result;
  const notes = refusals.flatMap((refusal) =>
    refusal === undefined ? [] : [`[left out: ${refusal.error}]`],
  );
  const said = textOf(result);
  return {
    ...result,
    output: [...(said === "" ? [] : [said]), ...notes].join("\n"),
    files: files.filter((_, index) => refusals[index] === undefined),
  };
}

function textOf({ output }: ResultWithFiles): string {
  return typeof output === "string" ? output : JSON.stringify(output);
}

function pivotResult(result: ResultWithFiles): RepairedResult {
  const { call, is_error, files = [] } = result;
  const text = textOf(result);
  const said: readonly PivotPart[] = text.trim() === "" ? [] : [{ kind: "text", text, origin: ORIGIN }];
  const media = files.map(
    ({ marker, mime_type, name }): PivotPart => ({
      kind: "media",
      origin: ORIGIN,
      mime_type,
      source: { type: "data", data: marker },
      name,
    }),
  );
  const custom = call.answer === "custom_tool_call_output" ? { custom: true as const } : {};
  return {
    origin: ORIGIN,
    callId: call.id,
    name: call.name,
    parts: [...said, ...media],
    isError: is_error,
    ...custom,
  };
}
