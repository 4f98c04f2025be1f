import { createHash, randomUUID } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Conversation } from "../../src/client/conversation.js";
import type { Conversations } from "../../src/client/conversations.js";
import { Agent } from "../../src/core/agent.js";
import type { Receipt, Submission } from "../../src/core/conversation/messages.js";
import type { NativeMessage } from "../../src/core/envelope/envelope.js";
import {
  InvalidHistoryError,
  TurnInterruptedError,
  TurnRefusedError,
  UsageError,
} from "../../src/core/errors/errors.js";
import type { DialectName } from "../../src/core/providers.js";
import { DirectoryMediaStore } from "../../src/media-stores/directory-media-store.js";
import { startTestStack, type TestStack } from "../support/stack.js";
import { PNG, smallPdf, wav } from "../support/whole-files.js";

let stack: TestStack;
let conversations: Conversations;
let store: DirectoryMediaStore;
beforeAll(async () => {
  stack = await startTestStack();
  conversations = await stack.conversations();
  store = new DirectoryMediaStore(join(stack.folder, ".holdfast", "media"));
});
afterAll(() => stack.stop());
beforeEach(() => stack.simulator.reset());

const lastRequest = (): string => JSON.stringify(stack.simulator.calls.at(-1)?.body);
const caught = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

/** A turn with a file that the client would not have let pass. */
async function submitUnchecked(session: Conversation, name: string, mime_type: string, bytes: Uint8Array) {
  const key = `${createHash("sha256").update(bytes).digest("hex")}.${name.split(".").at(-1)}`;
  await store.put(key, bytes);
  const file = { marker: `$media:${key}`, mime_type, size_bytes: bytes.byteLength, name };
  const turn_id = randomUUID();
  await conversations.temporal.workflow
    .getHandle(session.id)
    .executeUpdate<Receipt, [Submission]>("submit_turn", {
      args: [{ turn_id, message: "And this?", files: [file] }],
    });
  return session.turn(turn_id);
}

describe.each([
  { model: "claude-haiku-4-5", refusal: /Could not process image/ },
  { model: "gpt-6-luna", refusal: /does not represent a valid image/ },
  { model: "gemini-3.5-flash", refusal: /Unable to process input image/ },
  { model: "accounts/fireworks/models/kimi-k3", refusal: /Failed to decode image/ },
])("a bad attachment on $model", ({ model, refusal }) => {
  it("WFL-190 ends its turn interrupted, is named, is not in the history, and the conversation goes on", async () => {
    const session = await conversations.start(new Agent({ model }));
    const { to } = (await session.run("Hello?")).messages;
    const broken = PNG.subarray(0, PNG.length - 20);
    if (model.startsWith("gemini")) {
      // An uploaded file is looked at by the service alone.
      const message = "Unable to process input image. Please retry or report in the developer forum";
      stack.simulator.script({ fault: { kind: "status", status: 400, type: "INVALID_ARGUMENT", message } });
    }
    const turn = await submitUnchecked(session, "scan.png", "image/png", broken);
    const error = await caught(turn.result());
    expect(error).toBeInstanceOf(TurnInterruptedError);
    expect((error as TurnInterruptedError).record).toMatchObject({
      error_type: "provider.attachment_refused",
      error: expect.stringMatching(refusal),
      message: "And this?",
      files: [{ name: "scan.png" }],
    });
    expect((error as TurnInterruptedError).record.error).toContain("scan.png");
    expect(await session.status()).toMatchObject({ message_count: to, run_count: 1 });
    expect((await session.run("And without it?")).messages.from).toBe(to);
    expect(lastRequest()).not.toContain(broken.toString("base64"));
    expect(JSON.stringify(await session.toEnvelope())).not.toContain(broken.toString("base64"));
  });

  it("WFL-191 is refused by the client where it can be seen, and nothing is sent", async () => {
    const session = await conversations.start(new Agent({ model }));
    const broken = { name: "scan.png", data: PNG.subarray(0, PNG.length - 20) };
    const error = await caught(session.run("What is this?", { files: [broken] }));
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toMatch(/^scan\.png \(image\/png\) is damaged: [^\n]+$/);
    expect(await session.status()).toMatchObject({ message_count: 0, queued: [], running: null });
    expect((await session.run("And without it?")).messages.from).toBe(0);
  });
});

