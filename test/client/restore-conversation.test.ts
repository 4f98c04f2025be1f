import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { restoreConversation } from "../../src/client/restore-conversation.js";
import { Agent } from "../../src/core/agent.js";
import { listOf } from "../../src/core/conversation/state.js";
import { dialectFor } from "../../src/core/dialects/index.js";
import type { Envelope } from "../../src/core/envelope/envelope.js";
import { SessionCompatibilityError } from "../../src/core/errors/errors.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import { sampleEnvelope } from "../support/envelope-samples.js";

const NOW = "2026-03-01T00:00:00.000Z";
const pdf = new TextEncoder().encode("%PDF-1.7 a contract");
const digest = createHash("sha256").update(pdf).digest("hex");

function restore(
  envelope: Envelope,
  change: { id?: string; agent?: Agent; store?: MemoryMediaStore; convert?: boolean } = {},
) {
  return restoreConversation(
    { envelope, migratedFrom: 2 },
    {
      agent: change.agent,
      conversationId: change.id ?? envelope.conversation_id,
      mediaStore: change.store ?? new MemoryMediaStore(),
      checkpoint: null,
      now: NOW,
      convert: change.convert ?? true,
    },
  );
}

const withPdf = (data: string): Envelope => {
  const envelope = sampleEnvelope("anthropic", 1);
  const file = { mime_type: "application/pdf", name: "contract.pdf", data };
  const question = dialectFor("anthropic").userMessage("Read it.", [file, file]);
  return { ...envelope, messages: [question, ...envelope.messages.slice(1)] };
};

describe("the state that an envelope is restored to", () => {
  it("API-28 has the envelope's own agent where none is given", async () => {
    const envelope = sampleEnvelope("anthropic", 2);
    expect((await restore(envelope)).head.agent).toEqual(envelope.agent);
    const named = await restore({ ...envelope, agent: "reviewer" });
    expect(named.head.agent).toMatchObject({ name: "reviewer", model: "anthropic:claude-haiku-4-5" });
    const unnamed = await restore({ ...envelope, agent: null });
    expect(unnamed.head.agent).toEqual({
      model: "anthropic:claude-haiku-4-5",
      instructions: "",
      tools: [],
      params: {},
    });
  });

  it("MED-215 is refused where the envelope names no model of its provider and no agent is given", async () => {
    const spec = { model: "google:unknown", instructions: "", tools: [], params: {} };
    for (const agent of [null, "reviewer", spec]) {
      const nameless = { ...sampleEnvelope("google", 1), model: "unknown", agent };
      await expect(restore(nameless)).rejects.toMatchObject({
        code: "UsageError",
        message:
          "The envelope names no model of google: give the agent that shall continue it; with the command, import it with --model.",
      });
      const given = new Agent({ model: "gemini-3.5-flash-lite" });
      expect((await restore(nameless, { agent: given })).head.model).toBe("gemini-3.5-flash-lite");
    }
  });

  it("API-29 is converted for an agent of another dialect, and refused where conversion is turned off, naming the way on", async () => {
    const agent = new Agent({ model: "gpt-6-luna" });
    const envelope = withPdf(Buffer.from(pdf).toString("base64"));
    const { head } = await restore(envelope, { agent });
    expect(head).toMatchObject({ provider: "openai", converted_from: "anthropic" });
    const restoring = restore(envelope, { agent, convert: false });
    await expect(restoring).rejects.toThrow(SessionCompatibilityError);
    await expect(restoring).rejects.toThrow(
      /anthropic:claude-haiku-4-5.*openai:gpt-6-luna.*use a model of anthropic/,
    );
    const compatible = new Agent({ model: "compatible:qwen3" });
    const kept = await restore(sampleEnvelope("fireworks", 1), { agent: compatible, convert: false });
    expect([kept.head.provider, kept.head.converted_from]).toEqual(["compatible", null]);
  });

  it("API-30 names its original only where it is a copy", async () => {
    const envelope = sampleEnvelope("anthropic", 2);
    expect((await restore(envelope)).head).not.toHaveProperty("copied_from");
    const copy = await restore(envelope, { id: "copy" });
    expect(copy.head.copied_from).toEqual({ conversation_id: "contract-review", turn: 2 });
    const old = await restore({ ...envelope, conversation_id: "" }, { id: "new" });
    expect(old.head).not.toHaveProperty("copied_from");
    expect(old.head.restored_from_schema_version).toBe(2);
  });

  it("API-31 has inline media in the working store, once each, and their markers in the history", async () => {
    const store = new MemoryMediaStore();
    const state = await restore(withPdf(Buffer.from(pdf).toString("base64")), { store });
    expect(await store.get(`${digest}.pdf`)).toEqual(pdf);
    const history = JSON.stringify(listOf(state, "messages"));
    expect(history.split(`$media:${digest}.pdf`)).toHaveLength(3);
    expect(history).not.toContain(Buffer.from(pdf).toString("base64"));
    expect(listOf(state, "media")).toEqual([
      [digest, expect.objectContaining({ mime_type: "application/pdf", size_bytes: pdf.length })],
    ]);
    expect(listOf(state, "media_report")).toEqual([]);
  });

  it("API-32 reports a marker whose bytes nobody has, and none that the store has", async () => {
    const marker = `$media:${digest}.pdf`;
    expect(listOf(await restore(withPdf(marker)), "media_report")).toMatchObject([
      { reason: "missing_blob", message_index: 0 },
      { reason: "missing_blob", message_index: 0 },
    ]);
    const store = new MemoryMediaStore();
    await store.put(`${digest}.pdf`, pdf);
    expect(listOf(await restore(withPdf(marker), { store }), "media_report")).toEqual([]);
  });
});
