import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync } from "node:fs";
import { createRequire } from "node:module";
import { setTimeout as delay } from "node:timers/promises";
import { findFreePorts } from "../../../src/server/free-ports.js";
import { guardProcess } from "../../../src/server/guard-process.js";

const START_MS = 60_000;

/** The program that the package of this platform carries. */
function program() {
  const own = createRequire(
    createRequire(import.meta.url).resolve("@restatedev/restate-server/lib/index.js"),
  );
  return own.resolve(`@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`);
}

export default {
  title: "Restate, virtual object",
  about:
    "A virtual object for each conversation, the messages its state, the call of the provider a journalled action, one server at its defaults, as docs.restate.dev/ai/patterns/sessions has it.",
  packages: ["@restatedev/restate-sdk", "@restatedev/restate-sdk-clients", "openai"],
  servers: ["@restatedev/restate-server"],
  growth: "quadratic",
  async missing() {
    try {
      return existsSync(program()) ? undefined : "its server's program is missing";
    } catch (error) {
      return `its server is not there for ${process.platform} on ${process.arch}: ${error.code}`;
    }
  },
  async startServices({ folder, log }) {
    const [ingress, admin, node, service] = await findFreePorts(4);
    const output = openSync(log, "a");
    const server = spawn(program(), ["--base-dir", folder], {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        RESTATE_LISTEN_MODE: "tcp",
        RESTATE_BIND_IP: "127.0.0.1",
        RESTATE_ADVERTISED_HOST: "127.0.0.1",
        RESTATE_BIND_PORT: String(node),
        RESTATE_INGRESS__BIND_PORT: String(ingress),
        RESTATE_ADMIN__BIND_PORT: String(admin),
        RESTATE_DISABLE_TELEMETRY: "true",
      },
      stdio: ["ignore", output, output],
    });
    await once(server, "spawn");
    server.once("exit", guardProcess(server.pid, "TERM"));
    const address = `http://127.0.0.1:${admin}`;
    await untilHealthy([`${address}/health`, `http://127.0.0.1:${ingress}/restate/health`], server);
    return {
      env: {
        RESTATE_INGRESS: `http://127.0.0.1:${ingress}`,
        RESTATE_ADMIN: address,
        RESTATE_SERVICE_PORT: String(service),
      },
      async stop() {
        if (server.exitCode !== null || server.signalCode !== null) return;
        const exited = once(server, "exit");
        server.kill("SIGTERM");
        await Promise.race([exited, delay(10_000).then(() => server.kill("SIGKILL"))]);
      },
    };
  },
};

async function untilHealthy(urls, server) {
  const until = performance.now() + START_MS;
  for (const url of urls)
    for (;;) {
      const healthy = await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      );
      if (healthy) break;
      if (server.exitCode !== null) throw new Error(`restate-server ended with ${server.exitCode}`);
      if (performance.now() > until) throw new Error(`restate-server is not healthy after ${START_MS} ms`);
      await delay(50);
    }
}
