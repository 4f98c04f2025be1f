/** Whole envelopes for tests: one of each provider, every key in use somewhere. */
import type { AgentSpec } from "../../src/core/agent.js";
import { dialectFor } from "../../src/core/dialects/index.js";
import { totalsOf } from "../../src/core/envelope/accounting.js";
import type { Envelope, NativeMessage, TurnAccount } from "../../src/core/envelope/envelope.js";
import { prefixOf } from "../../src/core/envelope/fingerprint.js";
import type { ProviderName } from "../../src/core/providers.js";

export const SAMPLE_MODELS: Readonly<Record<ProviderName, string>> = {
  anthropic: "claude-haiku-4-5",
  openai: "gpt-6-luna",
  google: "gemini-3.5-flash-lite",
  fireworks: "accounts/fireworks/models/kimi-k3",
  compatible: "compatible:qwen3",
};

const ANSWERS: Readonly<Record<ProviderName, (text: string) => NativeMessage>> = {
  anthropic: (text) => ({ role: "assistant", content: [{ type: "text", text }] }),
  openai: (text) => ({ type: "message", role: "assistant", content: [{ type: "output_text", text }] }),
  google: (text) => ({ role: "model", parts: [{ text }] }),
  fireworks: (text) => ({ role: "assistant", content: text }),
  compatible: (text) => ({ role: "assistant", content: text }),
};

export const SAMPLE_AGENT: AgentSpec = {
  name: "reviewer",
  model: "claude-haiku-4-5",
  instructions: "You review contracts. Be brief.",
  tools: [{ name: "look_up", description: "Looks a clause up.", input_schema: { type: "object" } }],
  params: { max_tokens: 1024 },
};

export const SAMPLE_TIME = "2026-01-31T12:00:00.000Z";

/** A history of whole turns: a question and an answer each. */
export function sampleHistory(provider: ProviderName, turns: number): readonly NativeMessage[] {
  return Array.from({ length: turns }, (_, index) => [
    dialectFor(provider).userMessage(`Question ${index + 1}`, []),
    ANSWERS[provider](`Answer ${index + 1}`),
  ]).flat();
}

export function sampleAccount(
  provider: ProviderName,
  turn_id: string,
  change: Partial<TurnAccount> = {},
): TurnAccount {
  return {
    turn_id,
    state: "committed",
    provider,
    model: SAMPLE_MODELS[provider],
    started_at: SAMPLE_TIME,
    finished_at: SAMPLE_TIME,
    provider_calls: 1,
    tool_calls: 0,
    usage: {
      input_tokens: 10,
      output_tokens: 5,
      cache_read_tokens: 2,
      cache_write_tokens: 1,
      reasoning_tokens: 3,
    },
    raw_usage: [{ input_tokens: 10, constructor: "a field like any other" }],
    finish_reason: { unified: "stop", raw: "end_turn" },
    ...change,
  };
}

/** An envelope of `turns` committed turns. */
export function sampleEnvelope(
  provider: ProviderName,
  turns: number = 2,
  change: Readonly<Record<string, unknown>> = {},
): Envelope {
  const model = SAMPLE_MODELS[provider];
  const { endpoint } = dialectFor(provider).capabilities;
  const accounts = Array.from({ length: turns }, (_, index) => sampleAccount(provider, `turn-${index + 1}`));
  return {
    schema_version: 3,
    conversation_id: "contract-review",
    created_at: SAMPLE_TIME,
    saved_at: SAMPLE_TIME,
    provider,
    model,
    agent: { ...SAMPLE_AGENT, model },
    system: null,
    prefix: prefixOf(SAMPLE_AGENT),
    messages: sampleHistory(provider, turns),
    turn_index: accounts.map(({ turn_id }, index) => ({
      turn_id,
      state: "committed",
      from: index * 2,
      to: index * 2 + 2,
      provider,
      endpoint,
      model,
    })),
    metadata: {
      run_count: turns,
      served_models: [{ event: "start", provider, model, at: SAMPLE_TIME, turn: 0 }],
    },
    accounting: { turns: accounts, totals: totalsOf(accounts) },
    interrupted_turn: null,
    media_policy: "inline",
    media: {},
    media_report: [],
    converted_from: null,
    conversion_report: [],
    attic: [],
    ...change,
  };
}

/** What an envelope may hold beside turns: an interrupted and a refused one, media, reports, a copy's origin. */
export function fullEnvelope(): Envelope {
  const sample = sampleEnvelope("anthropic");
  const digest = "ab".repeat(32);
  const record = {
    error_type: "provider.overloaded",
    error: "The provider is overloaded.",
    failed_at: SAMPLE_TIME,
    message: "And clause 5?",
    turn_id: "turn-3",
    attempts: 6,
    partial_text: "Clause",
    tool_calls: [{ id: "call-1", name: "look_up", state: "unknown" as const }],
    usage: sample.accounting.totals.usage,
    files: [
      { marker: `$media:${digest}.pdf`, mime_type: "application/pdf", size_bytes: 3, name: "contract.pdf" },
    ],
  };
  const lost = sampleAccount("anthropic", "turn-3", {
    state: "interrupted",
    finish_reason: null,
    error_type: record.error_type,
    error: record.error,
    simulated: true,
  });
  return {
    ...sample,
    agent: {
      ...SAMPLE_AGENT,
      media_policy: "auto",
      media_store: "/var/media",
      media_max_inline_bytes: null,
      send_window: { turns: 10, input_tokens: 50_000 },
    },
    turn_index: [
      ...sample.turn_index,
      { turn_id: "turn-3", state: "interrupted", record },
      { turn_id: "turn-4", state: "refused", reason: "unknown_tool", error: "No such tool." },
    ],
    accounting: { turns: [...sample.accounting.turns, lost], totals: sample.accounting.totals },
    interrupted_turn: record,
    media: {
      [digest]: {
        mime_type: "application/pdf",
        size_bytes: 3,
        name: "contract.pdf",
        uri: "https://files.example/v1/files/1",
        expiration_time: SAMPLE_TIME,
        data: "AAAA",
        ref: `${digest}.pdf`,
      },
    },
    media_report: [
      { reason: "missing_blob", mime_type: "image/png", size: 1, message_index: 0, preserved: true },
    ],
    converted_from: "openai",
    conversion_report: [{ kind: "dropped", artefact: "thinking", index: 1, detail: "items[1]" }],
    attic: [{ index: 1, original: { type: "reasoning" } }],
    copied_from: { conversation_id: "original", turn: 1 },
    host_note: { kept: ["as", "it", "is"] },
  };
}
