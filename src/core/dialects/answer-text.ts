/** What a turn ended with: the text of the model's last answer, without what it said before results of tools or before it was sent back. */
import type { NativeMessage } from "../envelope/envelope.js";
import type { Dialect } from "./dialect.js";

export function answerText(
  dialect: Pick<Dialect, "hasToolResults" | "startsTurn" | "outputText">,
  messages: readonly NativeMessage[],
): string {
  const lastAsked = messages.findLastIndex(
    (message) => dialect.hasToolResults(message) || dialect.startsTurn(message),
  );
  return dialect.outputText(messages.slice(lastAsked + 1));
}
