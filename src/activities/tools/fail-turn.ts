/** How a tool says that the turn should fail rather than the model hear of it. */

/** Thrown by `failTurn`; known by its `code`, also from another copy of the package. */
export class TurnFailedByTool extends Error {
  readonly code = "TurnFailedByTool";

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = "TurnFailedByTool";
  }
}

/** Ends the turn as interrupted, with `tool.failed` as its type: for what no other answer of the model could mend. */
export function failTurn(message: string, options?: { readonly cause?: unknown }): never {
  throw new TurnFailedByTool(message, options);
}

export function isTurnFailedByTool(error: unknown): boolean {
  return (
    typeof error === "object" && error !== null && (error as { code?: unknown }).code === "TurnFailedByTool"
  );
}
