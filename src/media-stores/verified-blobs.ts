/** Which blobs this process has seen whole, so that putting one again does not read it each time. */

/** A conversation's attachments many times over; the one seen longest ago is forgotten first. */
const MOST_KNOWN = 10_000;

/** A place and its version say: these bytes, and no others. Whatever changes them changes the version. */
export class VerifiedBlobs {
  readonly #versions = new Map<string, string>();

  has(place: string, version: string | undefined): boolean {
    return version !== undefined && this.#versions.get(place) === version;
  }

  add(place: string, version: string | undefined): void {
    this.#versions.delete(place);
    if (version === undefined) return;
    this.#versions.set(place, version);
    const [oldest] = this.#versions.keys();
    if (this.#versions.size > MOST_KNOWN && oldest !== undefined) this.#versions.delete(oldest);
  }
}
