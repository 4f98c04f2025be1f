/**
 * Media stores: where the bytes of attachments lie under their SHA-256.
 *
 * @module holdfast/media-stores
 */
export type {
  LeftoverOptions,
  MediaStore,
  MediaStoreCallOptions,
  PutStreamOptions,
  StoredBlob,
  StoredLeftover,
} from "../core/media/media-store.js";
export { BlobDamagedError } from "./blob-damaged-error.js";
export { DirectoryMediaStore } from "./directory-media-store.js";
export { getInto } from "./get-into.js";
export { MediaStoreUnavailableError } from "./media-store-unavailable-error.js";
export { MemoryMediaStore } from "./memory-media-store.js";
export { putFrom } from "./put-from.js";
export { type S3Client, S3MediaStore, type S3MediaStoreOptions } from "./s3-media-store.js";
export { streamFrom } from "./stream-from.js";
