/** What a turn is refused for before the provider is called: files that it does not take, and more media than it takes. */
import { IMAGE_HEAD_BYTES, longerSide } from "../connection/measure-image.js";
import { pdfPages } from "../connection/pdf-pages.js";
import {
  type AttachmentRefusal,
  attachmentRefusal,
  type FileReader,
} from "../core/dialects/check-attachment.js";
import {
  type Measure,
  type RequestParts,
  requestMediaRefusal,
} from "../core/dialects/check-request-media.js";
import type { FileMarker } from "../core/envelope/envelope.js";
import { bareMimeType } from "../core/media/mime.js";
import { activityFailure } from "./activity-failure.js";

/** @throws a refusal of the turn that names the file. */
export function assertFilesTaken(files: readonly FileMarker[], reader: FileReader): void {
  for (const file of files) assertNone(attachmentRefusal(file, reader));
}

/** Media are inline here. @throws a refusal of the turn that names the limit, and the file where it is one file's. */
export async function assertRequestTaken(parts: RequestParts, reader: FileReader): Promise<void> {
  assertNone(await requestMediaRefusal(parts, reader, measure));
}

function assertNone(refusal: AttachmentRefusal | undefined): void {
  if (refusal === undefined) return;
  throw activityFailure("turn.refused", refusal.error, { retryable: false, details: [refusal.reason] });
}

const measure: Measure = async ({ mime_type, data }) => {
  const type = bareMimeType(mime_type);
  if (type.startsWith("image/")) {
    const head = data.slice(0, Math.ceil(IMAGE_HEAD_BYTES / 3) * 4);
    return { pixels: await longerSide(Buffer.from(head, "base64")) };
  }
  return type === "application/pdf" ? { pages: await pdfPages(Buffer.from(data, "base64")) } : {};
};
