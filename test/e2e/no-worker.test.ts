import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Conversation } from "../../src/client/conversation.js";
import { Conversations } from "../../src/client/conversations.js";
import { Agent } from "../../src/core/agent.js";
import {
  ConversationNotFoundError,
  MissingKeyError,
  NoWorkerError,
  ServerUnreachableError,
  TurnInterruptedError,
  UsageError,
} from "../../src/core/errors/errors.js";
import { createWorker } from "../../src/worker/create-worker.js";
import { startTestProcess } from "../support/process.js";
import { startTestStack, type TestStack } from "../support/stack.js";

const agent = new Agent({ model: "claude-haiku-4-5", instructions: "Be brief." });
const ONE_LINE = /^[^\n]{20,400}$/;

let stack: TestStack;
let conversations: Conversations;
let session: Conversation;
const warnings: string[] = [];

beforeAll(async () => {
  stack = await startTestStack({ workers: 0 });
  const silent = { trace() {}, debug() {}, info() {}, error() {}, log() {} };
  conversations = await stack.conversations({
    logger: { ...silent, warn: (message: string) => void warnings.push(message) },
  });
});
afterAll(() => stack.stop());
beforeEach(async () => {
  session = await conversations.start(agent);
});

describe("without a worker", () => {
  it("API-60 everything that needs one says so within seconds, with the remedy", async () => {
    const calls = [
      session.run("Question"),
      session.status(),
      session.messages(),
      session.toJson(),
      session.rebind("claude-sonnet-5"),
      session.turn("t1").view(),
      session.close(),
    ];
    const started = Date.now();
    for (const refused of await Promise.all(calls.map((call) => call.catch((error: unknown) => error)))) {
      expect(refused).toBeInstanceOf(NoWorkerError);
      expect((refused as Error).message).toMatch(ONE_LINE);
      expect((refused as Error).message).toContain("holdfast worker");
    }
    expect(Date.now() - started).toBeLessThan(5_000);
  });

  it("API-390 a turn that was sent with `run` waits at the server under the id that the error names, and runs once though it is sent again", async () => {
    stack.simulator.reset();
    const refused = await session.run("Does this wait?").catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(NoWorkerError);
    const { turnId = "none", message } = refused as NoWorkerError;
    expect(message).toContain(`waits at the server as turn ${turnId} and is answered once one does`);
    expect(message).toMatch(ONE_LINE);
    const again = await session.run("Does this wait?", { turnId }).catch((error: unknown) => error);
    expect(again).toMatchObject({ code: "NoWorkerError", turnId });
    const asked = await session.status().catch((error: unknown) => error);
    expect(asked).toMatchObject({ code: "NoWorkerError", turnId: undefined });
    const worker = await stack.startWorker();
    expect((await session.turn(turnId).result()).output).toContain("Does this wait?");
    expect((await session.run("Does this wait?", { turnId })).turnId).toBe(turnId);
    expect((await session.status()).run_count).toBe(1);
    const calls = stack.simulator.calls.filter(({ lastUserText }) => lastUserText === "Does this wait?");
    expect(calls).toHaveLength(1);
    await worker.kill("SIGTERM");
  });

  it("API-61 `submit` returns, says that it waits, and is answered when a worker starts", async () => {
    warnings.length = 0;
    const turn = await session.submit("Are you there?", { turnId: "t1" });
    expect(warnings).toEqual([expect.stringContaining("waits at the server")]);
    const worker = await stack.startWorker();
    expect((await turn.result()).output).toContain("Are you there?");
    expect((await session.status()).run_count).toBe(1);
    expect((await session.toEnvelope()).turn_index).toMatchObject([{ turn_id: "t1", state: "committed" }]);
    await worker.kill("SIGTERM");
  });
});

describe("a message that the server does not take either", () => {
  it("API-61 is not told as one that waits", async () => {
    const { workflowService } = conversations.temporal;
    const spy = vi.spyOn(workflowService, "signalWorkflowExecution");
    spy.mockRejectedValue(
      Object.assign(new Error("9 FAILED_PRECONDITION: no poller seen"), {
        code: 9,
        details: "no poller seen",
        metadata: { get: () => [] },
      }),
    );
    const lost = await session.submit("Are you there?").catch((error: unknown) => error);
    spy.mockRestore();
    expect(lost).toMatchObject({ code: "NoWorkerError", turnId: undefined });
  });
});

