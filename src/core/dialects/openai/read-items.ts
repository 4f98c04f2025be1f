/** Every kind of item that a Responses history can hold, and what becomes of it in any other dialect. */
import type { ConversionReportEntry } from "../../envelope/envelope.js";
import type { Origin } from "../pivot.js";
import { type Artefact, dropped } from "../report.js";
import type { ItemReading } from "./item-reading.js";
import type { ItemKind } from "./kinds.js";
import { ROUND_READERS } from "./read-calls.js";
import { readMessage } from "./read-message.js";
import type { Item } from "./wire.js";

type ItemReader = (item: Item, origin: Origin, leading: boolean) => ItemReading;

/** Items that stay behind whole: what OpenAI ran, keeps or alone can read. */
const lost =
  (artefact: Artefact, remark?: string): ItemReader =>
  (item, origin) => ({ report: [dropped(artefact, origin, described(item, remark))] });

const ITEM_READERS: Readonly<Record<ItemKind, ItemReader>> = {
  message: readMessage,
  ...ROUND_READERS,
  reasoning: lost("thinking"),
  web_search_call: lost("server-tool"),
  file_search_call: lost("server-tool"),
  code_interpreter_call: lost("server-tool"),
  image_generation_call: readImageGeneration,
  mcp_call: lost("server-tool"),
  mcp_list_tools: lost("tool-definition"),
  mcp_approval_request: lost("control"),
  mcp_approval_response: lost("control"),
  tool_search_call: lost("tool-definition"),
  tool_search_output: lost("tool-definition"),
  additional_tools: lost("tool-definition"),
  configuration_update: lost("control"),
  program: lost("server-tool"),
  program_output: lost("server-tool"),
  compaction: lost("compaction", "with all that it stood for"),
  compaction_trigger: lost("control"),
  item_reference: lost("reference"),
};

/** @throws SessionCompatibilityError for a call without a name. */
export function readItem(item: Item, origin: Origin, leading: boolean): ItemReading {
  const kind = kindOf(item);
  if (isItemKind(kind)) return ITEM_READERS[kind](item, origin, leading);
  return { report: [dropped("metadata", origin, `unknown item ${described({ ...item, type: kind })}`)] };
}

/** A message may leave its type out, and so may a reference, which is an id alone. */
function kindOf({ type, role, id }: Item): string {
  if (typeof type === "string") return type;
  if (role !== undefined) return "message";
  return typeof id === "string" ? "item_reference" : "without a type";
}

function isItemKind(kind: string): kind is ItemKind {
  return Object.hasOwn(ITEM_READERS, kind);
}

function readImageGeneration(item: Item, origin: Origin): ItemReading {
  const report: ConversionReportEntry[] = [dropped("server-tool", origin, described(item))];
  const { result, output_format } = item;
  if (typeof result === "string" && result !== "") {
    const format = typeof output_format === "string" ? output_format : "png";
    report.push(dropped("media", { ...origin, path: "result" }, `${format} image made by the service`));
  }
  return { report };
}

function described({ type, id }: Item, remark?: string): string {
  return [type ?? "item_reference", id, remark].filter((word) => typeof word === "string").join(" ");
}
