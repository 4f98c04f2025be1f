/** The loop of a chat: a line in, an answer out, and the few commands that begin with a slash. */
import { randomUUID } from "node:crypto";
import { createInterface, type Interface } from "node:readline/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { Conversation } from "../client/conversation.js";
import type { Turn } from "../client/turn.js";
import {
  isHoldfastError,
  NoWorkerError,
  ServerUnreachableError,
  TurnInterruptedError,
} from "../core/errors/errors.js";
import { ChatFiles } from "./chat-files.js";
import { inCommandWords } from "./remedies.js";
import { oneLine } from "./report-error.js";
import { type Follow, runTurn } from "./run-turn.js";
import type { Terminal } from "./terminal.js";
import { TurnDisplay } from "./turn-display.js";
import { count, hint } from "./wording.js";

const AGAIN_MS = 1_000;

const HELP = [
  "/file PATH     attach a file to the next message",
  "/file          what is attached; /file - drops it",
  "/model MODEL   go on with another model, also of another provider",
  "/status        where the conversation stands",
  "/export FILE   write its envelope to a file",
  "/exit          leave; the conversation stays",
];

export interface ChatSessionOptions {
  readonly terminal: Terminal;
  readonly cwd: string;
  /** For the first message. */
  readonly files: readonly string[];
  /** Whether the worker runs in this process, with this terminal for its warnings. */
  readonly embedded?: boolean;
  /** The conversation once more, on a connection to wherever the server is now. */
  readonly reopen?: () => Promise<Conversation>;
  /** Tells of the server of the conversation, once it does not answer. */
  readonly watch?: (tell: (line: string) => void) => Disposable;
}

export class ChatSession {
  #conversation: Conversation;
  readonly #terminal: Terminal;
  readonly #input: Interface;
  readonly #incoming: AsyncIterator<string>;
  readonly #left = new AbortController();
  readonly #files: ChatFiles;
  readonly #embedded: boolean;
  readonly #reopen: ChatSessionOptions["reopen"];
  readonly #watch: ChatSessionOptions["watch"];
  #turn: Turn | undefined;
  #stopping = false;

