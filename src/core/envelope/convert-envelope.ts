/** An envelope under another provider: its history converted, its turns where they were, what did not cross in the report. */
import { placeAfter } from "../dialects/alignment.js";
import { type AtticEntry, readAttic } from "../dialects/attic.js";
import { convertHistory, isPlainText } from "../dialects/convert.js";
import { SessionCompatibilityError } from "../errors/errors.js";
import type { JsonObject } from "../json.js";
import { dialectOf, type ProviderName } from "../providers.js";
import type { Envelope, TurnIndexEntry } from "./envelope.js";

export interface ConversionTarget {
  readonly provider: ProviderName;
  readonly model: string;
}

export interface ConvertEnvelopeOptions {
  /** False: every change of provider is refused, histories of plain text excepted. Default true. */
  readonly convert?: boolean;
}

/**
 * The envelope, continued by another model. Under the same dialect the history is untouched. No I/O: the bytes of text
 * media must have been put in the place of their markers before, or they are reported as dropped.
 *
 * @throws SessionCompatibilityError for a history that cannot be converted, or when conversion is turned off.
 */
export function convertEnvelope(
  envelope: Envelope,
  target: ConversionTarget,
  options: ConvertEnvelopeOptions = {},
): Envelope {
  const { provider, model } = target;
  const [from, to] = [dialectOf(envelope.provider), dialectOf(provider)];
  if (from === to) return { ...envelope, provider, model };
  if (options.convert === false && !isPlainText(from, envelope.messages)) throw turnedOff(envelope, target);
  const converted = convertHistory({
    from,
    to,
    messages: envelope.messages,
    system: envelope.system,
    fromModel: envelope.model,
    toModel: model,
    attic: readAttic(envelope.attic),
    media: envelope.media,
  });
  const place = placeAfter(converted.alignment);
  return {
    ...envelope,
    provider,
    model,
    system: converted.system,
    messages: converted.messages,
    turn_index: envelope.turn_index.map((entry) => movedEntry(entry, place)),
    converted_from: from,
    conversion_report: converted.report,
    attic: converted.attic.map(atticJson),
  };
}

function movedEntry(entry: TurnIndexEntry, place: (index: number) => number): TurnIndexEntry {
  return entry.state === "committed" ? { ...entry, from: place(entry.from), to: place(entry.to) } : entry;
}

function atticJson(entry: AtticEntry): JsonObject {
  return { ...entry };
}

function turnedOff({ provider, model }: Envelope, target: ConversionTarget): SessionCompatibilityError {
  return new SessionCompatibilityError(
    `The history was made under ${provider}:${model} and conversion is turned off, so ${target.provider}:${target.model} cannot continue it: use a model of ${provider}, or allow conversion again, which convert: false, --no-convert or HOLDFAST_CONVERSION=off forbids.`,
  );
}
