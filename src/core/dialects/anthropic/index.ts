/** The dialect of Anthropic's Messages. */
import type { Dialect } from "../dialect.js";
import { finishReason } from "./finish-reason.js";
import { hasToolResults, openToolCalls, outputText, startsTurn } from "./from-wire.js";
import { withMediaText } from "./media-text.js";
import { userMessage } from "./to-wire.js";
import { toolDefinitions, toolResultMessages, withFreeToolChoice } from "./tools.js";
import { usage } from "./usage.js";
import { checkMessage, mapMedia } from "./wire.js";

export const anthropic: Dialect = {
  name: "anthropic",
  capabilities: {
    endpoint: "anthropic-messages",
    attachments: [
      ...["image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf", "text/*"],
      // As text, which is all that the wire has for them.
      ...["application/json", "application/xml"],
    ],
    systemInHistory: false,
  },
  checkMessage,
  mapMedia,
  withMediaText,
  userMessage,
  toolDefinitions,
  toolResultMessages,
  withFreeToolChoice,
  hasToolResults,
  startsTurn,
  outputText,
  openToolCalls,
  usage,
  finishReason,
};
