import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Conversation } from "../../src/client/conversation.js";
import type { Conversations } from "../../src/client/conversations.js";
import { Agent } from "../../src/core/agent.js";
import { parseEnvelope } from "../../src/core/envelope/parse-envelope.js";
import { TurnInterruptedError, UsageError } from "../../src/core/errors/errors.js";
import type { Fault } from "../../src/simulator/script.js";
import { pdfOf } from "../support/pdf.js";
import { startTestStack, type TestStack } from "../support/stack.js";

const agent = new Agent({ model: "claude-haiku-4-5", instructions: "Be brief." });
const status = (code: number, message = "Simulated."): Fault => ({ kind: "status", status: code, message });

const FINAL: readonly (readonly [string, Fault])[] = [
  ["bad_request", status(400)],
  ["authentication", status(401)],
  ["permission", status(403)],
  ["not_found", status(404)],
  ["context_too_long", status(400, "prompt is too long: 250000 tokens > 200000 maximum")],
  ["attachment_refused", status(400, "Could not process image")],
];
const PASSING: readonly (readonly [string, Fault])[] = [
  ["timeout", status(408)],
  ["conflict", status(409)],
  ["rate_limited", status(429)],
  ["server_error", status(500)],
  ["server_error", status(502)],
  ["overloaded", { kind: "overloaded" }],
  ["network", { kind: "cut" }],
  ["stream_cut", { kind: "truncated", afterChunks: 1 }],
  ["malformed_reply", { kind: "malformed", afterChunks: 1 }],
  ["overloaded", { kind: "stream_error", afterChunks: 1, type: "overloaded_error" }],
];

let stack: TestStack;
let conversations: Conversations;
let session: Conversation;

beforeAll(async () => {
  stack = await startTestStack({ bounds: { providerFailures: 3, retryDelaysMs: [10] } });
  conversations = await stack.conversations();
});
afterAll(() => stack.stop());
beforeEach(async () => {
  stack.simulator.reset();
  session = await conversations.start(agent);
});

async function failingRun(...run: Parameters<Conversation["run"]>): Promise<TurnInterruptedError> {
  const error = await session.run(...run).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(TurnInterruptedError);
  return error as TurnInterruptedError;
}

describe("a provider's failure", () => {
  it.each(FINAL)("WFL-50 that is final (%s) interrupts the turn at once", async (kind, fault) => {
    stack.simulator.script({ fault, times: null });
    const { record, message } = await failingRun("Question");
    expect(record).toMatchObject({ error_type: `provider.${kind}`, attempts: 1, message: "Question" });
    expect(message).toContain(record.error);
    expect(stack.simulator.calls).toHaveLength(1);
    expect(await session.messages()).toEqual([]);
  });

  it.each(PASSING)("WFL-51 that may pass (%s) is called again, and the turn commits", async (kind, fault) => {
    stack.simulator.script({ fault, reply: { text: "word ".repeat(20) } }, { reply: { text: "Yes." } });
    const turn = await session.submit("Question");
    expect(await turn.result()).toMatchObject({ output: "Yes.", providerCalls: 2, attempt: 2 });
    const retries: string[] = [];
    for await (const frame of turn.stream()) if (frame.type === "retry") retries.push(frame.error_type);
    expect(retries).toEqual([`provider.${kind}`]);
    expect((await session.messages()).length).toBe(2);
  });

  it("WFL-58 that passes at the last call allowed leaves a committed turn and no record", async () => {
    stack.simulator.script({ fault: { kind: "overloaded" }, times: 2 });
    expect(await session.run("Question")).toMatchObject({ providerCalls: 3, attempt: 3 });
    expect(await session.describe()).toMatchObject({
      has_interrupted_turn: false,
      totals: { turns: 1, provider_calls: 3 },
    });
  });

  it("WFL-52 that does not pass interrupts the turn after as many calls as the bounds allow", async () => {
    stack.simulator.script({ fault: { kind: "overloaded" }, times: null });
    const { record } = await failingRun("Question");
    expect(record).toMatchObject({ error_type: "provider.overloaded", attempts: 3 });
    expect(stack.simulator.calls).toHaveLength(3);
    expect((await session.toEnvelope()).accounting.turns).toMatchObject([
      { state: "interrupted", provider_calls: 3, error_type: "provider.overloaded", error: record.error },
    ]);
  });
});

