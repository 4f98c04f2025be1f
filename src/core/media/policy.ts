/** Which policy a save follows, and up to which size `auto` writes the bytes of a provider's file into the media table. */
import type { AgentSpec } from "../agent.js";
import type { MediaPolicy, MediaPolicyOption } from "../envelope/envelope.js";
import { UsageError } from "../errors/errors.js";

export const MEDIA_POLICY_OPTIONS: readonly MediaPolicyOption[] = ["auto", "inline", "externalize", "strip"];

/** Bytes of one part in the media table under `auto`: 8 MiB. */
export const DEFAULT_MAX_INLINE_BYTES: number = 8 * 1024 * 1024;

/** `auto` externalizes where a store is configured: the agent's, or the save's. The working store never counts. */
export function resolveMediaPolicy(
  option: MediaPolicyOption | undefined,
  storeConfigured: boolean,
): MediaPolicy {
  if (option !== undefined && option !== "auto") return option;
  return storeConfigured ? "externalize" : "inline";
}

/** What is asked of one save. What it leaves out is the agent's. */
export interface SaveOptions {
  readonly media?: MediaPolicyOption;
  /** Whether the save names a store of its own. */
  readonly hasStore?: boolean;
  readonly maxInlineBytes?: number | null;
}

/** How a save writes media. */
export interface SavePlan {
  readonly policy: MediaPolicy;
  /** Decoded bytes of one part in the media table; null: no limit. */
  readonly maxInlineBytes: number | null;
}

type AgentMedia = Pick<AgentSpec, "media_policy" | "media_store" | "media_max_inline_bytes">;

/** An explicit `inline` writes everything: the limit is one of `auto`. */
export function savePlan(
  agent: AgentMedia | string | null,
  { media, hasStore = false, maxInlineBytes }: SaveOptions,
): SavePlan {
  const own: AgentMedia = typeof agent === "object" && agent !== null ? agent : {};
  const option = media ?? own.media_policy ?? "auto";
  const policy = resolveMediaPolicy(option, hasStore || own.media_store !== undefined);
  const asked = maxInlineBytes === undefined ? own.media_max_inline_bytes : maxInlineBytes;
  const limit = asked === undefined ? DEFAULT_MAX_INLINE_BYTES : asked;
  return { policy, maxInlineBytes: option === "auto" ? limit : null };
}

/** @throws UsageError naming the option, for callers without types. */
export function assertMediaPolicy(
  name: string,
  value: unknown,
): asserts value is MediaPolicyOption | undefined {
  if (value === undefined || MEDIA_POLICY_OPTIONS.includes(value as MediaPolicyOption)) return;
  throw new UsageError(
    `${name} is ${MEDIA_POLICY_OPTIONS.map((option) => `"${option}"`).join(", ")}, not ${JSON.stringify(value)}.`,
  );
}

/** @throws UsageError naming the option. */
export function assertMaxInlineBytes(
  name: string,
  value: unknown,
): asserts value is number | null | undefined {
  if (value === undefined || value === null) return;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return;
  throw new UsageError(`${name} is a whole number of bytes, or null for no limit, not ${String(value)}.`);
}
