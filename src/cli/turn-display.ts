/** Shows a turn: its text as it comes where a person looks, its answer exactly once where a program reads. */
import type { RunResult } from "../client/run-result.js";
import { isMediaLoss, mediaLine } from "../connection/log-media.js";
import type { Frame } from "../core/conversation/frame.js";
import { oneLine } from "./report-error.js";
import { type Terminal, withoutControls } from "./terminal.js";
import { costPart, hint, shorten, tokens } from "./wording.js";

const ARGUMENTS_SHOWN = 80;

export class TurnDisplay {
  readonly #terminal: Terminal;
  readonly #live: boolean;
  readonly #silent: boolean;
  readonly #workerTells: boolean;
  readonly #conversation: string;
  /** Of the tools called, by the number and the id of the call. */
  readonly #names = new Map<string | number, string>();
  /** Calls whose result is that they were denied, by number. */
  readonly #denied = new Set<number>();
  #attempt = 0;
  #text = "";
  #thinking = false;
  #labelled = false;

  /** `silent`: nothing goes to stdout, where JSON will. `workerTells`: a worker of this process warns of lost attachments by itself. `conversation`: the id, for hints. */
  constructor(
    terminal: Terminal,
    options: {
      readonly silent?: boolean;
      readonly workerTells?: boolean;
      readonly conversation?: string;
    } = {},
  ) {
    this.#terminal = terminal;
    this.#conversation = options.conversation ?? "ID";
    this.#silent = options.silent ?? false;
    this.#workerTells = options.workerTells ?? false;
    this.#live = terminal.isInteractive && !this.#silent;
  }

  take(frame: Frame): void {
    if (frame.attempt > this.#attempt) this.#begin(frame.attempt);
    switch (frame.type) {
      case "attempt":
        if (frame.simulated) this.#label(frame.model);
        break;
      case "text":
        this.#show(frame.text);
        break;
      case "reasoning":
        if (this.#live && !this.#thinking) this.#note("thinking…");
        this.#thinking = true;
        break;
      case "tool_call":
        // The answer is what the model says last: what it said on the way to a tool stands above.
        this.#endLine();
        this.#note(`calls ${frame.name}(${shorten(frame.arguments, ARGUMENTS_SHOWN)})`);
        this.#names.set(frame.id, frame.name).set(frame.call, frame.name);
        if (frame.approval !== undefined) {
          const call = `${this.#conversation} ${frame.approval}`;
          this.#note(hint(`waits for approval: \`holdfast approve ${call}\` or \`holdfast deny ${call}\``));
        }
        break;
      case "tool_approval":
        this.#note(decisionLine(frame, this.#nameOf(frame)));
        if (!frame.approved) this.#denied.add(frame.call);
        break;
      case "tool_result":
        // Said already, with the reason.
        if (frame.call !== undefined && this.#denied.has(frame.call)) break;
        this.#note(
          `${this.#nameOf(frame)} ${frame.is_error ? "failed" : "answers"}: ${shorten(frame.output, 200)}`,
        );
        break;
      case "missed":
        this.#note("some of the text on the way is no longer kept; the answer comes whole");
        break;
      case "retry":
        this.#note(
          `${frame.error_type}: ${shorten(oneLine(frame.error), 200)}; once more in ${Math.ceil(frame.delay_ms / 1_000)} s`,
        );
        break;
      default:
        break;
    }
  }

  /** After the last frame: the committed answer stands on stdout, whatever was shown of it before. */
  finish(result: RunResult): void {
    if (result.simulated) this.#label(result.model);
    const answer = answerOf(result);
    if (!this.#silent) {
      if (this.#isShown(answer)) this.#endLine();
      else this.#replace(answer);
    }
    this.#warn(result);
    const remark = endRemark(result);
    if (remark !== undefined) this.#note(remark);
    if (this.#live) {
      this.#note(`${result.provider}:${result.model} · ${tokens(result.usage)}${costPart(result.cost)}`);
    }
  }

  /** The answer was given without them. */
  #warn({ mediaReport }: RunResult): void {
    if (this.#workerTells) return;
    for (const entry of mediaReport.filter(isMediaLoss)) this.#terminal.warn(mediaLine(entry));
  }

  /** A line beside the turn, below what is shown of it. */
  remark(line: string): void {
    this.#note(line);
  }

  /** The turn did not end with an answer. */
  abandon(): void {
    this.#endLine();
  }

  #nameOf({ call, id }: { readonly call?: number; readonly id: string }): string {
    return this.#names.get(call ?? id) ?? "the tool";
  }

  #begin(attempt: number): void {
    const again = this.#attempt > 0;
    this.#attempt = attempt;
    this.#thinking = false;
    if (!again) return;
    const begun = this.#text !== "";
    this.#endLine();
    if (begun) this.#note("the answer begins anew");
  }

  #show(text: string): void {
    if (!this.#live) return;
    this.#terminal.write(text);
    this.#text += text;
  }

  #isShown(output: string): boolean {
    const words = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
    return this.#text !== "" && words(this.#text) === words(output);
  }

  #replace(output: string): void {
    if (this.#text !== "") {
      this.#endLine();
      this.#note("the answer as it was committed:");
    }
    this.#terminal.write(output.endsWith("\n") ? output : `${output}\n`);
  }

  #endLine(): void {
    if (this.#text !== "" && !this.#text.endsWith("\n")) this.#terminal.print();
    this.#text = "";
  }

  #label(model: string): void {
    if (!this.#labelled) this.#note(`simulated: the simulator answers in the place of ${model}`);
    this.#labelled = true;
  }

  #note(line: string): void {
    if (this.#text !== "" && !this.#text.endsWith("\n")) {
      this.#terminal.print();
      this.#text += "\n";
    }
    this.#terminal.note(this.#terminal.styleNote("dim", withoutControls(line)));
  }
}

function decisionLine(frame: Extract<Frame, { type: "tool_approval" }>, name: string): string {
  const { call, approved, reason = "", arguments: edited } = frame;
  const instead = edited === undefined ? "" : ` with ${shorten(edited, ARGUMENTS_SHOWN)}`;
  const why = reason === "" ? "" : `: ${shorten(reason, 200)}`;
  return `call ${call} (${name}) is ${approved ? "approved" : "denied"}${instead}${why}`;
}

/** What the text does not show of its end. */
function endRemark({ output, finishReason }: RunResult): string | undefined {
  if (finishReason?.unified === "length")
    return "The answer was cut at the model's limit of output tokens: raise it in the agent's params, or ask it to go on.";
  return output.trim() === "" ? "The model answered nothing." : undefined;
}

/** Of a structured answer the JSON alone: a program reads it. */
function answerOf({ output, data }: RunResult): string {
  if (data === undefined || !output.trim().startsWith("```")) return output;
  return JSON.stringify(data);
}
