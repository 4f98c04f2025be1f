/** Another model for the same history: within a provider it is not converted, neither by a restore nor by a rebind. */

import { join } from "node:path";
import type { Logger } from "@temporalio/common";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Conversations } from "../../../src/client/conversations.js";
import { Agent } from "../../../src/core/agent.js";
import { RebindRefusedError } from "../../../src/core/errors/errors.js";
import { repositoryRoot } from "../../support/source-file.js";
import { startTestStack, type TestStack } from "../../support/stack.js";

const instructions = "You review contracts. Be brief.";
const contract = join(repositoryRoot, "examples/contract.pdf");
const PAIRS = [
  { from: "claude-haiku-4-5", to: "claude-opus-5-5" },
  { from: "gpt-6-luna", to: "gpt-5.5" },
  { from: "gemini-3.5-flash-lite", to: "gemini-3.5-pro" },
];

/** Keeps what is logged at WARNING or above. */
function warningKeeper(): { readonly logger: Logger; readonly warnings: string[] } {
  const warnings: string[] = [];
  const keep = (message: string): void => void warnings.push(message);
  const drop = (): void => undefined;
  const log = (level: string, message: string): void => {
    if (level === "WARN" || level === "ERROR") keep(message);
  };
  return { logger: { log, trace: drop, debug: drop, info: drop, warn: keep, error: keep }, warnings };
}

/** A request's history as the provider has it, without the marks for its cache. */
function historyOf(body: unknown): unknown {
  const { messages, input, contents } = body as Record<string, unknown>;
  return legible(messages ?? input ?? contents);
}

/** Without what only the model that made it can read: reasoning, signatures, and the ids that depend on them. */
function legible(history: unknown): readonly unknown[] {
  const text = JSON.stringify(history, (key, value) => {
    if (["cache_control", "id", "thoughtSignature"].includes(key)) return undefined;
    if (!Array.isArray(value)) return value;
    return value.filter((part) => part?.type !== "reasoning" && part?.text !== "");
  });
  return JSON.parse(text);
}

describe("history under another model of the same provider", () => {
  let stack: TestStack;
  let conversations: Conversations;
  const { logger, warnings } = warningKeeper();

  beforeAll(async () => {
    stack = await startTestStack();
    conversations = await stack.conversations({ logger });
  });
  afterAll(() => stack.stop());

  it.each(PAIRS)(
    "REC-3 is restored from $from to $to quietly, and reaches it as it is",
    async ({ from, to }) => {
      const session = await conversations.start(new Agent({ model: from, instructions }));
      await session.run("Summarise clause 4.", { files: [contract] });
      const envelope = await session.toEnvelope();
      const agent = new Agent({ model: to, instructions });
      const restored = await conversations.fromEnvelope(envelope, { agent, id: `${session.id}-copy` });
      const result = await restored.run("Who bears the risk in clause 5?");
      expect(result).toMatchObject({ model: to });
      expect(historyOf(stack.simulator.calls.at(-1)?.body)).toEqual(
        expect.arrayContaining([...legible(envelope.messages)]),
      );
      expect(await restored.convertedFrom()).toBeNull();
      expect(warnings).toEqual([]);
      expect(stack.workers.map((worker) => worker.log())).toEqual([""]);
    },
  );

  it("REC-12 is kept by a rebind in place, which is the last of the served models", async () => {
    const session = await conversations.start(new Agent({ model: "claude-haiku-4-5", instructions }));
    await session.run("Summarise clause 4.", { files: [contract] });
    const before = await session.messages();
    await session.rebind(new Agent({ model: "claude-opus-5-5", instructions }));
    expect(await session.messages()).toEqual(before);
    const { served_models } = await session.metadata();
    expect(served_models.at(-1)).toMatchObject({ event: "rebind", model: "claude-opus-5-5", turn: 1 });
    expect(await session.run("And clause 5?")).toMatchObject({ model: "claude-opus-5-5" });
  });

  it("REC-13 stays under its model while a turn runs: the rebind is refused", async () => {
    const session = await conversations.start(new Agent({ model: "claude-haiku-4-5", instructions }));
    const question = "What takes long?";
    stack.simulator.script({ match: { text: question }, pace: { minimumReplyMs: 1_500 } });
    const turn = await session.submit(question);
    await stack.simulator.waitForCall((call) => call.lastUserText === question);
    const rebind = session.rebind(new Agent({ model: "claude-opus-5-5", instructions }));
    await expect(rebind).rejects.toBeInstanceOf(RebindRefusedError);
    expect(await turn.result()).toMatchObject({ model: "claude-haiku-4-5" });
  });
});