describe("an interrupted turn", () => {
  it("WFL-53 leaves a record that says everything, saved from the catch block and sent again with its files", async () => {
    await session.run("First");
    stack.simulator.script({
      fault: { kind: "stream_error", afterChunks: 3, type: "invalid_request_error", message: "Enough." },
      reply: { text: "word ".repeat(100) },
      pace: { chunkDelayMs: 30 },
    });
    const contract = { name: "contract.pdf", data: await pdfOf("Clause 4. Payment is due.") };
    const { record } = await failingRun("What is clause 4?", { turnId: "t2", files: [contract] });
    expect(record).toEqual({
      error_type: "provider.bad_request",
      error: expect.stringContaining("Enough."),
      failed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      message: "What is clause 4?",
      turn_id: "t2",
      attempts: 1,
      partial_text: expect.stringMatching(/^word /),
      tool_calls: [],
      usage: expect.objectContaining({ output_tokens: expect.any(Number) }),
      files: [
        {
          marker: expect.stringMatching(/^\$media:[0-9a-f]{64}\.pdf$/),
          mime_type: "application/pdf",
          name: "contract.pdf",
          size_bytes: contract.data.byteLength,
        },
      ],
    });
    const saved = parseEnvelope(await session.toJson()).envelope;
    expect(saved).toMatchObject({ interrupted_turn: record, metadata: { run_count: 1 } });
    expect(JSON.stringify(saved.messages)).not.toContain("clause 4");
    expect(await session.interruptedTurn()).toEqual(record);
    const again = await session.resend();
    expect(again.turnId).not.toBe("t2");
    const sent = stack.simulator.calls.at(-1)?.body;
    expect(JSON.stringify(sent)).toContain(Buffer.from(contract.data).toString("base64"));
    expect((await session.toEnvelope()).turn_index.slice(1)).toMatchObject([
      { turn_id: "t2", state: "interrupted", record },
      { turn_id: again.turnId, state: "committed", resend_of: "t2" },
    ]);
  });

  it("WFL-54 is gone from the envelope's field when the next turn starts, and stays under its id", async () => {
    stack.simulator.script({ fault: status(403) });
    const { record } = await failingRun("Question", { turnId: "t1" });
    stack.simulator.script({ reply: { text: "Yes." }, pace: { delayMs: 300 } });
    const next = await session.submit("Next");
    await stack.simulator.waitForCall(({ lastUserText }) => lastUserText === "Next");
    expect(await session.interruptedTurn()).toBeNull();
    expect((await next.result()).output).toBe("Yes.");
    expect(await session.turn("t1").view()).toMatchObject({ state: "interrupted", interrupted_turn: record });
    await expect(session.resend()).rejects.toBeInstanceOf(UsageError);
  });

  it("WFL-55 whose file has left the working store cannot be sent again with it, which names the file", async () => {
    stack.simulator.script({ fault: status(403) });
    const data = new TextEncoder().encode("Clause 4. Payment is due.");
    const { record } = await failingRun("Question", { files: [{ name: "contract.txt", data }] });
    const key = record.files?.[0]?.marker.slice("$media:".length) ?? "";
    await rm(join(conversations.settings.mediaStore, key));
    await expect(session.resend()).rejects.toThrow(/contract\.txt.*files: \[\]/);
    expect((await session.resend({ files: [] })).output).toContain("Question");
    expect(JSON.stringify(stack.simulator.calls.at(-1)?.body)).not.toContain("document");
  });

  it("WFL-56 counts in the totals with its calls, not as a turn; only committed turns are in run_count", async () => {
    stack.simulator.script({ fault: { kind: "overloaded" }, times: 3 });
    await failingRun("Question", { turnId: "t1" });
    await session.run("Question", { turnId: "t2" });
    const { accounting, metadata } = await session.toEnvelope();
    expect(metadata.run_count).toBe(1);
    expect(
      accounting.turns.map(({ turn_id, state, provider_calls }) => [turn_id, state, provider_calls]),
    ).toEqual([
      ["t1", "interrupted", 3],
      ["t2", "committed", 1],
    ]);
    expect(accounting.totals).toMatchObject({
      turns: 1,
      provider_calls: 4,
      usage: accounting.turns[1]?.usage,
    });
  });

  it("WFL-57 is told to everybody who waits for it, and to those who ask later", async () => {
    stack.simulator.script({ fault: status(400), pace: { delayMs: 200 } });
    const turn = await session.submit("Question", { turnId: "t1" });
    const waiting = [turn.result(), session.run("Question", { turnId: "t1" })].map((result) =>
      result.catch((error: unknown) => (error as TurnInterruptedError).record.turn_id),
    );
    expect(await Promise.all(waiting)).toEqual(["t1", "t1"]);
    await expect(session.run("Question", { turnId: "t1" })).rejects.toBeInstanceOf(TurnInterruptedError);
    expect(stack.simulator.calls).toHaveLength(1);
  });
});
