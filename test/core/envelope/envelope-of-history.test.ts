import { describe, expect, it } from "vitest";
import { envelopeOfHistory } from "../../../src/core/envelope/envelope-of-history.js";
import { readEnvelope } from "../../../src/core/envelope/parse-envelope.js";
import { PROVIDER_NAMES } from "../../../src/core/providers.js";
import { SAMPLE_TIME, sampleHistory } from "../../support/envelope-samples.js";

describe("envelopeOfHistory", () => {
  it.each(PROVIDER_NAMES)("ENV-47 indexes the turns of a bare history: %s", (provider) => {
    const messages = sampleHistory(provider, 2);
    const made = envelopeOfHistory({ messages, system: "Be brief." }, { provider, now: SAMPLE_TIME });
    const { envelope } = readEnvelope(made);
    expect(envelope).toMatchObject({ provider, model: "unknown", system: "Be brief.", messages });
    expect(envelope.turn_index).toMatchObject([
      { turn_id: "restored-1", from: 0, to: 2, provider },
      { turn_id: "restored-2", from: 2, to: 4 },
    ]);
    expect(envelope.metadata.run_count).toBe(2);
    expect(envelope.accounting.totals.turns).toBe(2);
  });

  it("ENV-47 takes the model, the id and the time that it is told, and an empty history too", () => {
    const told = { provider: "openai", model: "gpt-6-luna", conversationId: "c", now: SAMPLE_TIME } as const;
    const envelope = envelopeOfHistory({ messages: [], system: null }, told);
    expect(readEnvelope(envelope).envelope).toMatchObject({
      conversation_id: "c",
      model: "gpt-6-luna",
      created_at: SAMPLE_TIME,
      turn_index: [],
      metadata: { run_count: 0, served_models: [{ event: "start", model: "gpt-6-luna" }] },
    });
  });
});
