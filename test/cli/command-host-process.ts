// Runs commands of the built package one after another, each with the folder, environment, input and output of its order, so
// that not every command of a test has to load the same modules anew.
import { Console } from "node:console";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import type { Order, Outcome } from "./command-host.js";

type RunCli = (argv: readonly string[], env: NodeJS.ProcessEnv) => Promise<number>;

const built = join(import.meta.dirname, "../../dist/cli");
const { runCli }: { runCli: RunCli } = await import(pathToFileURL(join(built, "run-cli.js")).href);
process.argv[1] = join(built, "main.js");

let last: Promise<void> = Promise.resolve();
process.on("message", (order: Order) => {
  last = last.then(async () => void process.send?.(await carryOut(order)));
});
process.once("disconnect", () => process.exit());

async function carryOut({ args, cwd, env, input }: Order): Promise<Outcome> {
  const written = { stdout: "", stderr: "" };
  process.chdir(cwd);
  process.env = { ...env };
  stand("stdin", Readable.from(input === "" ? [] : [Buffer.from(input)]));
  for (const name of ["stdout", "stderr"] as const) {
    const write = (piece: string): void => {
      written[name] += piece;
    };
    stand(name, collector(write));
  }
  globalThis.console = new Console(process.stdout, process.stderr);
  const code = await runCli(args, process.env);
  return { code, ...written };
}

/** In the place of the process's own stream, as a pipe would stand there. */
function stand(name: "stdin" | "stdout" | "stderr", stream: Readable | Writable): void {
  Object.defineProperty(process, name, { value: stream, configurable: true });
}

function collector(write: (piece: string) => void): Writable {
  return new Writable({
    decodeStrings: false,
    write: (piece: string | Buffer, _encoding, done) => {
      write(piece.toString());
      done();
    },
  });
}
