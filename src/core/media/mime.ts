/** MIME types of the media that models take, and their short extensions. */

/** The first type of an extension is the one it stands for; further ones are other names of it. */
const TYPES: Readonly<Record<string, readonly [string, ...string[]]>> = {
  png: ["image/png", "image/x-png"],
  jpg: ["image/jpeg", "image/jpg", "image/pjpeg"],
  gif: ["image/gif"],
  webp: ["image/webp"],
  bmp: ["image/bmp", "image/x-ms-bmp"],
  tiff: ["image/tiff"],
  heic: ["image/heic"],
  heif: ["image/heif"],
  avif: ["image/avif"],
  svg: ["image/svg+xml"],
  ppm: ["image/x-portable-pixmap"],
  pdf: ["application/pdf", "application/x-pdf"],
  txt: ["text/plain"],
  md: ["text/markdown", "text/x-markdown"],
  csv: ["text/csv"],
  html: ["text/html"],
  json: ["application/json"],
  xml: ["application/xml", "text/xml"],
  rtf: ["application/rtf", "text/rtf"],
  docx: ["application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  xlsx: ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  pptx: ["application/vnd.openxmlformats-officedocument.presentationml.presentation"],
  wav: ["audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave"],
  mp3: ["audio/mpeg", "audio/mp3", "audio/x-mp3", "audio/mpeg3"],
  m4a: ["audio/mp4", "audio/x-m4a", "audio/m4a"],
  aac: ["audio/aac"],
  ogg: ["audio/ogg", "application/ogg"],
  opus: ["audio/opus"],
  flac: ["audio/flac", "audio/x-flac"],
  aiff: ["audio/aiff", "audio/x-aiff"],
  weba: ["audio/webm"],
  mp4: ["video/mp4"],
  mov: ["video/quicktime", "video/mov"],
  webm: ["video/webm"],
  mpeg: ["video/mpeg", "video/mpg"],
  avi: ["video/x-msvideo", "video/avi"],
  flv: ["video/x-flv"],
  wmv: ["video/x-ms-wmv", "video/wmv"],
  "3gp": ["video/3gpp"],
};

const OTHER_EXTENSIONS: Readonly<Record<string, string>> = {
  jpeg: "jpg",
  tif: "tiff",
  markdown: "md",
  htm: "html",
  text: "txt",
  log: "txt",
  mpg: "mpeg",
  aif: "aiff",
  oga: "ogg",
};

const EXTENSIONS: ReadonlyMap<string, string> = new Map(
  Object.entries(TYPES).flatMap(([extension, types]) => types.map((type) => [type, extension] as const)),
);

/** Stands for bytes of which nothing is known. */
export const UNKNOWN_MIME_TYPE = "application/octet-stream";

/** The type without parameters, in lower case: `text/plain; charset=utf-8` is `text/plain`. */
export function bareMimeType(mimeType: string): string {
  return (mimeType.split(";", 1)[0] ?? "").trim().toLowerCase();
}

/** The short extension of a type, without a dot; `bin` for a type that is not in the table. */
export function extensionOf(mimeType: string): string {
  return EXTENSIONS.get(bareMimeType(mimeType)) ?? "bin";
}

/** The type that a file name's extension (with or without the dot) stands for, or undefined. */
export function mimeTypeOfExtension(extension: string): string | undefined {
  const bare = extension.replace(/^\./, "").toLowerCase();
  const known = OTHER_EXTENSIONS[bare] ?? bare;
  return Object.hasOwn(TYPES, known) ? TYPES[known]?.[0] : undefined;
}
