/** Each dialect's own view of the media that no request could send. Apart from the dialects: no workflow needs it. */
import type { NativeMessage } from "../envelope/envelope.js";
import type { DialectName } from "../providers.js";
import { impossibleMedia as anthropic } from "./anthropic/impossible-media.js";
import { impossibleMedia as fireworks } from "./fireworks/impossible-media.js";
import { impossibleMedia as google } from "./google/impossible-media.js";
import type { ImpossibleMedium } from "./impossible-media.js";
import { impossibleMedia as openai } from "./openai/impossible-media.js";

const READERS: Readonly<Record<DialectName, (message: NativeMessage) => readonly ImpossibleMedium[]>> = {
  anthropic,
  openai,
  google,
  fireworks,
};

/** The media of the message for which its service would refuse every request. */
export function impossibleParts(dialect: DialectName, message: NativeMessage): readonly ImpossibleMedium[] {
  return READERS[dialect](message);
}
