/** The dialect of OpenAI's Responses. */
import { mimeTypeOfExtension } from "../../media/mime.js";
import type { Dialect } from "../dialect.js";
import { finishReason } from "./finish-reason.js";
import { hasToolResults, openToolCalls, outputText, startsTurn } from "./from-wire.js";
import { withMediaText } from "./media-text.js";
import { userMessage } from "./to-wire.js";
import { toolDefinitions, toolResultMessages, withFreeToolChoice } from "./tools.js";
import { usage } from "./usage.js";
import { checkMessage, mapMedia } from "./wire.js";

export const openai: Dialect = {
  name: "openai",
  capabilities: {
    endpoint: "openai-responses",
    attachments: [
      ...["image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf", "text/*"],
      ...["application/json", "application/xml", "application/rtf"],
      ...["docx", "xlsx", "pptx"].flatMap((extension) => mimeTypeOfExtension(extension) ?? []),
    ],
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
