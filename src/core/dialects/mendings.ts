/** The mending of every dialect. */
import type { DialectName } from "../providers.js";
import { mending as anthropic } from "./anthropic/mending.js";
import { mending as fireworks } from "./fireworks/mending.js";
import { mending as google } from "./google/mending.js";
import type { DialectMending } from "./mending.js";
import { mending as openai } from "./openai/mending.js";

export const MENDINGS: Readonly<Record<DialectName, DialectMending>> = {
  anthropic,
  openai,
  google,
  fireworks,
};
