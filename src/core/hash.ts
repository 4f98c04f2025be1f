/** Hashes over text and JSON, pure: the same in Node, in a browser and (though it is not used there) in the sandbox. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import canonicalize from "canonicalize";
import type { AgentContext, Root } from "./conversation/activity-contract.js";
import { isJsonObject, type JsonValue } from "./json.js";

/** Hex SHA-256 of a text's UTF-8. */
export function sha256Hex(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

/** A SHA-256 under way. A host may bring a faster one than that of this package. */
export interface Sha256 {
  update(text: string): void;
  hex(): string;
}

export function portableSha256(): Sha256 {
  const hash = sha256.create();
  return {
    update: (text) => void hash.update(utf8ToBytes(text)),
    hex: () => bytesToHex(hash.digest()),
  };
}

const SLICE_CHARACTERS: number = 1024 * 1024;

/** Slices of a text that is never copied whole. No pair of surrogates is cut in two. */
export function* slicesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = Math.min(text.length, start + SLICE_CHARACTERS);
    const cutsPair = end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
    yield text.slice(start, cutsPair ? end - 1 : end);
    start = cutsPair ? end - 1 : end;
  }
}

/**
 * JSON in its canonical form (RFC 8785): keys sorted, no white space. Lone surrogates, for which the RFC has no form,
 * count as U+FFFD: a text that holds one can still be hashed.
 */
export function canonicalJson(value: unknown): string {
  try {
    return canonicalize(value) ?? "null";
  } catch {
    return canonicalize(wellFormed(value)) ?? "null";
  }
}

function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key.toWellFormed(), wellFormed(member)]),
  );
}

/** The root of an empty history. */
export const EMPTY_ROOT: Root = { count: 0, digest: sha256Hex("holdfast:history") };

/** The root after more messages: a hash chain, so that a history is known by 64 characters and extended without it. */
export function extendRoot(root: Root, messages: readonly JsonValue[]): Root {
  let digest = root.digest;
  for (const message of messages) digest = sha256Hex(digest + JSON.stringify(message));
  return { count: root.count + messages.length, digest };
}

/** The digest under which an agent's context is cached by workers. */
export function agentDigest(context: AgentContext): string {
  return sha256Hex(canonicalJson(context));
}
