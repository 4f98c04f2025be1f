/** The places of the source that something was made of, each once, in the order of its pieces. */
import type { Origin } from "./pivot.js";

export function placesOf(pieces: readonly { readonly origin: Origin }[], first?: number): readonly number[] {
  const places: number[] = first === undefined ? [] : [first];
  let seen: Set<number> | undefined;
  for (const { origin } of pieces) {
    if (origin.index === places.at(-1)) continue;
    seen ??= new Set(places);
    if (seen.has(origin.index)) continue;
    seen.add(origin.index);
    places.push(origin.index);
  }
  return places;
}
