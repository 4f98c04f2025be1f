/** The dialect of Gemini's generateContent. */
import type { Dialect } from "../dialect.js";
import { mapFiles } from "./files.js";
import { finishReason } from "./finish-reason.js";
import { hasToolResults, openToolCalls, outputText, startsTurn } from "./from-wire.js";
import { withMediaText } from "./media-text.js";
import { userMessage } from "./to-wire.js";
import { toolDefinitions, toolResultMessages, withFreeToolChoice } from "./tools.js";
import { usage } from "./usage.js";
import { checkMessage, mapMedia } from "./wire.js";

export const google: Dialect = {
  name: "google",
  capabilities: {
    endpoint: "google-generate-content",
    attachments: [
      "image/png",
      "image/jpeg",
      "image/webp",
      "image/heic",
      "image/heif",
      "application/pdf",
      "text/*",
      "application/json",
      "application/rtf",
      "audio/*",
      "video/*",
    ],
    systemInHistory: false,
  },
  checkMessage,
  mapMedia,
  withMediaText,
  mapFiles,
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
