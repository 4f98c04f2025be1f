/** Whether files can go with a message, told before anything is sent or started. */
import { dialectFor } from "../core/dialects/index.js";
import type { FileMarker } from "../core/envelope/envelope.js";
import { UsageError } from "../core/errors/errors.js";
import type { ProviderName } from "../core/providers.js";
import { MemoryMediaStore } from "../media-stores/memory-media-store.js";
import { type AttachedFile, attachFiles } from "./attach-files.js";

/** Who is to read the files. */
export interface FileReader {
  readonly provider: ProviderName;
  readonly model: string;
}

/** @throws what `attachFiles` throws; UsageError for a type that the model does not take. */
export async function checkFiles(
  files: readonly AttachedFile[],
  { cwd, reader }: { readonly cwd: string; readonly reader?: FileReader | undefined },
): Promise<void> {
  const markers = await attachFiles({ mediaStore: new MemoryMediaStore(), cwd }, files);
  if (reader !== undefined) for (const marker of markers) assertTaken(marker, reader);
}

function assertTaken({ mime_type, name }: FileMarker, { provider, model }: FileReader): void {
  const taken = dialectFor(provider).capabilities.attachments;
  if (taken.includes(mime_type) || taken.includes(`${mime_type.split("/")[0]}/*`)) return;
  throw new UsageError(
    `${model} does not take ${name} (${mime_type}): it takes ${taken.join(", ")}. Leave the file out or use another model.`,
  );
}
