/** The tour's last process: knows nothing but the checkpoint file, and goes on from it under another model. */
import type { Logger, LogLevel } from "@temporalio/common";
import { Conversations } from "../../client/conversations.js";
import { Agent } from "../../core/agent.js";
import { Screen } from "./screen.js";
import { showAnswer } from "./show-answer.js";
import { takeOrder } from "./take-order.js";
import type { ContinuationOrder } from "./tour-message.js";

takeOrder(async (order: ContinuationOrder, ready) => {
  const screen = new Screen();
  const logger = new CountingLogger();
  await using conversations = await Conversations.connect({ ...order.stack, logger });
  const agent = new Agent({ model: order.model, instructions: order.instructions });
  const session = await conversations.fromJson(order.checkpoint, {
    agent,
    checkpoint: { path: order.checkpoint },
  });
  const { metadata, restored_from_schema_version, prefix_change_report } = await session.describe();
  const from = metadata.served_models.at(-1)?.from?.model ?? "another model";
  screen.line(
    "restored",
    `${metadata.run_count} turns, schema ${restored_from_schema_version}, by process ${process.pid}; ` +
      `${prefix_change_report === null ? "the prefix is unchanged" : "the prefix has changed"}, ` +
      `${logger.warnings === 0 ? "nothing to warn about" : `${logger.warnings} warnings`}`,
  );
  screen.line("model", `${from} → ${order.model}`);
  screen.line("question", order.question);
  await showAnswer(screen, await session.submit(order.question));
  ready();
});

/** Counts what is logged at WARNING or above. */
class CountingLogger implements Logger {
  warnings = 0;

  log(level: LogLevel): void {
    if (level === "WARN" || level === "ERROR") this.warnings += 1;
  }

  trace(): void {}

  debug(): void {}

  info(): void {}

  warn(): void {
    this.log("WARN");
  }

  error(): void {
    this.log("ERROR");
  }
}
