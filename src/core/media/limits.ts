/** What the services take of media in one request: sizes, counts, pixels, pages. Data only; sources in the decision records. */
import type { ProviderName } from "../providers.js";
import { base64Length } from "./base64.js";

const KB = 1_000;
const MB = 1_000 * KB;
const MIB = 1_024 * 1_024;

/** No provider takes a larger file, whichever way it goes. */
export const MOST_FILE_BYTES: number = 2_000 * MB;

export interface MediaLimits {
  /** Bytes of one file. */
  readonly fileBytes?: number;
  /** Bytes of one image as base64. */
  readonly imageBase64?: number;
  /** Pixels of an image's longer side. */
  readonly imagePixels?: number;
  /** Bytes of one PDF. */
  readonly pdfBytes?: number;
  /** Pages of one PDF, by the name of the model: the first line that fits counts. */
  readonly pdfPages?: readonly (readonly [model: RegExp, pages: number])[];
  /** Images in a request, those of the history included. */
  readonly images?: number;
  /** Base64 of all media in a request. */
  readonly totalBase64?: number;
  /** Bytes of the whole request. */
  readonly requestBytes?: number;
  /** Attached files are uploaded beforehand: the request holds their addresses only. */
  readonly uploadsFiles?: true;
}

/** Anthropic: models with a context of 200,000 tokens take fewer pages. */
const SMALLER_CLAUDE: RegExp =
  /^claude-(?:[123]|instant|haiku-4|sonnet-4(?:-[05](?!\d)|-2025|$)|opus-4(?:-[015](?!\d)|-2025|$))/;

/** A server of one's own has limits that nobody knows here. */
export const MEDIA_LIMITS: Readonly<Record<ProviderName, MediaLimits>> = {
  anthropic: {
    imageBase64: 5 * MIB,
    imagePixels: 8_000,
    pdfPages: [
      [SMALLER_CLAUDE, 100],
      [/^/, 600],
    ],
    images: 100,
    requestBytes: 32 * MIB,
  },
  openai: { fileBytes: 50 * MIB, images: 500, totalBase64: base64Length(50 * MIB) },
  google: {
    fileBytes: MOST_FILE_BYTES,
    pdfBytes: 50 * MIB,
    pdfPages: [[/^/, 1_000]],
    requestBytes: 100 * MIB,
    uploadsFiles: true,
  },
  fireworks: { imageBase64: 5 * MB - 100, images: 30, totalBase64: 10 * MB - 1 },
  compatible: {},
};
