/** Gemini's half of every conversion. */
import type { DialectConversion } from "../pivot.js";
import { withFileBytes } from "./file-bytes.js";
import { readHistory } from "./read-history.js";
import { writeHistory } from "./write-history.js";

export const conversion: DialectConversion = {
  readHistory,
  writeHistory,
  withFileBytes,
  callIds: {
    // The wire says nothing of ids but that they are text: half a character is none.
    pattern: /^\P{Cs}+$/u,
    maxLength: 512,
    toolNamePattern: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/,
  },
};
