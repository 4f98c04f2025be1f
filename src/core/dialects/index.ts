/** The table of dialects. */
import type { DialectName, ProviderName } from "../providers.js";
import { dialectOf } from "../providers.js";
import { anthropic } from "./anthropic/index.js";
import type { Dialect } from "./dialect.js";
import { fireworks } from "./fireworks/index.js";
import { google } from "./google/index.js";
import { openai } from "./openai/index.js";

export const DIALECTS: Readonly<Record<DialectName, Dialect>> = { anthropic, openai, google, fireworks };

/** The dialect in which a provider's histories are written. */
export function dialectFor(provider: ProviderName): Dialect {
  return DIALECTS[dialectOf(provider)];
}
