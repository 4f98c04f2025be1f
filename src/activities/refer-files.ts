/** Files that a provider keeps, in a history: where they may stand, and what a request has there. */
import type { Dialect, FileSlot, FileSubstitute } from "../core/dialects/dialect.js";
import type { NativeMessage } from "../core/envelope/envelope.js";

type FileDialect = Pick<Dialect, "mapFiles">;

/** By the key of a marker or by an address; data that may cross to a thread. */
export type FileSubstitutes = Readonly<Record<string, FileSubstitute>>;

/** One file of a request and where it stands first. */
export interface FilePlace extends FileSlot {
  /** Its key or its address. */
  readonly id: string;
  /** In the list that is sent. */
  readonly index: number;
}

/** Every file once, in the order of the history. None where the dialect's service keeps no files. */
export function filePlaces(dialect: FileDialect, messages: readonly NativeMessage[]): readonly FilePlace[] {
  const places = new Map<string, FilePlace>();
  for (const [index, message] of messages.entries()) {
    dialect.mapFiles?.(message, (slot) => {
      const id = idOf(slot);
      if (id !== undefined && !places.has(id)) places.set(id, { ...slot, id, index });
      return undefined;
    });
  }
  return [...places.values()];
}

/** The messages of a request with what was found for each file in its place. */
export function referFiles(
  dialect: FileDialect,
  messages: readonly NativeMessage[],
  substitutes: FileSubstitutes | undefined,
): readonly NativeMessage[] {
  const { mapFiles } = dialect;
  if (mapFiles === undefined || substitutes === undefined) return messages;
  return messages.map((message) =>
    mapFiles(message, (slot) => {
      const id = idOf(slot);
      return id !== undefined && Object.hasOwn(substitutes, id) ? substitutes[id] : undefined;
    }),
  );
}

function idOf({ key, uri }: FileSlot): string | undefined {
  return key ?? uri;
}
