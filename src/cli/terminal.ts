/** What a command writes: data on stdout, everything that is said about it on stderr. Colour only where a person looks. */
import { styleText } from "node:util";
import { hint } from "./wording.js";

export type Style = Parameters<typeof styleText>[0];

export class Terminal {
  readonly #out: NodeJS.WriteStream;
  readonly #err: NodeJS.WriteStream;

  constructor(out: NodeJS.WriteStream = process.stdout, err: NodeJS.WriteStream = process.stderr) {
    this.#out = out;
    this.#err = err;
  }

  /** Whether a person reads stdout as it comes; otherwise it is a file or another program. */
  get isInteractive(): boolean {
    return this.#out.isTTY === true;
  }

  /** Columns of the terminal; 100 where there is none. */
  get width(): number {
    return this.#out.columns ?? 100;
  }

  /** A line of data. */
  print(line = ""): void {
    this.#out.write(`${line}\n`);
  }

  /** A piece of an answer, as it comes. */
  write(text: string): void {
    this.#out.write(this.safe(text));
  }

  /** Data as JSON: the only thing on stdout with `--json`. */
  json(value: unknown): void {
    this.print(JSON.stringify(value, null, 2));
  }

  /** A line about what happens. */
  note(line: string): void {
    this.#err.write(`${line}\n`);
  }

  /** Something that does not stop the command, but that somebody should know. */
  warn(line: string): void {
    this.note(`${this.styleNote("yellow", "holdfast:")} ${hint(line)}`);
  }

  /** Styled for stdout: plain where that is no terminal, or NO_COLOR is set. */
  style(style: Style, text: string): string {
    return styleText(style, text, { stream: this.#out });
  }

  /** Styled for stderr. */
  styleNote(style: Style, text: string): string {
    return styleText(style, text, { stream: this.#err });
  }

  /** What a model or a file says must not steer the terminal: control characters go, where a terminal would obey them. */
  safe(text: string): string {
    return this.isInteractive ? withoutControls(text) : text;
  }
}

/** Without control characters but line ends and tabs. */
export function withoutControls(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, "");
}
