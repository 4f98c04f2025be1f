/** System text that joins a list of chat messages later: in the one system message, which stands in front. */
import type { JsonObject, JsonValue } from "../../json.js";

export function addSystem(
  messages: readonly JsonObject[],
  text: string,
): { readonly messages: readonly JsonObject[]; readonly inserted: number | undefined } {
  const said = text.toWellFormed();
  const first = messages.findIndex(({ role }) => role !== "system" && role !== "developer");
  const last = (first === -1 ? messages.length : first) - 1;
  const head = messages[last];
  if (head === undefined) return { messages: [{ role: "system", content: said }, ...messages], inserted: 0 };
  return {
    messages: messages.with(last, { ...head, content: joined(head.content, said) }),
    inserted: undefined,
  };
}

function joined(content: JsonValue | undefined, text: string): JsonValue {
  // Parts are read as lines: a blank one sets the new text apart, as it does in a string.
  if (Array.isArray(content))
    return [...(content as readonly JsonValue[]), { type: "text", text: `\n${text}` }];
  return typeof content === "string" && content.trim() !== "" ? `${content}\n\n${text}` : text;
}
