import type { Logger, LogLevel } from "@temporalio/common";
import { describe, expect, it } from "vitest";
import { logRestore } from "../../src/client/log-restore.js";
import { restoreConversation } from "../../src/client/restore-conversation.js";
import { Agent } from "../../src/core/agent.js";
import type { Envelope } from "../../src/core/envelope/envelope.js";
import { prefixOf } from "../../src/core/envelope/fingerprint.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import { sampleEnvelope } from "../support/envelope-samples.js";

const saved = new Agent({ model: "claude-haiku-4-5", instructions: "You review contracts." });
const key = `${"a".repeat(64)}.pdf`;

class RecordingLogger implements Logger {
  readonly lines: (readonly [LogLevel, string])[] = [];
  log(level: LogLevel, message: string): void {
    this.lines.push([level, message]);
  }
  trace(message: string): void {
    this.log("TRACE", message);
  }
  debug(message: string): void {
    this.log("DEBUG", message);
  }
  info(message: string): void {
    this.log("INFO", message);
  }
  warn(message: string): void {
    this.log("WARN", message);
  }
  error(message: string): void {
    this.log("ERROR", message);
  }
}

async function linesOfRestore(
  agent: Agent,
  change: Partial<Envelope> = {},
): Promise<RecordingLogger["lines"]> {
  const envelope: Envelope = {
    ...sampleEnvelope("anthropic", 2),
    provider: "anthropic",
    model: "claude-haiku-4-5",
    prefix: prefixOf(saved.spec),
    ...change,
  };
  const state = await restoreConversation(
    { envelope, migratedFrom: 3 },
    {
      agent,
      conversationId: "c",
      mediaStore: new MemoryMediaStore(),
      checkpoint: null,
      now: "2026-11-29T12:00:00.000Z",
      convert: true,
    },
  );
  const logger = new RecordingLogger();
  logRestore(logger, state);
  return logger.lines;
}

describe("logRestore", () => {
  it("API-80 says nothing of a restore under the same agent", async () => {
    expect(await linesOfRestore(saved)).toEqual([]);
  });

  it("API-81 says a model change within a provider at INFO, never at WARNING", async () => {
    const bigger = new Agent({ ...saved.spec, model: "claude-opus-5-5" });
    expect(await linesOfRestore(bigger)).toEqual([["INFO", expect.stringContaining("claude-opus-5-5")]]);
  });

  it("API-82 says a changed prefix at INFO and names what moved", async () => {
    const changed = new Agent({ model: saved.spec.model, instructions: "Other.", tools: ["lookup"] });
    expect(await linesOfRestore(changed)).toEqual([["INFO", expect.stringMatching(/instructions.*lookup/)]]);
  });

  it("API-83 says a missing blob at WARNING with its place, type and size", async () => {
    const source = { type: "base64", media_type: "application/pdf", data: `$media:${key}` };
    const messages = [{ role: "user", content: [{ type: "document", source }] }];
    const media = { [key.slice(0, 64)]: { mime_type: "application/pdf", size_bytes: 48_231, ref: key } };
    const lines = await linesOfRestore(saved, { messages, media, turn_index: [] });
    expect(lines).toEqual([
      ["WARN", expect.stringMatching(/missing_blob.*message 0, application\/pdf, 48231 bytes/)],
    ]);
  });
});
