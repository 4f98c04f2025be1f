/** The input items of a Responses request, each by itself. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import type { WireIssue } from "../wire-issue.js";
import { paramOf } from "./error.js";
import { invalid, invalidType, invalidValue, missing, tooLong, unknownParameter } from "./issues.js";
import { typeOf } from "./items.js";
import { isEncrypted } from "./opaque.js";
import { checkInputParts, checkOutputParts } from "./validate-content.js";

const ROLES: readonly string[] = ["assistant", "system", "developer", "user"];
const MAXIMUM_ID = 64;
const FUNCTION_NAME = /^[a-zA-Z0-9_-]+$/;

/** The fields of the kinds that a client writes itself, and how their ids begin. */
const KINDS: Readonly<Record<string, { readonly fields: readonly string[]; readonly prefix: string }>> = {
  message: { fields: ["type", "role", "content", "phase", "id", "status"], prefix: "msg" },
  function_call: {
    fields: ["type", "call_id", "name", "arguments", "id", "status", "async", "caller", "namespace"],
    prefix: "fc",
  },
  function_call_output: {
    fields: ["type", "call_id", "output", "id", "status", "caller", "name", "namespace"],
    prefix: "fc",
  },
  custom_tool_call: {
    fields: ["type", "call_id", "name", "input", "id", "status", "caller", "namespace"],
    prefix: "ctc",
  },
  custom_tool_call_output: {
    fields: ["type", "call_id", "output", "id", "status", "caller", "name"],
    prefix: "ctc",
  },
  reasoning: { fields: ["type", "id", "summary", "content", "encrypted_content", "status"], prefix: "rs" },
  item_reference: { fields: ["type", "id"], prefix: "" },
};
/** Run by the service itself, or by other clients than ours: taken as they stand. */
const OTHER_KINDS: readonly string[] = [
  "file_search_call",
  "computer_call",
  "computer_call_output",
  "web_search_call",
  "tool_search_call",
  "tool_search_output",
  "additional_tools",
  "configuration_update",
  "compaction",
  "compaction_trigger",
  "image_generation_call",
  "code_interpreter_call",
  "local_shell_call",
  "local_shell_call_output",
  "shell_call",
  "shell_call_output",
  "apply_patch_call",
  "apply_patch_call_output",
  "mcp_list_tools",
  "mcp_approval_request",
  "mcp_approval_response",
  "mcp_call",
  "program",
  "program_output",
];

export interface ItemRules {
  /** Whether the service is asked to keep what it makes. */
  readonly stored: boolean;
  /** Whether the bytes of media are looked at. */
  readonly mediaBytes: boolean;
}

export function checkItem(item: JsonValue, path: string, rules: ItemRules): readonly WireIssue[] {
  if (!isJsonObject(item)) return [invalidType(path, "an object", item)];
  const type = typeOf(item);
  if (OTHER_KINDS.includes(type)) return [];
  const kind = KINDS[type];
  if (kind === undefined) {
    return item.type === undefined
      ? [missing(`${path}.type`)]
      : [invalidValue(`${path}.type`, type, [...Object.keys(KINDS), ...OTHER_KINDS])];
  }
  const extra = Object.keys(item).filter((key) => !kind.fields.includes(key));
  if (extra.length > 0) return extra.map((key) => unknownParameter(`${path}.${key}`));
  return [...checkItemId(item, path, kind.prefix), ...checkByType(item, type, path, rules)];
}

function checkItemId(item: JsonObject, path: string, prefix: string): readonly WireIssue[] {
  const { id } = item;
  if (id === undefined || id === null) return [];
  if (typeof id !== "string") return [invalidType(`${path}.id`, "a string", id)];
  if (id.length > MAXIMUM_ID) return [tooLong(`${path}.id`, id.length, MAXIMUM_ID)];
  if (!FUNCTION_NAME.test(id)) {
    const sentence = `'${id}'. Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters.`;
    return [invalid(`${path}.id`, sentence)];
  }
  return id.startsWith(prefix)
    ? []
    : [invalid(`${path}.id`, `'${id}'. Expected an ID that begins with '${prefix}'.`)];
}