  constructor(
    conversation: Conversation,
    { terminal, cwd, files, embedded = false, reopen, watch }: ChatSessionOptions,
  ) {
    this.#embedded = embedded;
    this.#reopen = reopen;
    this.#watch = watch;
    this.#conversation = conversation;
    this.#terminal = terminal;
    this.#files = new ChatFiles(files, cwd, () => this.#conversation.status());
    const interactive = process.stdin.isTTY === true;
    this.#input = createInterface({
      input: process.stdin,
      ...(interactive ? { output: process.stderr } : {}),
      terminal: interactive,
    });
    // From the first moment on: what a pipe brings before somebody listens would be lost.
    this.#incoming = this.#input[Symbol.asyncIterator]();
    this.#input.on("SIGINT", () => this.#interrupt());
  }

  /** Until the input ends, /exit, or Ctrl-C twice. */
  async run(): Promise<void> {
    const { provider, model, run_count } = await this.#conversation.status();
    const before = run_count === 0 ? "" : `, after ${count(run_count, "turn")}`;
    this.#remark(
      `${this.#conversation.id} on ${provider}:${model}${before}. /help lists the commands, /exit leaves.`,
    );
    try {
      this.#prompt();
      for await (const line of this.#lines()) {
        if (line === "/exit" || line === "/quit") return;
        await this.#take(line);
        if (this.#left.signal.aborted) return;
        this.#prompt();
      }
      // The prompt still stands there.
      if (process.stdin.isTTY === true) this.#terminal.note("");
    } finally {
      this.#input.close();
    }
  }

  async *#lines(): AsyncGenerator<string> {
    const closed = new Promise<undefined>((resolve) => {
      this.#left.signal.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    for (;;) {
      const next = await Promise.race([this.#incoming.next(), closed]);
      if (next === undefined || next.done === true) return;
      yield next.value.trim();
    }
  }

  #prompt(): void {
    if (process.stdin.isTTY !== true) return;
    this.#input.setPrompt(`${this.#terminal.styleNote("cyan", "›")} `);
    this.#input.prompt();
  }

  async #take(line: string): Promise<void> {
    if (line === "" && this.#files.paths.length === 0) return;
    try {
      if (line.startsWith("/")) await this.#command(line);
      else await this.#say(line);
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
      this.#terminal.warn(inCommandWords(oneLine(error.message)));
    }
  }

  async #say(message: string): Promise<void> {
    const files = this.#files.paths;
    this.#stopping = false;
    try {
      await this.#answer(message, files);
    } catch (error) {
      if (this.#left.signal.aborted) return;
      if (error instanceof NoWorkerError && error.turnId !== undefined) this.#files.clear();
      await this.#keepFiles();
      if (!(error instanceof TurnInterruptedError && this.#stopping)) throw error;
      this.#remark("stopped; what was said is kept in the turn's record.");
    } finally {
      this.#turn = undefined;
    }
  }

  /** The same turn again, where the server was lost in it: it runs once. */
  async #answer(message: string, files: readonly string[]): Promise<void> {
    const turnId = randomUUID();
    const { signal } = this.#left;
    const onAccepted = (turn: Turn): void => {
      this.#turn = turn;
      this.#files.clear();
    };
    for (;;) {
      const display = new TurnDisplay(this.#terminal, {
        workerTells: this.#embedded,
        conversation: this.#conversation.id,
      });
      try {
        using _watch = this.#watch?.((line) => display.remark(line));
        const begin = (follow: Follow) => this.#conversation.run(message, { files, turnId, ...follow });
        await runTurn(begin, display, { onAccepted, signal });
        return;
      } catch (error) {
        if (this.#reopen === undefined || signal.aborted || !(error instanceof ServerUnreachableError))
          throw error;
        await this.#untilBack(this.#reopen);
      }
    }
  }

  async #untilBack(reopen: () => Promise<Conversation>): Promise<void> {
    const { id } = this.#conversation;
    const goesOn = this.#turn === undefined ? "" : " The turn goes on without this chat:";
    this.#remark(
      hint(
        `The server does not answer.${goesOn} \`holdfast show ${id}\` or \`holdfast tail ${id}\` shows it once it does. It is tried again until Ctrl-C.`,
      ),
    );
    while (!this.#left.signal.aborted && !this.#stopping) {
      await delay(AGAIN_MS, undefined, { signal: this.#left.signal }).catch(() => undefined);
      try {
        this.#conversation = await reopen();
        this.#remark("The server is back.");
        return;
      } catch (error) {
        if (!(error instanceof ServerUnreachableError || error instanceof NoWorkerError)) throw error;
      }
    }
    throw new ServerUnreachableError(
      `The Temporal server does not answer: \`holdfast show ${id}\` shows the answer once it does.`,
    );
  }

  /** Those of a message that was not accepted go with the next one, as far as they can. */
  async #keepFiles(): Promise<void> {
    if (this.#files.paths.length === 0) return;
    await this.#files.keepGood();
    this.#remark(this.#files.describe());
  }

  async #attach(path: string): Promise<void> {
    if (path === "-") this.#files.clear();
    else if (path !== "") await this.#files.add(path);
    this.#remark(this.#files.describe());
  }

  async #command(line: string): Promise<void> {
    const [name = "", ...rest] = line.split(/\s+/);
    const argument = rest.join(" ");
    switch (name) {
      case "/help":
        for (const text of HELP) this.#remark(text);
        return;
      case "/status":
        return this.#status();
      case "/file":
        return this.#attach(argument);
      case "/model":
        if (argument === "") return this.#remark("/model MODEL");
        await this.#conversation.rebind(argument);
        return this.#status();
      case "/export":
        if (argument === "") return this.#remark("/export FILE");
        await this.#conversation.toJson({ path: argument });
        return this.#remark(`written to ${argument}`);
      default:
        this.#remark(`There is no ${name} here:`);
        for (const text of HELP) this.#remark(text);
    }
  }

  async #status(): Promise<void> {
    const { state, provider, model, run_count, message_count } = await this.#conversation.status();
    this.#remark(
      `${this.#conversation.id}: ${state}, ${provider}:${model}, ${count(run_count, "turn")}, ${count(message_count, "message")}`,
    );
  }

  /** Ctrl-C: stops the answer; once more, or at the prompt twice, ends the chat. */
  /** Ends the chat as /exit does; what is being answered goes on without it. */
  leave(): void {
    this.#left.abort();
  }

  #interrupt(): void {
    const turn = this.#turn;
    if (turn === undefined || this.#stopping) {
      if (turn === undefined && !this.#stopping) {
        this.#stopping = true;
        this.#remark("\nCtrl-C once more, or /exit, ends the chat.");
        this.#prompt();
        return;
      }
      this.#left.abort();
      return;
    }
    this.#stopping = true;
    this.#remark("\nstopping…");
    turn.cancel("Stopped in the chat.").catch(() => undefined);
  }

  #remark(line: string): void {
    this.#terminal.note(this.#terminal.styleNote("dim", line));
  }
}
