/**
 * Media stores: where the bytes of attachments lie under their SHA-256.
 *
 * @module holdfast/media-stores
 */
export type { MediaStore, MediaStoreCallOptions } from "../core/media/media-store.js";
export { BlobDamagedError } from "./blob-damaged-error.js";
export { DirectoryMediaStore } from "./directory-media-store.js";
export { MemoryMediaStore } from "./memory-media-store.js";