function checkByType(item: JsonObject, type: string, path: string, rules: ItemRules): readonly WireIssue[] {
  switch (type) {
    case "message":
      return checkMessage(item, path, rules.mediaBytes);
    case "function_call":
      return [...checkCall(item, path), ...checkArguments(item, path)];
    case "custom_tool_call":
      return [...checkCall(item, path), ...requireText(item, "input", path)];
    case "reasoning":
      return checkReasoning(item, path, rules.stored);
    case "item_reference":
      return [notFound(item, path)];
    default:
      return [...checkCallId(item, path), ...checkOutput(item, path, rules.mediaBytes)];
  }
}

function checkMessage(item: JsonObject, path: string, mediaBytes: boolean): readonly WireIssue[] {
  const { role, content } = item;
  if (!ROLES.includes(String(role))) return [invalidValue(`${path}.role`, role, ROLES)];
  if (content === undefined) return [missing(`${path}.content`)];
  if (typeof content === "string") return [];
  if (!Array.isArray(content)) {
    return [invalidType(`${path}.content`, "one of an array of objects or string", content)];
  }
  const parts = content as readonly JsonValue[];
  return role === "assistant"
    ? checkOutputParts(parts, `${path}.content`)
    : checkInputParts(parts, `${path}.content`, mediaBytes);
}

function checkCall(item: JsonObject, path: string): readonly WireIssue[] {
  const named = requireText(item, "name", path);
  const name = String(item.name);
  const pattern = FUNCTION_NAME.test(name)
    ? []
    : [
        invalid(
          `${path}.name`,
          `string does not match pattern. Expected a string that matches the pattern '${FUNCTION_NAME.source}'.`,
        ),
      ];
  return [...checkCallId(item, path), ...(named.length > 0 ? named : pattern)];
}

function checkArguments(item: JsonObject, path: string): readonly WireIssue[] {
  return requireText(item, "arguments", path);
}

function checkCallId(item: JsonObject, path: string): readonly WireIssue[] {
  const wrong = requireText(item, "call_id", path);
  if (wrong.length > 0) return wrong;
  const id = String(item.call_id);
  if (id === "") {
    const sentence =
      "empty string. Expected a string with minimum length 1, but got an empty string instead.";
    return [invalid(`${path}.call_id`, sentence, "empty_string")];
  }
  return id.length > MAXIMUM_ID ? [tooLong(`${path}.call_id`, id.length, MAXIMUM_ID)] : [];
}

function checkOutput({ output }: JsonObject, path: string, mediaBytes: boolean): readonly WireIssue[] {
  if (output === undefined) return [missing(`${path}.output`)];
  if (typeof output === "string") return [];
  if (Array.isArray(output))
    return checkInputParts(output as readonly JsonValue[], `${path}.output`, mediaBytes);
  return [invalidType(`${path}.output`, "one of an array of objects or string", output)];
}

function checkReasoning(item: JsonObject, path: string, stored: boolean): readonly WireIssue[] {
  const { encrypted_content: encrypted, summary, content } = item;
  if (!Array.isArray(summary)) return [missing(`${path}.summary`)];
  if (Array.isArray(content) && content.length > 0) {
    const sentence = `array too long. Expected an array with maximum length 0, but got an array with length ${content.length} instead.`;
    return [invalid(`${path}.content`, sentence, "array_above_max_length")];
  }
  if (typeof encrypted !== "string") return stored ? [] : [notFound(item, path)];
  if (isEncrypted(encrypted)) return [];
  const message = `The encrypted content ${encrypted.slice(0, 8)}... could not be verified. Reason: Encrypted content could not be decrypted or parsed.`;
  return [{ path: `${path}.encrypted_content`, message, code: "invalid_encrypted_content" }];
}

/** Nothing is kept by the service: an id alone says nothing. */
function notFound(item: JsonObject, path: string): WireIssue {
  const message = `Item with id '${String(item.id)}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`;
  return { path, message, status: 404, code: null };
}

function requireText(item: JsonObject, key: string, path: string): readonly WireIssue[] {
  const value = item[key];
  if (value === undefined) return [missing(`${path}.${key}`)];
  return typeof value === "string" ? [] : [invalidType(paramOf(`${path}.${key}`), "a string", value)];
}
