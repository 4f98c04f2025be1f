/** A history that comes from elsewhere, in a provider's own JSON: read, and checked before anything is done with it. */
import { notAHistory, wrongHistory } from "../envelope/damage.js";
import type { NativeMessage } from "../envelope/envelope.js";
import { nameForeignJson } from "../envelope/foreign-json.js";
import { checkStructure } from "../envelope/structure.js";
import { type HistoryIssue, InvalidHistoryError } from "../errors/errors.js";
import { isJsonObject, type JsonObject } from "../json.js";
import type { DialectName } from "../providers.js";
import { placeSystem } from "./convert.js";
import { DIALECTS } from "./index.js";

export interface NativeHistory {
  readonly messages: readonly NativeMessage[];
  /** System text that stood beside the list. */
  readonly system: string | null;
}

interface WireNames {
  readonly list: readonly string[];
  readonly system: readonly string[];
}

/** How a request names the list and the system text beside it; `messages` and `system` are what `holdfast convert` prints. */
const NAMES: Readonly<Record<DialectName, WireNames>> = {
  anthropic: { list: ["messages"], system: ["system"] },
  openai: { list: ["input", "messages"], system: ["instructions", "system"] },
  google: {
    list: ["contents", "messages"],
    system: ["systemInstruction", "system_instruction", "system"],
  },
  fireworks: { list: ["messages"], system: ["system"] },
};

/**
 * Reads a history: a list of native messages, or an object that holds it under the wire's own name with the system text
 * beside it ({system, messages}, {instructions, input}, {systemInstruction, contents}). Such a value may also stand under
 * `input`. Errors call it `source`.
 *
 * @throws InvalidHistoryError, naming index, path and what was expected, for what is no history of that dialect.
 */
export function readNativeHistory(
  value: unknown,
  dialect: DialectName,
  source: string = "The history",
): NativeHistory {
  const found = findHistory(value, NAMES[dialect]);
  if (found === undefined) throw notAHistory(source, dialect, nameOf(value), NAMES[dialect].list);
  const { list, system } = found;
  if (!isSystem(system)) throw wrongSystem(source);
  const issues = checkList(list, dialect);
  if (issues.length > 0) throw wrongHistory(source, dialect, issues);
  // Every message has just been checked.
  return { messages: list as readonly NativeMessage[], system: system === undefined ? null : textOf(system) };
}

/** The same history with its system text in the one place that its dialect has for it. */
export function withPlacedSystem(history: NativeHistory, dialect: DialectName): NativeHistory {
  if (history.system === null) return history;
  const { messages, system } = placeSystem(dialect, history.system);
  return { messages: [...messages, ...history.messages], system };
}

interface Found {
  readonly list: readonly unknown[];
  readonly system: unknown;
}

function findHistory(value: unknown, names: WireNames, nested = false): Found | undefined {
  if (Array.isArray(value)) return { list: value, system: undefined };
  if (!isJsonObject(value) || value.schema_version !== undefined) return undefined;
  const list = names.list.map((name) => value[name]).find(Array.isArray);
  if (list !== undefined) return { list, system: systemOf(value, names) };
  return nested ? undefined : findHistory(value.input, names, true);
}

function systemOf(value: JsonObject, { system }: WireNames): unknown {
  return system.map((name) => value[name] ?? undefined).find((found) => found !== undefined);
}

function nameOf(value: unknown): string {
  const isEnvelope = isJsonObject(value) && value.schema_version !== undefined;
  return isEnvelope ? "a Holdfast envelope, which names its dialect itself" : nameForeignJson(value);
}

function checkList(list: readonly unknown[], dialect: DialectName): readonly HistoryIssue[] {
  const unsafe = checkStructure({ messages: list });
  if (unsafe !== undefined) {
    const [, index = "0", path = ""] = /^messages\[(\d+)\]\.?(.*)$/.exec(unsafe.path) ?? [];
    return [{ index: Number(index), path, expected: `${unsafe.expected}, found ${unsafe.found}` }];
  }
  return list.flatMap((message, index) => DIALECTS[dialect].checkMessage(message, index));
}

/** A text, a text block or several of them, under `parts` as well. */
function isSystem(system: unknown): boolean {
  return system === undefined || blocksOf(system).every((block) => textOfBlock(block) !== undefined);
}

function wrongSystem(source: string): InvalidHistoryError {
  const expected = "a text, or a list of text blocks";
  return new InvalidHistoryError(`${source} has system text that is none: expected ${expected}.`, [
    { index: 0, path: "system", expected },
  ]);
}

function blocksOf(system: unknown): readonly unknown[] {
  if (Array.isArray(system)) return system;
  return isJsonObject(system) && Array.isArray(system.parts) ? system.parts : [system];
}

function textOfBlock(block: unknown): string | undefined {
  if (typeof block === "string") return block;
  return isJsonObject(block) && typeof block.text === "string" ? block.text : undefined;
}

function textOf(system: unknown): string | null {
  const text = blocksOf(system)
    .map((block) => textOfBlock(block) ?? "")
    .filter((piece) => piece !== "")
    .join("\n\n");
  return text === "" ? null : text;
}
