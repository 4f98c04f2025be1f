/** A PostgreSQL server of the test's own: its data in a folder, on loopback. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { untilListening } from "../../src/server/wait-until-serving.js";
import { guardChild } from "../support/guard-child.js";

const START_MS = 30_000;

/** Who a program runs as, where that is not who runs this. */
interface Identity {
  readonly uid?: number;
  readonly gid?: number;
}

export interface Postgresql {
  readonly port: number;
  readonly user: string;
  stop(): Promise<void>;
}

export async function startPostgresql(programs: string, folder: string, port: number): Promise<Postgresql> {
  const identity = await otherThanRoot();
  const data = join(folder, "postgresql");
  mkdirSync(data, { mode: 0o700 });
  if (identity.uid !== undefined && identity.gid !== undefined) chownSync(data, identity.uid, identity.gid);
  const user = "temporal";
  const initialise = [
    "--pgdata",
    data,
    "--username",
    user,
    "--auth",
    "trust",
    "--encoding",
    "UTF8",
    "--no-locale",
  ];
  await promisify(execFile)(join(programs, "initdb"), initialise, { ...identity, cwd: data });
  const log = openSync(join(folder, "postgresql.log"), "a");
  const settings = [`port=${port}`, "listen_addresses=127.0.0.1", `unix_socket_directories=${data}`];
  const server = spawn(
    join(programs, "postgres"),
    ["-D", data, ...settings.flatMap((setting) => ["-c", setting])],
    { ...identity, cwd: data, stdio: ["ignore", log, log] },
  );
  await once(server, "spawn");
  // An immediate shutdown: its own processes end with it.
  guardChild(server, "QUIT");
  await untilListening(`127.0.0.1:${port}`, AbortSignal.timeout(START_MS));
  return {
    port,
    user,
    async stop() {
      if (server.exitCode !== null || server.signalCode !== null) return;
      const exited = once(server, "exit");
      // A fast shutdown: it does not wait for its clients.
      server.kill("SIGINT");
      await Promise.race([exited, delay(10_000).then(() => server.kill("SIGKILL"))]);
    },
  };
}

/** PostgreSQL refuses to be run by root. */
async function otherThanRoot(): Promise<Identity> {
  if (process.getuid?.() !== 0) return {};
  const users = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => line.split(":"));
  const user = users.find(([name]) => name === "postgres") ?? users.find(([name]) => name === "nobody");
  return { uid: Number(user?.[2]), gid: Number(user?.[3]) };
}