describe("a turn without a worker", () => {
  it.each(["SIGTERM", "SIGKILL"] as const)(
    "API-392 and whose worker has just been ended by %s is known to have nobody, within seconds",
    async (how) => {
      const worker = await stack.startWorker();
      await session.run("Are you there?");
      await worker.kill(how);
      const started = Date.now();
      await expect(session.run("And now?")).rejects.toMatchObject({
        code: "NoWorkerError",
        turnId: expect.any(String),
      });
      expect(Date.now() - started).toBeLessThan(20_000);
    },
    60_000,
  );

  it("API-391 that had been accepted goes on once there is one, as the error says, and is waited for under its id", async () => {
    const match = { text: "Is this answered?" };
    stack.simulator.script(
      { match, reply: { text: "word ".repeat(100) }, pace: { minimumReplyMs: 60_000, chunkSize: 2 } },
      { match, reply: { text: "Whole." } },
    );
    const worker = await stack.startWorker();
    const refused = session.run("Is this answered?", { turnId: "t1" }).catch((error: unknown) => error);
    await stack.simulator.waitForCall((call) => call.lastUserText === match.text && call.chunksSent > 4);
    await worker.kill();
    expect(await refused).toMatchObject({
      code: "NoWorkerError",
      turnId: "t1",
      message: expect.stringMatching(
        /Turn t1 was accepted and goes on once a worker has it; .* it runs once\.$/,
      ),
    });
    const next = await stack.startWorker();
    expect((await session.turn("t1").result()).output).toBe("Whole.");
    await next.kill("SIGTERM");
  }, 120_000);
});

describe("a call without types", () => {
  type Wrong = never;

  it("API-70 with an unknown option is refused, naming the nearest one that there is", async () => {
    const calls = {
      connect: Conversations.connect({ adress: "127.0.0.1:1" } as Wrong),
      start: conversations.start(agent, { ifexists: "open" } as Wrong),
      run: session.run("Question", { file: ["a.pdf"] } as Wrong),
      submit: session.submit("Question", { turnID: "t1" } as Wrong),
      resend: session.resend({ file: [] } as Wrong),
      rebind: session.rebind("gpt-6-luna", { converts: false } as Wrong),
      previewRebind: session.previewRebind("gpt-6-luna", { converted: false } as Wrong),
      toJson: session.toJson({ paths: "a.json" } as Wrong),
      messages: session.messages({ limits: 1 } as Wrong),
      stream: session.stream({ turn_id: "t1" } as Wrong).next(),
      result: session.turn("t1").result({ signals: undefined } as Wrong),
      list: conversations.list({ close: true } as Wrong),
      fromJson: conversations.fromJson("{}", { ifexists: "replace" } as Wrong),
      fromEnvelope: conversations.fromEnvelope({}, { agents: agent } as Wrong),
      fromMessages: conversations.fromMessages([], { dialects: "openai" } as Wrong),
      fork: session.fork({ at: 0, ids: "copy" } as Wrong),
      checkpoint: conversations.start(agent, { checkpoint: { paths: "a.json" } } as Wrong),
      createWorker: createWorker({ taskqueue: "holdfast" } as Wrong),
    };
    const nearest = {
      connect: "address",
      start: "ifExists",
      run: "files",
      submit: "turnId",
      resend: "files",
      rebind: "convert",
      previewRebind: "convert",
      toJson: "path",
      messages: "limit",
      stream: "turnId",
      result: "signal",
      list: "closed",
      fromJson: "ifExists",
      fromEnvelope: "agent",
      fromMessages: "dialect",
      fork: "id",
      checkpoint: "path",
      createWorker: "taskQueue",
    };
    for (const [name, call] of Object.entries(calls)) {
      const refused = await call.catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(UsageError);
      expect((refused as Error).message).toMatch(
        new RegExp(
          `^${name} has no option "\\w+": did you mean ${nearest[name as keyof typeof nearest]}\\?$`,
        ),
      );
    }
    await expect(conversations.start(agent, "an-id" as Wrong)).rejects.toThrow(
      /options of start are an object/,
    );
    await expect(session.submit("Question", { priority: 1 } as Wrong)).rejects.toThrow(
      'submit has no option "priority": it has files, turnId, onBusy, budget, output.',
    );
  });

  it("API-71 with files that are no list, with what is no agent, or with a checkpoint without a path, is refused", async () => {
    const files = session.submit("Question", { files: "contract.pdf" } as Wrong);
    await expect(files).rejects.toThrow(/^`files` is a list, also for one file/);
    for (const wrong of ["claude-haiku-4-5", undefined, { model: "claude-haiku-4-5" }])
      await expect(conversations.start(wrong as Wrong)).rejects.toThrow(UsageError);
    const history = { dialect: "openai", agent: "gpt-6-luna" };
    await expect(conversations.fromMessages([], history as Wrong)).rejects.toThrow(/needs an agent/);
    await expect(session.rebind({ model: "gpt-6-luna" } as Wrong)).rejects.toThrow(/takes an agent/);
    const nowhere = conversations.start(agent, { checkpoint: { path: " " } });
    await expect(nowhere).rejects.toThrow(/checkpoint needs the path/);
  });
});

