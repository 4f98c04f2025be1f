/** What a restore says to the log: loud only where something is missing. */
import type { Logger } from "@temporalio/common";
import { logMedia } from "../connection/log-media.js";
import { type ConversationState, listOf } from "../core/conversation/state.js";

export function logRestore(logger: Logger, state: ConversationState): void {
  const { head } = state;
  const meta = { conversation_id: head.conversation_id };
  logMedia(logger, listOf(state, "media_report"), meta);
  const lost = listOf(state, "conversion_report").filter(({ kind }) => kind === "dropped").length;
  const moved = listOf(state, "served_models").at(-1);
  if (moved?.event === "restore" && moved.from?.provider !== moved.provider && lost > 0) {
    logger.warn(
      `The conversion from ${moved.from?.provider} dropped ${lost} ${lost === 1 ? "part" : "parts"}; conversionReport() ${lost === 1 ? "names it" : "names them"}.`,
      meta,
    );
  }
  if (moved?.event === "restore" && moved.from !== undefined) {
    logger.info(
      `The conversation was saved under ${moved.from.model} and continues under ${moved.model}.`,
      meta,
    );
  }
  const change = head.prefix_change_report;
  if (change === null) return;
  const tools = [...change.tools.added, ...change.tools.removed, ...change.tools.changed];
  const parts = [
    ...(change.instructions ? ["the instructions"] : []),
    ...(tools.length > 0 ? [`the tools ${tools.join(", ")}`] : []),
  ];
  logger.info(`Since the save moved: ${parts.join(" and ")}.`, meta);
}
