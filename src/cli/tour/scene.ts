/** What the steps of the tour share. */
import type { Screen } from "./screen.js";
import type { TourStack } from "./tour-stack.js";

export interface Scene extends TourStack {
  readonly screen: Screen;
  /** Aborted when the tour is to stop: nothing waits any longer then. */
  readonly signal: AbortSignal;
  /** When the command was typed, in milliseconds since the epoch. */
  readonly began: number;
}

export const CONVERSATION = "contract-review";
export const INSTRUCTIONS = "You review contracts. Be brief.";
export const MODEL: string = "claude-haiku-4-5";
export const NEXT_MODEL: string = "claude-opus-5-5";

export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(1)} s`;
}

export function bytes(count: number): string {
  return `${count.toLocaleString("en-US")} bytes`;
}
