/** What differs between models on Fireworks. */
const CONTEXTS: readonly (readonly [RegExp, number])[] = [
  [/kimi-k2|kimi-k3|qwen3/, 262_144],
  [/deepseek/, 163_840],
  [/llama4/, 1_048_576],
];
const DEFAULT_CONTEXT = 131_072;

/** Undefined for a name that Fireworks does not serve. */
export function fireworksContextTokens(name: string): number | undefined {
  if (!/^accounts\/[\w-]+\/(?:models|deployments|routers)\/[\w.-]+(?:#[\w./-]+)?$/.test(name))
    return undefined;
  return name.includes("unknown-model") ? undefined : contextTokens(name);
}

/** Undefined for a name that an OpenAI-compatible server is made not to know. */
export function compatibleContextTokens(name: string): number | undefined {
  return name === "" || name.includes("unknown-model") ? undefined : contextTokens(name);
}

function contextTokens(name: string): number {
  return CONTEXTS.find(([pattern]) => pattern.test(name))?.[1] ?? DEFAULT_CONTEXT;
}
