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
}

const EARLIER: Omit<AnthropicModel, "name"> = {
  contextTokens: 200_000,
  maximumPdfPages: 100,
  prefill: true,
  systemMessages: false,
  adaptiveThinking: false,
};
const CURRENT: Omit<AnthropicModel, "name"> = {
  contextTokens: 1_000_000,
  maximumPdfPages: 600,
  prefill: false,
  systemMessages: true,
  adaptiveThinking: true,
};
const EARLIER_NAMES: RegExp =
  /^claude-(?:[123]|instant|haiku-4|sonnet-4(?:-[05](?!\d)|-2025|$)|opus-4(?:-[015](?!\d)|-2025|$))/;

/** Undefined for a name that is not one of the vendor's. */
export function anthropicModel(name: string): AnthropicModel | undefined {
  if (!/^claude-[a-z0-9][a-z0-9.@-]*$/.test(name) || name.includes("unknown-model")) return undefined;
  return { name, ...(EARLIER_NAMES.test(name) ? EARLIER : CURRENT) };
}
