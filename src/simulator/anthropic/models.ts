/** What differs between models of the Messages API. */
export interface AnthropicModel {
  readonly name: string;
  readonly contextTokens: number;
  readonly maximumPdfPages: number;
  /** Whether a history may end with the assistant's own words. */
  readonly prefill: boolean;
  /** Whether messages of the role `system` may stand in the history. */
  readonly systemMessages: boolean;
  readonly adaptiveThinking: boolean;
  /** Whether the answer's schema may be given. */
  readonly structuredOutput: boolean;
}

const EARLIER: Omit<AnthropicModel, "name"> = {
  contextTokens: 200_000,
  maximumPdfPages: 100,
  prefill: true,
  systemMessages: false,
  adaptiveThinking: false,
  structuredOutput: true,
};
const CURRENT: Omit<AnthropicModel, "name"> = {
  contextTokens: 1_000_000,
  maximumPdfPages: 600,
  prefill: false,
  systemMessages: true,
  adaptiveThinking: true,
  structuredOutput: true,
};
const EARLIER_NAMES: RegExp =
  /^claude-(?:[123]|instant|haiku-4|sonnet-4(?:-[05](?!\d)|-2025|$)|opus-4(?:-[015](?!\d)|-2025|$))/;

const BEFORE_STRUCTURED_OUTPUT: RegExp = /^claude-(?:[123]|instant|(?:opus|sonnet)-4(?:-0)?(?:-20\d{6})?$)/;

/** Undefined for a name that is not one of the vendor's. */
export function anthropicModel(name: string): AnthropicModel | undefined {
  if (!/^claude-[a-z0-9][a-z0-9.@-]*$/.test(name) || name.includes("unknown-model")) return undefined;
  const model = EARLIER_NAMES.test(name) ? EARLIER : CURRENT;
  return { name, ...model, structuredOutput: !BEFORE_STRUCTURED_OUTPUT.test(name) };
}
