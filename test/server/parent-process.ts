/** A process of its own that starts an embedded server, to show what becomes of the server when that process ends. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { repositoryRoot } from "../support/source-file.js";

export interface Parent {
  readonly process: ChildProcess;
  readonly serverPid: number;
}

/** Node runs TypeScript as it is; only the `.js` of the imports has to be led to the source. */
const RESOLVE_SOURCES = `
  import { registerHooks } from "node:module";
  registerHooks({
    resolve(specifier, context, next) {
      const isSource = specifier.startsWith(".") && context.parentURL?.includes("/src/");
      return next(isSource ? specifier.replace(/\\.js$/, ".ts") : specifier, context);
    },
  });
`;

/** Runs `then` in a process that has started a server on the folder. */
export async function startParent(folder: string, binary: string, then: string): Promise<Parent> {
  const options = JSON.stringify({ folder, binary, ui: false });
  const code = `
    ${RESOLVE_SOURCES}
    const { startEmbeddedServer } = await import("./src/server/embedded-server.ts");
    const server = await startEmbeddedServer(${options});
    process.stdout.write(server.pid + "\\n");
    ${then}
  `;
  const child = spawn(process.execPath, ["--input-type=module"], {
    cwd: repositoryRoot,
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.stdin.end(code);
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return { process: child, serverPid: Number(line.toString()) };
}
