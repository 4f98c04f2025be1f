/** Media that only the attic names: a conversion had no place for them, and the way back needs their bytes. */
import { isUnit, readAttic } from "../dialects/attic.js";
import { DIALECTS, dialectFor } from "../dialects/index.js";
import type { Envelope } from "../envelope/envelope.js";
import { markerPlaces } from "./inline-media.js";

/** Their keys. What the messages name as well is not among them: its bytes stand there. */
export function atticOnlyKeys({
  attic,
  messages,
  provider,
}: Pick<Envelope, "attic" | "messages" | "provider">): readonly string[] {
  const units = readAttic(attic).filter(isUnit);
  if (units.length === 0) return [];
  const named = new Set(markerPlaces(dialectFor(provider), messages).map(({ key }) => key));
  const places = units.flatMap((unit) => markerPlaces(DIALECTS[unit.dialect], unit.messages));
  return [...new Set(places.map(({ key }) => key))].filter((key) => !named.has(key));
}
