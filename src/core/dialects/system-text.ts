/** System text on the way back: the attic's messages say a part of it already, and what was added since is told beside them. */
import type { ConversionReportEntry, NativeMessage } from "../envelope/envelope.js";
import type { Alignment } from "./alignment.js";
import type { AtticOf } from "./attic.js";
import type { DialectConversion, RepairedEntry } from "./pivot.js";
import { moved } from "./report.js";

/** The attic's as it was, and what was added since. */
export function joinedSystem(kept: string | null, added: string | null): string | null {
  if (added === null || kept === null || kept.trim() === "") return added ?? kept;
  return `${kept}\n\n${added}`;
}

/** Whether the attic itself gives back the message in front, where a list has its system text. */
export function hasHead({ units }: AtticOf): boolean {
  return units[0]?.from === 0;
}

/** The system text of a present list, looked at as it passes by. */
export class PassingSystem {
  /** What stood where the attic's messages stand now. */
  readonly before: string[] = [];
  /** What is to be added to the attic's own head. */
  readonly later: string[] = [];
  readonly report: ConversionReportEntry[] = [];

  /** The entries without the system text that the attic says, `inFront` also without what was added since. */
  *beside(
    entries: Iterable<RepairedEntry>,
    upto: number,
    target: { readonly inPlace: boolean; readonly inFront: boolean },
  ): Generator<RepairedEntry, void, undefined> {
    for (const entry of entries) {
      if (entry.kind !== "system") {
        yield entry;
        continue;
      }
      const isBefore = entry.origin.index < upto;
      if (isBefore) this.before.push(entry.text);
      if (target.inPlace || (!isBefore && !target.inFront)) yield entry;
      else if (!isBefore) {
        this.later.push(entry.text);
        this.report.push(moved("system", entry.origin, "to the leading system message"));
      }
    }
  }
}

/** System texts in a native list. */
export function systemIn(
  conversion: DialectConversion,
  messages: readonly NativeMessage[],
): readonly string[] {
  const { entries } = conversion.readHistory(messages);
  return entries.flatMap((entry) => (entry.kind === "system" ? [entry.text] : []));
}

/** What of these texts is not among the told ones, paragraph by paragraph: on its way, text was put together and taken apart. */
export function untold(texts: readonly (string | null)[], told: readonly (string | null)[]): string | null {
  const left = new Map<string, number>();
  for (const paragraph of paragraphsOf(told))
    left.set(paragraph.trim(), (left.get(paragraph.trim()) ?? 0) + 1);
  const added = paragraphsOf(texts).filter((paragraph) => {
    const count = left.get(paragraph.trim()) ?? 0;
    left.set(paragraph.trim(), count - 1);
    return count <= 0;
  });
  const text = added.join("\n\n");
  return text.trim() === "" ? null : text;
}

function paragraphsOf(texts: readonly (string | null)[]): readonly string[] {
  const paragraphs = texts.flatMap((text) => (text ?? "").toWellFormed().split(/\n{2,}/));
  return paragraphs.filter((paragraph) => paragraph.trim() !== "");
}

/** An alignment whose right list has one message more at a place, which belongs to what follows, but at the end to what comes before. */
export function shifted(alignment: Alignment, [left, right]: readonly [number, number]): Alignment {
  const last = alignment.length - 1;
  return alignment.map(([one, other], at) =>
    other > right || one > left || (at === last && at > 0) ? [one, other + 1] : [one, other],
  );
}
