/** A stream that remembers what was written, and passes for a terminal where it should. */
import { Writable } from "node:stream";
import { WriteStream } from "node:tty";

export interface FakeStream {
  readonly stream: NodeJS.WriteStream;
  text(): string;
}

export function fakeStream(options: {
  readonly terminal: boolean;
  readonly env?: NodeJS.ProcessEnv;
}): FakeStream {
  let written = "";
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      written += String(chunk);
      done();
    },
  });
  const env = { TERM: "xterm-256color", ...options.env };
  const terminal = {
    isTTY: options.terminal,
    columns: 80,
    getColorDepth: () => WriteStream.prototype.getColorDepth.call(stream, env),
  };
  return { stream: Object.assign(stream, terminal) as unknown as NodeJS.WriteStream, text: () => written };
}
