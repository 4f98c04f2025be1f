/** The SDKs' own time-out. A call is bounded by its signal, at 15 minutes at most; this only has to be above that. */
export const SDK_TIMEOUT_MS: number = 16 * 60 * 1000;