describe("limits of media", () => {
  it("WFL-192 refuse a turn before its call, naming limit and ways on, and the conversation goes on", async () => {
    const session = await conversations.start(new Agent({ model: "accounts/fireworks/models/kimi-k3" }));
    const images = Array.from({ length: 30 }, (_, index) => ({ name: `${index}.png`, data: PNG }));
    await session.run("What are these?", { files: images });
    const calls = stack.simulator.calls.length;
    const error = await caught(session.run("And this?", { files: [{ name: "one-more.png", data: PNG }] }));
    expect(error).toBeInstanceOf(TurnRefusedError);
    expect(error).toMatchObject({
      reason: "too_large",
      message: expect.stringMatching(/31 images.*at most 30.*sendWindow/),
    });
    expect(stack.simulator.calls).toHaveLength(calls);
    expect((await session.run("And without it?")).messages).toEqual({ from: 2, to: 4 });
  });

  it("WFL-193 and types that the model does not take are known before the turn is accepted, also after a rebind", async () => {
    const session = await conversations.start(new Agent({ model: "gemini-3.5-flash" }));
    await session.run("What is said?", { files: [{ name: "clip.wav", data: wav() }] });
    await session.rebind("accounts/fireworks/models/kimi-k3");
    const turnId = randomUUID();
    const files = [{ name: "contract.pdf", data: smallPdf() }];
    const error = await caught(session.run("And this?", { files, turnId }));
    expect(error).toMatchObject({
      reason: "attachment",
      message: expect.stringMatching(/contract\.pdf.*anthropic, openai, google/),
    });
    expect(await session.turn(turnId).view()).toMatchObject({ state: "unknown" });
  });
});

const FAULTY: Readonly<
  Record<DialectName, { readonly model: string; readonly history: readonly NativeMessage[] }>
> = {
  anthropic: {
    model: "claude-haiku-4-5",
    history: [
      {
        role: "user",
        content: [
          { type: "text", text: "Look." },
          { type: "text", text: " " },
        ],
      },
      { role: "assistant", content: [{ type: "tool_use", id: "functions.look:0", name: "look", input: {} }] },
    ],
  },
  openai: {
    model: "gpt-6-luna",
    history: [
      { role: "user", content: "Look." },
      { type: "function_call", call_id: "c1", name: "look", arguments: "{}" },
    ],
  },
  google: {
    model: "gemini-2.5-flash",
    history: [
      { role: "user", parts: [{ text: "Look." }, { text: "" }] },
      { role: "model", parts: [{ functionCall: { name: "look", args: {} } }] },
    ],
  },
  fireworks: {
    model: "accounts/fireworks/models/kimi-k3",
    history: [
      { role: "user", content: "Look." },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "look:0", type: "function", function: { name: "look", arguments: "{}" } }],
      },
    ],
  },
};

describe.each(Object.entries(FAULTY))(
  "a restored history of %s with faults",
  (dialect, { model, history }) => {
    it("WFL-194 is mended in its requests, reported, and kept byte for byte", async () => {
      const agent = new Agent({ model });
      const session = await conversations.fromMessages(history, { dialect: dialect as DialectName, agent });
      for (const question of ["And now?", "And then?"]) {
        const result = await session.run(question);
        expect(result.requestMended.map(({ artefact }) => artefact)).toContain("tool-result");
      }
      expect(stack.simulator.calls.flatMap(({ issues }) => issues)).toEqual([]);
      const { messages } = await session.toEnvelope();
      expect(messages.slice(0, history.length)).toEqual(history);
      const said = messages.slice(history.length);
      const asked = said.filter(({ role }) => role === "user");
      expect(asked).toHaveLength(2);
      // The simulator may tell of it in its answer; it stands nowhere as a message of its own.
      expect(JSON.stringify(asked)).not.toContain("no result recorded");
    });
  },
);

describe("a restored history that no request could mend", () => {
  it("WFL-195 starts nothing, and is named with index and path", async () => {
    const history = [
      { role: "user", content: "Look." },
      { role: "tool", tool_call_id: "look:0", content: "Found." },
    ];
    const agent = new Agent({ model: "accounts/fireworks/models/kimi-k3" });
    const error = await caught(
      conversations.fromMessages(history, { dialect: "fireworks", agent, id: "orphan" }),
    );
    expect(error).toBeInstanceOf(InvalidHistoryError);
    expect((error as InvalidHistoryError).issues).toMatchObject([{ index: 1, path: "tool_call_id" }]);
    await expect(conversations.open("orphan")).rejects.toMatchObject({ code: "ConversationNotFoundError" });
  });
});
