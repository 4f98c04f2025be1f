/** How large an image is, from the beginning of its bytes. */
import { imageSize } from "image-size";

/** Enough for a picture's header behind the longest notes that cameras write. */
export const IMAGE_HEAD_BYTES: number = 512 * 1024;

/** Pixels of the longer side; undefined for what is no image, or one whose size its head does not tell. */
export function longerSide(head: Uint8Array): number | undefined {
  try {
    const { width, height } = imageSize(head);
    return Math.max(width, height);
  } catch {
    return undefined;
  }
}
