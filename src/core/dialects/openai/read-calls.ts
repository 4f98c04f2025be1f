/** The calls that a client runs, and their outputs: the tool rounds of a Responses history, whatever the kind of tool. */
import type { ConversionReportEntry } from "../../envelope/envelope.js";
import { SessionCompatibilityError } from "../../errors/errors.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.js";
import type { Origin, PivotArguments, PivotResult } from "../pivot.js";
import { placeholder } from "../placeholder.js";
import { textified, wrapped } from "../report.js";
import type { ItemReading } from "./item-reading.js";
import type { RoundKind } from "./kinds.js";
import { lostFields } from "./lost-fields.js";
import { type ContentReading, readContent } from "./read-parts.js";
import type { Item } from "./wire.js";

interface CallKind {
  /** The fields that cross. */
  readonly carried: ReadonlySet<string>;
  readonly name: (item: Item) => string;
  readonly arguments: (item: Item) => PivotArguments;
  /** The text of a free-form call. */
  readonly custom?: (item: Item) => string;
  /** What became of arguments that are not a function's. */
  readonly wrapped?: string;
}

const fields = (...names: readonly string[]): ReadonlySet<string> => new Set(["type", "call_id", ...names]);
const value = (content: JsonObject): PivotArguments => ({ type: "object", value: content });
const asObject = (content: JsonValue | undefined, key: string): PivotArguments =>
  value(isJsonObject(content) ? content : { [key]: content ?? null });

const FUNCTION_CALL: CallKind = {
  carried: fields("name", "arguments"),
  name: ({ name }) => name ?? "",
  arguments: ({ arguments: given }) =>
    isJsonObject(given) ? value(given) : { type: "text", text: String(given ?? "") },
};
const CUSTOM_CALL: CallKind = {
  carried: fields("name", "input"),
  name: ({ name }) => name ?? "",
  arguments: ({ input }) => value({ input: input ?? "" }),
  custom: ({ input }) => String(input ?? ""),
};
const COMPUTER_CALL: CallKind = {
  carried: fields("action", "actions"),
  name: () => "computer",
  arguments: ({ action, actions }) => value({ actions: actions ?? (isJsonObject(action) ? [action] : []) }),
  wrapped: "actions of a computer",
};
const LOCAL_SHELL_CALL: CallKind = {
  carried: fields("action"),
  name: () => "local_shell",
  arguments: ({ action }) => asObject(action, "action"),
  wrapped: "action of a local shell",
};
const SHELL_CALL: CallKind = {
  carried: fields("action"),
  name: () => "shell",
  arguments: ({ action }) => asObject(action, "action"),
  wrapped: "action of a shell",
};
const APPLY_PATCH_CALL: CallKind = {
  carried: fields("operation"),
  name: () => "apply_patch",
  arguments: ({ operation }) => asObject(operation, "operation"),
  wrapped: "operation of a patch",
};

/** @throws SessionCompatibilityError for a call without a name. */
function readCall(kind: CallKind, item: Item, origin: Origin): ItemReading {
  const name = kind.name(item);
  const id = item.call_id ?? (item.type === "local_shell_call" ? item.id : null) ?? null;
  if (name === "") {
    throw new SessionCompatibilityError(
      `A call without a name: ${id ?? "without an id"} at message ${origin.index}. Take the part before that turn with \`holdfast fork --at\`.`,
    );
  }
  const lost = lostFields(item, kind.carried, origin);
  const report =
    kind.wrapped === undefined ? lost : [wrapped(origin, `${id ?? name}: ${kind.wrapped}`), ...lost];
  const made = { kind: "call", origin, id, name, arguments: kind.arguments(item) } as const;
  const call = kind.custom === undefined ? made : { ...made, custom: kind.custom(item) };
  return { entry: { kind: "assistant", origin, parts: [call] }, report };
}

interface OutputKind {
  readonly carried: ReadonlySet<string>;
  readonly read: (item: Item, index: number) => ContentReading;
  readonly isError?: (item: Item) => boolean;
}

const readOutput = ({ output }: Item, index: number): ContentReading => readContent(output, index, "output");

const FUNCTION_OUTPUT: OutputKind = { carried: fields("name", "output"), read: readOutput };
const COMPUTER_OUTPUT: OutputKind = { carried: fields("output"), read: readOutput };
const LOCAL_SHELL_OUTPUT: OutputKind = { carried: fields("id", "output"), read: readOutput };
const SHELL_OUTPUT: OutputKind = { carried: fields("output"), read: readShellOutput };
const APPLY_PATCH_OUTPUT: OutputKind = {
  carried: fields("output", "status"),
  read: readOutput,
  isError: ({ status }) => status === "failed",
};

/** What the commands wrote, and how they ended, as JSON: exit codes stay readable. */
function readShellOutput({ output }: Item, index: number): ContentReading {
  if (typeof output === "string" || output === undefined || output === null) {
    return readContent(output, index, "output");
  }
  const origin = { index, path: "output" };
  const text = JSON.stringify(output);
  return {
    parts: [{ kind: "text", text, origin }],
    report: [textified("tool-output", origin, "output of a shell as JSON")],
    lost: false,
  };
}

function readResult(kind: OutputKind, item: Item, origin: Origin): ItemReading {
  const content = kind.read(item, origin.index);
  const report: ConversionReportEntry[] = [...content.report, ...lostFields(item, kind.carried, origin)];
  const parts = [...content.parts];
  if (parts.length === 0 && content.lost) {
    const stand = placeholder(origin);
    parts.push(stand.part);
    report.push(stand.report);
  }
  const name = typeof item.name === "string" && item.name !== "" ? { name: item.name } : {};
  const isError = kind.isError?.(item) === true;
  const result: PivotResult = { origin, callId: item.call_id ?? null, ...name, parts, isError };
  return { entry: { kind: "results", origin, results: [result] }, report };
}

type Reader = (item: Item, origin: Origin) => ItemReading;
const call =
  (kind: CallKind): Reader =>
  (item, origin) =>
    readCall(kind, item, origin);
const result =
  (kind: OutputKind): Reader =>
  (item, origin) =>
    readResult(kind, item, origin);

export const ROUND_READERS: Readonly<Record<RoundKind, Reader>> = {
  function_call: call(FUNCTION_CALL),
  function_call_output: result(FUNCTION_OUTPUT),
  custom_tool_call: call(CUSTOM_CALL),
  custom_tool_call_output: result(FUNCTION_OUTPUT),
  computer_call: call(COMPUTER_CALL),
  computer_call_output: result(COMPUTER_OUTPUT),
  local_shell_call: call(LOCAL_SHELL_CALL),
  local_shell_call_output: result(LOCAL_SHELL_OUTPUT),
  shell_call: call(SHELL_CALL),
  shell_call_output: result(SHELL_OUTPUT),
  apply_patch_call: call(APPLY_PATCH_CALL),
  apply_patch_call_output: result(APPLY_PATCH_OUTPUT),
};
