/** How large an image is, from the beginning of its bytes. */

/** Enough for a picture's header behind the longest notes that cameras write. */
export const IMAGE_HEAD_BYTES: number = 512 * 1024;

/** Pixels of the longer side; undefined for what is no image, or one whose size its head does not tell. */
export async function longerSide(head: Uint8Array): Promise<number | undefined> {
  const { imageSize } = await import("image-size");
  try {
    const { width, height } = imageSize(head);
    return Math.max(width, height);
  } catch {
    return undefined;
  }
}