describe("without a key", () => {
  it("API-62 a turn ends with what is missing and the remedy, a rebind is refused, and the conversation is unharmed", async () => {
    const worker = await stack.startWorker({ HOLDFAST_SIMULATOR_URL: "" });
    const failure = await session.run("Question").catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TurnInterruptedError);
    const { record } = failure as TurnInterruptedError;
    expect(record.error_type).toBe("MissingKeyError");
    expect(record.error).toMatch(/ANTHROPIC_API_KEY .*`holdfast dev` or `holdfast worker`.*--simulate/);
    expect(await session.describe()).toMatchObject({ run_count: 0, totals: { provider_calls: 0 } });
    const gemini = await conversations.start(new Agent({ model: "gemini-3.5-flash" }));
    await expect(gemini.rebind("gemini-3.5-pro")).rejects.toBeInstanceOf(MissingKeyError);
    await worker.kill("SIGTERM");
    const keyed = await stack.startWorker();
    expect((await session.resend()).output).toContain("Question");
    await keyed.kill("SIGTERM");
  });
});

describe("without a conversation", () => {
  it("API-63 whatever is asked of a handle says that there is none, with the way to find those there are", async () => {
    const worker = await stack.startWorker();
    const terminated = await conversations.start(agent, { id: "never-closed" });
    await terminated.status();
    await conversations.temporal.workflow.getHandle(terminated.id).terminate();
    await expect(conversations.open("nobody")).rejects.toThrow(/holdfast list/);
    await expect(conversations.open("nobody")).rejects.toBeInstanceOf(ConversationNotFoundError);
    await expect(terminated.run("Question")).rejects.toMatchObject({ reason: "closed" });
    expect(await (await conversations.open(terminated.id)).messages()).toEqual([]);
    await worker.kill("SIGTERM");
  });
});

describe("without a server", () => {
  it("API-64 connecting says so within seconds, where nothing listens and where nothing answers", async () => {
    const silent = createServer();
    silent.listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as { port: number };
    const started = Date.now();
    const connecting = [`127.0.0.1:${port}`, "127.0.0.1:1"].map((address) =>
      Conversations.connect({ address }).catch((error: unknown) => error),
    );
    for (const refused of await Promise.all(connecting)) {
      expect(refused).toBeInstanceOf(ServerUnreachableError);
      expect((refused as Error).message).toMatch(ONE_LINE);
      expect((refused as Error).message).toContain("holdfast dev");
    }
    expect(Date.now() - started).toBeLessThan(15_000);
    silent.close();
  });

  it("API-66 a call that waits to be tried again when the connection is closed ends with an error that says so, and not the process", async () => {
    const { address } = stack.stack.server;
    const sockets = new Set<Socket>();
    const proxy = createServer((socket) => {
      const server = connect(Number(address.split(":")[1]), "127.0.0.1");
      for (const end of [socket, server]) sockets.add(end.on("error", () => undefined));
      socket.pipe(server).pipe(socket);
    });
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    const { port } = proxy.address() as { port: number };
    const client = startTestProcess("closing-process.ts", [`127.0.0.1:${port}`, session.id], stack);
    const output = text(client.stdout);
    await once(client.stdout, "data");
    proxy.close();
    for (const socket of sockets) socket.destroy();
    client.stdin.write("go\n");
    expect(await once(client, "exit")).toEqual([0, null]);
    expect(await output).toContain(
      `ended with ServerUnreachableError: The connection was closed before the server had answered for conversation "${session.id}": connect again;`,
    );
  });

  it("API-65 and without word of one, the error names the three ways to have one", async () => {
    const folder = await mkdtemp(join(tmpdir(), "holdfast-nowhere-"));
    const refused = await Conversations.connect({ cwd: folder, env: {} }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ServerUnreachableError);
    expect((refused as Error).message).toMatch(/holdfast dev.*TEMPORAL_ADDRESS.*embedded: true/);
    await rm(folder, { recursive: true });
  });
});
