/** Whether files can go with a message, told before anything is sent or started. */
import type { FileReader } from "../core/dialects/check-attachment.js";
import { endpointAttachments } from "../providers/endpoint-attachments.js";
import { type AttachedFile, inspectFiles } from "./attach-files.js";

export type { FileReader } from "../core/dialects/check-attachment.js";

/** @throws what `attachFiles` throws for the files; nothing is stored. */
export async function checkFiles(
  files: readonly AttachedFile[],
  { cwd, reader }: { readonly cwd: string; readonly reader?: FileReader | undefined },
): Promise<void> {
  await inspectFiles(files, {
    cwd,
    reader: reader === undefined ? undefined : { endpoints: endpointAttachments(process.env), ...reader },
  });
}
