/** The tool calls a user asks for in words: `use the NAME tool`, `call NAME with {json}`. */
import { isJsonObject, type JsonObject } from "../core/json.js";
import { exampleValue } from "./example-value.js";
import type { RequestFacts, ToolOffer } from "./request-facts.js";
import type { ScriptedToolCall } from "./script.js";

/** Empty once results stand after the question: then the reply is text. */
export function requestedToolCalls(facts: RequestFacts): readonly ScriptedToolCall[] {
  if (facts.newToolResults.length > 0) return [];
  return facts.tools.flatMap((tool) => {
    const rest = textAfterRequest(facts.lastUserText, tool.name);
    return rest === undefined ? [] : [{ name: tool.name, arguments: argumentsFor(tool, rest, facts) }];
  });
}

function textAfterRequest(text: string, name: string): string | undefined {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const request = new RegExp(
    `\\b(?:use|call|and)\\s+(?:the\\s+)?(?:tool\\s+)?[\`"“']?${escaped}(?![A-Za-z0-9_-])`,
    "i",
  );
  const match = request.exec(text);
  return match === null ? undefined : text.slice(match.index + match[0].length);
}

function argumentsFor(tool: ToolOffer, rest: string, facts: RequestFacts): JsonObject {
  const given = /^[^{]{0,20}\bwith\s*(?=\{)/i.exec(rest);
  const parsed = given === null ? undefined : firstObject(rest.slice(given[0].length));
  if (parsed !== undefined) return parsed;
  const example = exampleValue(tool.schema, { words: facts.lastUserText, root: tool.schema });
  return isJsonObject(example) ? example : {};
}

/** The JSON object that the text begins with. */
function firstObject(text: string): JsonObject | undefined {
  for (let end = text.indexOf("}"); end !== -1; end = text.indexOf("}", end + 1)) {
    try {
      const value: unknown = JSON.parse(text.slice(0, end + 1));
      return isJsonObject(value) ? value : undefined;
    } catch {
      // A brace inside the object: try the next one.
    }
  }
  return undefined;
}
