/** Options of the API, checked for callers without types: an unknown one would be passed over in silence. */
import { didYouMean } from "./did-you-mean.js";
import { UsageError } from "./errors/errors.js";

/** Every name that options of this type can have. */
export type OptionNames<T> = { readonly [Name in keyof Required<T>]: true };

/** @throws UsageError for options that are no object, and for one that is not known, with the nearest that is. */
export function assertOptions(call: string, options: unknown, known: Readonly<Record<string, true>>): void {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw new UsageError(`The options of ${call} are an object: { ${Object.keys(known).join(", ")} }.`);
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return;
  const names = Object.keys(known);
  throw new UsageError(
    `${call} has no option ${JSON.stringify(unknown)}${didYouMean(unknown, names) || `: it has ${names.join(", ")}.`}`,
  );
}
