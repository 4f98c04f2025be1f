/** Whether a provider takes a file: its type, and the limits that can be told of one file alone. */

import { base64Length } from "../media/base64.js";
import { MEDIA_LIMITS, type MediaLimits, MOST_FILE_BYTES } from "../media/limits.js";
import { mediaKind } from "../media/media-kind.js";
import { bareMimeType } from "../media/mime.js";
import {
  type AttachmentReader,
  attachmentTypes,
  providersTaking,
  takesAttachment,
} from "./attachment-types.js";

/** Who is to read the files. */
export interface FileReader extends AttachmentReader {
  readonly model: string;
}

/** What is known of a file; what is undefined is not checked. */
export interface AttachmentFacts {
  readonly name: string;
  readonly mime_type: string;
  readonly size_bytes: number;
  /** Pixels of an image's longer side. */
  readonly pixels?: number | undefined;
  readonly pages?: number | undefined;
}

/** Why a turn is refused for its files: one line that names file, limit and the way on. */
export interface AttachmentRefusal {
  readonly reason: "attachment" | "too_large";
  readonly error: string;
}

/** Undefined where nothing that is known speaks against it. */
export function attachmentRefusal(file: AttachmentFacts, reader: FileReader): AttachmentRefusal | undefined {
  const { provider, endpoints } = reader;
  if (!takesAttachment(provider, file.mime_type, endpoints)) return wrongType(file, reader);
  return tooLarge(file, reader);
}

function wrongType(
  { name, mime_type }: AttachmentFacts,
  { provider, model, endpoints }: FileReader,
): AttachmentRefusal {
  const takers = providersTaking(mime_type, endpoints).join(", ");
  const others = takers === "" ? "No provider takes this type" : `${mime_type} is taken by ${takers}`;
  const types = attachmentTypes(provider, endpoints).join(", ");
  const error = `${model} does not take ${name} (${mime_type}): it takes ${types}. ${others}. Leave the file out, convert it, or use another model.`;
  return { reason: "attachment", error };
}

function tooLarge(file: AttachmentFacts, reader: FileReader): AttachmentRefusal | undefined {
  const found = firstExceeded(file, reader);
  if (found === undefined) return undefined;
  const [has, most] = found;
  const error = `${file.name} (${file.mime_type}) has ${has}, and ${reader.model} (${reader.provider}) takes at most ${most}. Attach a smaller one, or leave it out.`;
  return { reason: "too_large", error };
}

/** A measure that a file has too much of, and the most that is taken. */
type Excess = readonly [has: string, most: string];

function firstExceeded(file: AttachmentFacts, reader: FileReader): Excess | undefined {
  const limits = MEDIA_LIMITS[reader.provider];
  const { size_bytes, mime_type } = file;
  const most = limits.fileBytes ?? MOST_FILE_BYTES;
  if (size_bytes > most) return [bytes(size_bytes), bytes(most)];
  const own =
    mediaKind(mime_type) === "image"
      ? imageExcess(file, limits)
      : bareMimeType(mime_type) === "application/pdf"
        ? pdfExcess(file, limits, reader.model)
        : undefined;
  return own ?? requestExcess(base64Length(size_bytes), limits);
}

function imageExcess({ size_bytes, pixels }: AttachmentFacts, limits: MediaLimits): Excess | undefined {
  const encoded = base64Length(size_bytes);
  const { imageBase64 = Number.POSITIVE_INFINITY, imagePixels = Number.POSITIVE_INFINITY } = limits;
  if (encoded > imageBase64) return [`${bytes(encoded)} as base64`, bytes(imageBase64)];
  if (pixels === undefined || pixels <= imagePixels) return undefined;
  return [`a side of ${pixels} pixels`, `${imagePixels} pixels`];
}

function pdfExcess(
  { size_bytes, pages }: AttachmentFacts,
  limits: MediaLimits,
  model: string,
): Excess | undefined {
  const { pdfBytes = Number.POSITIVE_INFINITY } = limits;
  if (size_bytes > pdfBytes) return [bytes(size_bytes), bytes(pdfBytes)];
  const most = limits.pdfPages?.find(([family]) => family.test(model))?.[1];
  if (pages === undefined || most === undefined || pages <= most) return undefined;
  return [`${pages} pages`, `${most} pages`];
}

function requestExcess(encoded: number, limits: MediaLimits): Excess | undefined {
  if (limits.uploadsFiles === true) return undefined;
  const most = Math.min(
    limits.totalBase64 ?? Number.POSITIVE_INFINITY,
    limits.requestBytes ?? Number.POSITIVE_INFINITY,
  );
  return encoded > most ? [`${bytes(encoded)} as base64`, `${bytes(most)} in a request`] : undefined;
}

/** A size as people read it, with its exact number where rounding would hide the difference. */
export function bytes(count: number): string {
  const unit =
    count < 1_000_000 ? `${(count / 1_000).toFixed(1)} kB` : `${(count / 1_000_000).toFixed(1)} MB`;
  return `${unit} (${count} bytes)`;
}
