/** Work on more than this is done in a thread, so that the loop which beats is not kept from it (ACT-61). */
export const HEAVY_BYTES: number = 1024 * 1024;
