/** What differs between models of the Responses API. */
export interface OpenaiModel {
  readonly contextTokens: number;
  readonly reasoning: boolean;
  /** Whether assistant messages carry `phase`. */
  readonly phases: boolean;
}

const FAMILIES: readonly (readonly [RegExp, OpenaiModel])[] = [
  [/^gpt-(?:[6-9]|\d\d)/, { contextTokens: 1_050_000, reasoning: true, phases: true }],
  [/^gpt-5\.(?:[3-9]|\d\d)/, { contextTokens: 400_000, reasoning: true, phases: true }],
  [/^gpt-5/, { contextTokens: 400_000, reasoning: true, phases: false }],
  [/^o\d/, { contextTokens: 200_000, reasoning: true, phases: false }],
  [/^gpt-4\.1/, { contextTokens: 1_047_576, reasoning: false, phases: false }],
  [/^(?:gpt-|chatgpt-)/, { contextTokens: 128_000, reasoning: false, phases: false }],
];

/** Undefined for a name that is not one of the vendor's. */
export function openaiModel(name: string): OpenaiModel | undefined {
  if (name.includes("unknown-model")) return undefined;
  return FAMILIES.find(([pattern]) => pattern.test(name))?.[1];
}
