import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Agent } from "../../src/core/agent.js";
import {
  ConversationExistsError,
  ConversationNotFoundError,
  InvalidHistoryError,
  SessionCompatibilityError,
  UsageError,
} from "../../src/core/errors/errors.js";
import { fileStack } from "../support/file-stack.js";

const claude = new Agent({ model: "claude-haiku-4-5", instructions: "Be brief." });
const gpt = new Agent({ model: "gpt-6-luna", instructions: "Be brief." });

const { stack, conversations } = await fileStack();

async function threeTurns(id: string) {
  const session = await conversations.start(claude, { id });
  for (const [at, question] of ["One?", "Two?", "Three?"].entries())
    await session.run(question, { turnId: `${id}-${at + 1}`, ...(at === 0 ? { files: [NOTE] } : {}) });
  return session;
}
const NOTE = { name: "note.txt", data: "Clause 4." };
const questions = (): readonly unknown[] => stack.simulator.calls.map(({ lastUserText }) => lastUserText);

const toolRound = [
  { role: "user", content: "Look it up." },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "c1", type: "function", function: { name: "look_up", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: "c1", content: "Found." },
  { role: "assistant", content: "There it is." },
];

describe("fork", () => {
  it("API-84 makes a new conversation of a live one's first turns, which both go on", async () => {
    const session = await threeTurns("forked");
    const fork = await session.fork({ at: 2 });
    expect(fork.id).not.toBe("forked");
    expect((await fork.metadata()).run_count).toBe(2);
    const [before, after] = [await session.toEnvelope(), await fork.toEnvelope()];
    expect(after.messages).toEqual(before.messages.slice(0, 4));
    expect(after.copied_from).toEqual({ conversation_id: "forked", turn: 2 });
    expect(after.accounting.totals.turns).toBe(2);
    expect((await fork.run("And now?")).output).toContain("And now?");
    expect(JSON.stringify(stack.simulator.calls.at(-1)?.body)).not.toContain("Three?");
    await session.run("Four?");
    expect(questions().slice(-2)).toEqual(["And now?", "Four?"]);
  });

  it("API-84 forks by the id of a conversation, also a closed one, at a turn's id, under another model", async () => {
    const session = await threeTurns("closed-one");
    await session.close();
    const fork = await conversations.fork("closed-one", { at: "closed-one-1", id: "second", agent: gpt });
    expect(await fork.convertedFrom()).toBe("anthropic");
    expect((await fork.run("Go on.")).model).toBe("gpt-6-luna");
    await expect(conversations.fork("closed-one", { at: 1, id: "second" })).rejects.toThrow(
      ConversationExistsError,
    );
    await expect(conversations.fork("nobody", { at: 1 })).rejects.toThrow(ConversationNotFoundError);
  });

  it("API-85 forks an envelope, its file and its text, and refuses a turn that is not there", async () => {
    const envelope = await (await threeTurns("in-a-file")).toEnvelope();
    await writeFile(join(stack.folder, "three.json"), JSON.stringify(envelope));
    for (const source of [envelope, "three.json", JSON.stringify(envelope)]) {
      const fork = await conversations.fork(source, { at: 1 });
      expect((await fork.messages()).length).toBe(2);
    }
    const forking = conversations.fork(envelope, { at: 4, id: "never" });
    await expect(forking).rejects.toThrow(UsageError);
    await expect(forking).rejects.toThrow(/3 committed turns/);
    await expect(conversations.open("never")).rejects.toThrow(ConversationNotFoundError);
  });

  it("API-86 is the way on that a refused conversion names", async () => {
    const messages = [...toolRound, { role: "user", content: "Again." }, ...toolRound.slice(1, 2)];
    const agent = new Agent({ model: "accounts/fireworks/models/kimi-k3" });
    const stuck = await conversations.fromMessages(messages, { dialect: "fireworks", agent, id: "stuck" });
    const envelope = await stuck.toEnvelope();
    await expect(conversations.fromEnvelope(envelope, { agent: claude, id: "never" })).rejects.toThrow(
      SessionCompatibilityError,
    );
    const fork = await stuck.fork({ at: 1, agent: claude });
    expect((await fork.run("And now?")).model).toBe("claude-haiku-4-5");
  });
});

describe("fromMessages", () => {
  it("API-87 goes on from a native history, its turns counted", async () => {
    const agent = new Agent({ model: "accounts/fireworks/models/kimi-k3" });
    const session = await conversations.fromMessages(
      { messages: toolRound, system: "You are careful." },
      { dialect: "fireworks", agent, id: "native" },
    );
    expect(session.id).toBe("native");
    expect(await session.messages()).toEqual([{ role: "system", content: "You are careful." }, ...toolRound]);
    expect((await session.metadata()).run_count).toBe(1);
    expect(await session.convertedFrom()).toBeNull();
    await session.run("Thanks.");
    expect(JSON.stringify(stack.simulator.calls.at(-1)?.body)).toContain("You are careful.");
  });

  it("API-87 converts it where the agent's dialect is another one, system text beside it included", async () => {
    const options = { dialect: "fireworks", agent: claude, system: "You are careful." } as const;
    const session = await conversations.fromMessages(toolRound, options);
    expect(await session.convertedFrom()).toBe("fireworks");
    expect((await session.metadata()).served_models).toMatchObject([
      { event: "start", provider: "fireworks" },
      { event: "restore", provider: "anthropic", model: "claude-haiku-4-5", turn: 1 },
    ]);
    await session.run("Thanks.");
    const asked = JSON.stringify(stack.simulator.calls.at(-1)?.body);
    expect(asked).toMatch(/Be brief\..*You are careful\./);
    expect(asked).toContain("tool_result");
  });

  it("API-88 refuses what is no such history, and a conversion that is turned off, before anything starts", async () => {
    const taking = (list: unknown, change: object = {}) =>
      conversations.fromMessages(list, { dialect: "fireworks", agent: claude, id: "never", ...change });
    await expect(taking([{ role: "robot", content: "Hi." }])).rejects.toThrow(InvalidHistoryError);
    await expect(taking({ hello: 1 })).rejects.toThrow(/not a history of fireworks/);
    await expect(taking(toolRound, { convert: false })).rejects.toThrow(SessionCompatibilityError);
    await expect(taking(toolRound.slice(0, 2))).rejects.toThrow(/ends inside a tool round/);
    for (const wrong of [{ dialect: "klingon" }, { agent: undefined }])
      await expect(taking(toolRound, wrong)).rejects.toThrow(UsageError);
    await expect(conversations.open("never")).rejects.toThrow(ConversationNotFoundError);
  });
});
