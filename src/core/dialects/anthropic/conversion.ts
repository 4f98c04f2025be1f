/** Anthropic's half of every conversion. */
import type { DialectConversion } from "../pivot.js";
import { readHistory } from "./read-history.js";
import { writeHistory } from "./write-history.js";

export const conversion: DialectConversion = {
  readHistory,
  writeHistory,
  callIds: {
    pattern: /^[A-Za-z0-9_-]+$/,
    maxLength: 64,
    toolNamePattern: /^[A-Za-z0-9_-]{1,64}$/,
  },
};
