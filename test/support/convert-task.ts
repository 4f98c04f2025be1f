/** A small conversion as it is given to a thread. */
import type { ConversionTask } from "../../src/activities/perform-conversion.js";
import { Agent } from "../../src/core/agent.js";
import { type EnvelopePiece, envelopePieces } from "../../src/core/conversation/export.js";
import type { Page } from "../../src/core/conversation/messages.js";
import { pageOf } from "../../src/core/conversation/page.js";
import { committed, freshConversation } from "./conversation-samples.js";

export function convertTask(): [task: ConversionTask, pages: readonly Page<EnvelopePiece>[]] {
  const { spec: agent } = new Agent({ model: "gpt-6-luna" });
  const pieces = envelopePieces(committed(freshConversation(), "a"));
  return [{ agent, convert: true, savedAt: "2026-11-30T10:00:00Z" }, [pageOf(pieces, {}, 1)]];
}
