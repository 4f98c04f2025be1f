/** What a turn ended with: the text of the model's last answer, without what it said between rounds of tools. */
import type { NativeMessage } from "../envelope/envelope.js";
import type { Dialect } from "./dialect.js";

export function answerText(
  dialect: Pick<Dialect, "hasToolResults" | "outputText">,
  messages: readonly NativeMessage[],
): string {
  const lastResults = messages.findLastIndex((message) => dialect.hasToolResults(message));
  return dialect.outputText(messages.slice(lastResults + 1));
}
