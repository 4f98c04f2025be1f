/** The conversion of Responses histories: its two halves, and what the wire demands of a call. */
import type { DialectConversion } from "../pivot.js";
import { readHistory } from "./read-history.js";
import { developer, writeHistory } from "./write-history.js";

export const conversion: DialectConversion = {
  readHistory,
  writeHistory,
  addSystem: (messages, text, end) => ({
    messages: messages.toSpliced(end, 0, developer(text)),
    inserted: end,
  }),
  // Any text but half a character, which is none.
  callIds: {
    pattern: /^\P{Cs}+$/u,
    maxLength: 64,
    toolNamePattern: /^[A-Za-z0-9_-]{1,64}$/,
    takesCustom: true,
  },
};
