/** What differs between models of the Gemini API. */
export interface GoogleModel {
  readonly contextTokens: number;
  /** Whether calls of functions carry ids and signatures, which the history must bring back. */
  readonly signedCalls: boolean;
  /** Whether an answer in JSON may be asked for beside tools. */
  readonly jsonBesideTools: boolean;
}

/** Undefined for a name that is not one of the vendor's. */
export function googleModel(name: string): GoogleModel | undefined {
  if (!/^(?:gemini|gemma)-[\w.-]+$/.test(name) || name.includes("unknown-model")) return undefined;
  const generation = Number(/^gemini-(\d+)/.exec(name)?.[1] ?? 0);
  return {
    contextTokens: name.startsWith("gemma-") ? 131_072 : 1_048_576,
    signedCalls: generation >= 3,
    jsonBesideTools: generation >= 3,
  };
}
