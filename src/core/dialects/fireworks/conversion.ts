/** Both halves of the conversion of Chat Completions histories. */
import type { DialectConversion } from "../pivot.js";
import { addSystem } from "./add-system.js";
import { readHistory } from "./read-history.js";
import { writeHistory } from "./write-history.js";

/** Ids may hold any text but half a character: those that models make (`functions.read:0`) stay as they are unless they repeat. */
export const conversion: DialectConversion = {
  readHistory,
  writeHistory,
  addSystem,
  systemInFront: true,
  callIds: { pattern: /^\P{Cs}+$/u, maxLength: 512, toolNamePattern: /^[A-Za-z0-9_-]{1,64}$/ },
};
