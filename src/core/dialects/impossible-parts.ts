/** Each dialect's own view of the media that no request could send. Apart from the dialects: no workflow needs it. */
import type { NativeMessage } from "../envelope/envelope.js";
import { type DialectName, dialectOf } from "../providers.js";
import { impossibleMedia as anthropic } from "./anthropic/impossible-media.js";
import type { AttachmentReader } from "./attachment-types.js";
import { impossibleMedia as fireworks } from "./fireworks/impossible-media.js";
import { impossibleMedia as google } from "./google/impossible-media.js";
import type { ImpossibleMedium } from "./impossible-media.js";
import { impossibleMedia as openai } from "./openai/impossible-media.js";

type PartsReader = (message: NativeMessage, reader: AttachmentReader) => readonly ImpossibleMedium[];

const READERS: Readonly<Record<DialectName, PartsReader>> = {
  anthropic,
  openai,
  google,
  fireworks,
};

/** The media of the message for which the service that is to read it would refuse every request. */
export function impossibleParts(
  reader: AttachmentReader,
  message: NativeMessage,
): readonly ImpossibleMedium[] {
  return READERS[dialectOf(reader.provider)](message, reader);
}
