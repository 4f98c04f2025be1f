/** The conversion of every dialect. */
import type { DialectName } from "../providers.js";
import { conversion as anthropic } from "./anthropic/conversion.js";
import { conversion as fireworks } from "./fireworks/conversion.js";
import { conversion as google } from "./google/conversion.js";
import { conversion as openai } from "./openai/conversion.js";
import type { DialectConversion } from "./pivot.js";

export const CONVERSIONS: Readonly<Record<DialectName, DialectConversion>> = {
  anthropic,
  openai,
  google,
  fireworks,
};
