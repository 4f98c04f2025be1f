/** What a wire's validator finds: pure data, so that property tests can use the validators as the rules of the wire. */
export interface WireIssue {
  /** Where in the body, dotted: `messages.1.content.0.text`. */
  readonly path: string;
  /** The vendor's sentence, as far as it is known. */
  readonly message: string;
  /** 400 when absent. */
  readonly status?: number;
  readonly type?: string;
  readonly code?: string | null;
}

/** Joins steps to a dotted path. */
export function pathOf(...steps: readonly (string | number)[]): string {
  return steps.join(".");
}
