/** Ids and names of tool calls, made valid for a target: deterministic, unique over the whole history, never too long. */
import { sha256Hex } from "../hash.js";
import type { CallIdRule } from "./pivot.js";

/** What a made id may keep of the old one, so that `_` and eight hex digits still fit into 64. */
const KEPT_CHARACTERS = 55;
const HASH_CHARACTERS = 8;

/** Hands out ids in the order of the history, so that what is appended later never changes an earlier one. */
export class CallIds {
  readonly #rule: CallIdRule;
  /** Ids that were given as they came: each of them once. */
  readonly #kept = new Set<string>();
  readonly #taken = new Set<string>();
  /** Of ids and names that were not kept, or came again. */
  readonly #uses = new Map<string, number>();

  constructor(rule: CallIdRule) {
    this.#rule = rule;
  }

  /** From here on these are taken too: they stand in a part of the history that is not written anew. */
  reserve(ids: Iterable<string>): void {
    for (const id of ids) this.#taken.add(id);
  }

  /** The id itself where the target takes it and it has not been used, else one made from it (or from the name). */
  assign(id: string | null, name: string): string {
    if (id !== null && this.#takes(id) && !this.#isUsed(id)) {
      if (this.#uses.has(id)) this.#uses.set(id, (this.#uses.get(id) ?? 0) + 1);
      this.#kept.add(id);
      return id;
    }
    return this.#made(id, id ?? name);
  }

  #takes(id: string): boolean {
    return id !== "" && id.length <= this.#rule.maxLength && this.#rule.pattern.test(id);
  }

  #isUsed(id: string): boolean {
    return this.#kept.has(id) || (this.#taken.size > 0 && this.#taken.has(id));
  }

  #made(id: string | null, source: string): string {
    const use = (this.#uses.get(source) ?? (this.#kept.has(source) ? 1 : 0)) + 1;
    this.#uses.set(source, use);
    for (let salt = 0; ; salt++) {
      const hash = sha256Hex(`${source}#${use}${salt === 0 ? "" : `#${salt}`}`).slice(0, HASH_CHARACTERS);
      const stem =
        id === null || id === "" ? "call" : id.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, KEPT_CHARACTERS);
      const made = `${stem}_${hash}`;
      if (this.#isUsed(made)) continue;
      this.#taken.add(made);
      return made;
    }
  }
}

/** Tool names that the target takes; two names never become one. */
export class ToolNames {
  readonly #pattern: RegExp;
  readonly #names = new Map<string, string>();
  readonly #taken = new Set<string>();

  constructor({ toolNamePattern }: CallIdRule) {
    this.#pattern = toolNamePattern;
  }

  assign(name: string): string {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const fits = this.#pattern.test(name);
    const plain = fits ? name : name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64);
    const unique =
      this.#taken.has(plain) || plain === ""
        ? `${plain.slice(0, KEPT_CHARACTERS)}_${sha256Hex(name).slice(0, HASH_CHARACTERS)}`
        : plain;
    this.#names.set(name, unique);
    this.#taken.add(unique);
    return unique;
  }
}
