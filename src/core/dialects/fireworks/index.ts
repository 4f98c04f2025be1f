/** The dialect of Chat Completions, as Fireworks and OpenAI-compatible servers speak it. */
import type { Dialect } from "../dialect.js";
import { finishReason } from "./finish-reason.js";
import { hasToolResults, openToolCalls, outputText, startsTurn } from "./from-wire.js";
import { withMediaText } from "./media-text.js";
import { userMessage } from "./to-wire.js";
import { toolDefinitions, toolResultMessages, withFreeToolChoice } from "./tools.js";
import { usage } from "./usage.js";
import { checkMessage, mapMedia } from "./wire.js";
import { IMAGE_TYPES, WEBP } from "./write-parts.js";

export const fireworks: Dialect = {
  name: "fireworks",
  capabilities: {
    endpoint: "chat-completions",
    // A conversion passes WebP on, which Fireworks' list does not name; what is new is not begun with it.
    attachments: IMAGE_TYPES.filter((type) => type !== WEBP),
    alsoInHistory: [WEBP, "video/*"],
    systemInHistory: true,
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
