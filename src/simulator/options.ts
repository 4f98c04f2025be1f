/** How a simulator is started. */
import type { Pace } from "./script.js";

export interface SimulatorOptions extends Pick<Pace, "chunkDelayMs" | "minimumReplyMs"> {
  /** 0 (the default) takes a free port. It always listens on 127.0.0.1. */
  readonly port?: number;
  /** In place of each model's own context length, to reach the limit with a small request. */
  readonly contextTokens?: number;
  /** Milliseconds since the epoch, for the expiry of uploaded files. */
  readonly clock?: () => number;
  /** How long an uploaded file is looked at before a model can use it, by the clock, and whether that fails; default: not at all. */
  readonly fileProcessing?: { readonly milliseconds: number; readonly fails?: boolean };
  /** False: parsed requests are not kept in the call records. */
  readonly keepBodies?: boolean;
}
