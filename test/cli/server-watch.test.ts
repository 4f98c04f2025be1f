import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestStack, type TestStack } from "../support/stack.js";
import { type RunningCommand, startCommand } from "./run-command.js";

const MODEL = "claude-haiku-4-5";

/** The way to a server, which can be cut and mended. */
class Way {
  readonly #to: number;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  port = 0;

  constructor(to: number) {
    this.#to = to;
  }

  async open(): Promise<void> {
    this.#server = createServer((socket) => {
      const server = connect(this.#to, "127.0.0.1");
      for (const end of [socket, server]) this.#sockets.add(end.on("error", () => undefined));
      socket.pipe(server).pipe(socket);
    });
    this.#server.listen(this.port, "127.0.0.1");
    await once(this.#server, "listening");
    this.port = (this.#server.address() as { port: number }).port;
  }

  cut(): void {
    this.#server?.close();
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }
}

let stack: TestStack;
let way: Way;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.stop());
beforeEach(async () => {
  stack.simulator.reset();
  way = new Way(Number(stack.stack.server.address.split(":")[1]));
  await way.open();
});
afterEach(() => way.cut());

/** A command that is asked through the way, whose answer takes so long. */
async function asked(...words: readonly string[]): Promise<RunningCommand> {
  stack.simulator.script({ reply: { text: "Here it is." }, pace: { minimumReplyMs: 4_000 } });
  const env = { TEMPORAL_ADDRESS: `127.0.0.1:${way.port}`, TEMPORAL_NAMESPACE: "holdfast" };
  const command = startCommand(words, { cwd: stack.folder, env });
  if (words[0] === "chat") {
    await command.shows("/exit leaves");
    command.child.stdin?.end("Wait.\n");
  }
  await stack.simulator.waitForCall(() => true);
  return command;
}

describe("a server that is away while its answer is waited for", () => {
  it.each([
    ["send", ["send", "sent", "Wait.", "-m", MODEL]],
    ["chat", ["chat", "talked", "-m", MODEL]],
  ])(
    "CMD-341 is told once by `%s`, with its address, which goes on when it is there again",
    async (_, words) => {
      await using command = await asked(...words);
      way.cut();
      const line = `The Temporal server at 127.0.0.1:${way.port} does not answer: waiting for it.`;
      await command.shows(line);
      await way.open();
      expect(await command.ended()).toBe(0);
      expect(command.stdout()).toBe("Here it is.\n");
      expect(command.stderr().split(line)).toHaveLength(2);
    },
  );
});
