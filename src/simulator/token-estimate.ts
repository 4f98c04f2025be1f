/** A deterministic guess at tokens: a quarter of the bytes of text, a flat price for media. */
const BYTES_PER_TOKEN = 4;
const TOKENS_PER_IMAGE = 1_500;
const TOKENS_PER_PDF_PAGE = 2_000;
const BYTES_PER_PDF_PAGE = 50_000;
/** Sound and film are counted by the second, at the bit rate of a common recording. */
const AUDIO = { tokens: 32, bytes: 16_000 } as const;
const VIDEO = { tokens: 300, bytes: 125_000 } as const;
const TOKENS_PER_FILE = 1_000;
/** Providers cache no shorter prefix, and count in steps of this many tokens. */
const CACHE_MINIMUM = 1_024;
const CACHE_STEP = 128;

export function countTextTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

export function countMediaTokens(mimeType: string, sizeBytes: number): number {
  if (mimeType === "application/pdf") {
    return TOKENS_PER_PDF_PAGE * Math.max(1, Math.ceil(sizeBytes / BYTES_PER_PDF_PAGE));
  }
  if (mimeType.startsWith("image/")) return TOKENS_PER_IMAGE;
  const perSecond = mimeType.startsWith("audio/") ? AUDIO : mimeType.startsWith("video/") ? VIDEO : undefined;
  if (perSecond !== undefined) return perSecond.tokens * Math.max(1, Math.ceil(sizeBytes / perSecond.bytes));
  return isText(mimeType) ? Math.ceil(sizeBytes / BYTES_PER_TOKEN) : TOKENS_PER_FILE;
}

const isText = (mimeType: string): boolean => /^text\/|[/+](json|xml|yaml|javascript)$/.test(mimeType);

/** How much of a prefix a prompt cache would serve. */
export function cachedTokens(prefixTokens: number): number {
  return prefixTokens < CACHE_MINIMUM ? 0 : Math.floor(prefixTokens / CACHE_STEP) * CACHE_STEP;
}

/** Decoded size of a base64 text. */
export function base64Bytes(data: string): number {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor((data.length * 3) / 4) - padding);
}
