/** What the tour prints: numbered steps, lines with a label, and answers that appear as they are streamed. */
import { styleText } from "node:util";
import { type Style, withoutControls } from "../terminal.js";

const LABEL_WIDTH = 12;
const INDENT = "   ";
const MAXIMUM_WIDTH = 100;
const PLAIN_WIDTH = 100;

export class Screen {
  readonly #out: NodeJS.WriteStream;
  readonly #width: number;

  /** Colour only where the stream is a terminal and NO_COLOR is not set. */
  constructor(out: NodeJS.WriteStream = process.stdout) {
    this.#out = out;
    this.#width = Math.min(out.isTTY ? out.columns : PLAIN_WIDTH, MAXIMUM_WIDTH);
  }

  title(text: string, remark: string): void {
    this.#out.write(`\n${this.#styled("bold", text)}  ${this.#styled("dim", remark)}\n`);
  }

  step(number: number, text: string): void {
    this.#out.write(`\n${this.#styled(["bold", "cyan"], String(number))}  ${this.#styled("bold", text)}\n`);
  }

  /** One labelled line, broken at words where it is longer than the screen. */
  line(label: string, text: string, style: Style = "dim"): void {
    const paragraph = this.stream(label, style);
    paragraph.write(text);
    paragraph.end();
  }

  /** A labelled paragraph whose text comes in pieces. */
  stream(label: string, style: Style = "dim"): Paragraph {
    this.#out.write(`${INDENT}${this.#styled(style, label.padEnd(LABEL_WIDTH))}`);
    return new Paragraph(this.#out, INDENT.length + LABEL_WIDTH, this.#width);
  }

  closing(...lines: readonly string[]): void {
    this.#out.write(`\n${lines.join("\n")}\n`);
  }

  #styled(style: Style, text: string): string {
    return styleText(style, text, { stream: this.#out });
  }
}

/** Text that is broken at words while it arrives; a word is held back until its end is known. */
export class Paragraph {
  readonly #out: NodeJS.WritableStream;
  readonly #indent: number;
  readonly #width: number;
  #column: number;
  #word = "";
  /** A blank that is written with the next word, so that no line ends in one. */
  #blank = "";

  constructor(out: NodeJS.WritableStream, indent: number, width: number) {
    this.#out = out;
    this.#indent = indent;
    this.#width = width;
    this.#column = indent;
  }

  write(text: string): void {
    const pieces = `${this.#word}${withoutControls(text)}`.split(/(\s+)/);
    this.#word = pieces.pop() ?? "";
    for (const piece of pieces) this.#put(piece);
  }

  /** Writes what was held back, then the mark where the text was broken off. */
  end(mark = ""): void {
    this.#put(this.#word);
    this.#word = "";
    if (mark !== "") this.#put(mark);
    this.#out.write("\n");
  }

  #put(piece: string): void {
    if (piece === "") return;
    if (piece.trim() === "") {
      this.#blank = piece.includes("\n") ? "\n" : " ";
      return;
    }
    const isFirst = this.#column === this.#indent;
    const fits = this.#column + this.#blank.length + piece.length <= this.#width;
    if (!isFirst && (this.#blank === "\n" || !fits)) {
      this.#out.write(`\n${" ".repeat(this.#indent)}${piece}`);
      this.#column = this.#indent + piece.length;
    } else {
      const text = `${isFirst ? "" : this.#blank}${piece}`;
      this.#out.write(text);
      this.#column += text.length;
    }
    this.#blank = "";
  }
}
