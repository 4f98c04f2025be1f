/** The tool calls a user asks for in words: `use the NAME tool`, `call NAME with {json}`. */
import { isJsonObject, type JsonObject } from "../core/json.js";
import { exampleValue } from "./example-value.js";
import type { RequestFacts, ToolOffer } from "./request-facts.js";
import type { ScriptedToolCall } from "./script.js";

/** In the order of the text. Empty once results stand after the question: then the reply is text. */
export function requestedToolCalls(facts: RequestFacts): readonly ScriptedToolCall[] {
  if (facts.newToolResults.length > 0) return [];
  const found = facts.tools.flatMap((tool) =>
    requestsOf(facts.lastUserText, tool.name)
      // One tool is called once, or as often as arguments are given.
      .filter(({ rest }, index) => index === 0 || givenArguments(rest) !== undefined)
      .map(({ rest, at }) => ({ at, call: { name: tool.name, arguments: argumentsFor(tool, rest, facts) } })),
  );
  return found.toSorted((a, b) => a.at - b.at).map(({ call }) => call);
}

function requestsOf(text: string, name: string): readonly { readonly at: number; readonly rest: string }[] {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const request = new RegExp(
    `\\b(?:use|call|and)\\s+(?:the\\s+)?(?:tool\\s+)?[\`"“']?${escaped}(?![A-Za-z0-9_-])`,
    "gi",
  );
  return [...text.matchAll(request)].map(({ 0: match, index }) => ({
    at: index,
    rest: text.slice(index + match.length),
  }));
}

function argumentsFor(tool: ToolOffer, rest: string, facts: RequestFacts): JsonObject {
  const given = givenArguments(rest);
  if (given !== undefined) return given;
  const example = exampleValue(tool.schema, { words: facts.lastUserText, root: tool.schema });
  return isJsonObject(example) ? example : {};
}

function givenArguments(rest: string): JsonObject | undefined {
  const given = /^[^{]{0,20}\bwith\s*(?=\{)/i.exec(rest);
  return given === null ? undefined : firstObject(rest.slice(given[0].length));
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
