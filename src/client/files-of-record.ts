/** The files of an interrupted turn, to be sent again with its message. */
import type { FileMarker, InterruptedTurn } from "../core/envelope/envelope.js";
import { UsageError } from "../core/errors/errors.js";
import type { MediaStore } from "../core/media/media-store.js";

/** @throws UsageError naming one whose bytes are gone. */
export async function filesOfRecord(
  mediaStore: Pick<MediaStore, "get">,
  record: InterruptedTurn,
): Promise<readonly FileMarker[]> {
  const files = record.files ?? [];
  for (const { marker, name } of files) {
    if ((await mediaStore.get(marker.slice("$media:".length))) === undefined) {
      throw new UsageError(
        `The file ${name} of the interrupted turn is no longer in the working store: resend with \`files\`, or with \`files: []\` to leave it out.`,
      );
    }
  }
  return files;
}
