/** `holdfast temporal`: Temporal's own command, at the server that the other commands use. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { loadEnvFile } from "../../connection/env-file.js";
import { resolveSettings } from "../../connection/settings.js";
import { ServerUnreachableError } from "../../core/errors/errors.js";
import { type Command, type CommandContext, defineCommand } from "../command.js";

const args = {
  words: {
    type: "positional",
    required: false,
    variadic: true,
    valueHint: "ARGS",
    description: "all of them go to `temporal` as they are, options too",
  },
} as const;

export const command: Command = defineCommand({
  args,
  passesThrough: true,
  details:
    "Runs the `temporal` that Holdfast uses, with TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE of the `holdfast dev` that runs here.\nWhere the environment names a server, that one is used. The exit code is that of `temporal`.",
  examples: [
    ["the conversations as workflows", "holdfast temporal workflow list"],
    ["the events of one", "holdfast temporal workflow show --workflow-id contract-review"],
  ],
  run,
});

async function run({ args: { words }, terminal, env, cwd }: CommandContext<typeof args>): Promise<number> {
  loadEnvFile(cwd, env);
  const { findTemporalBinary } = await import("../../server/find-temporal-binary.js");
  const { path } = await findTemporalBinary({ env, onProgress: (line) => terminal.note(line) });
  const child = spawn(path, [...words], { stdio: "inherit", env: { ...env, ...serverOf(env, cwd) } });
  // Ctrl-C reaches both; this process ends after the other one.
  const wait = (): void => undefined;
  const pass = (): void => void child.kill("SIGTERM");
  process.on("SIGINT", wait).on("SIGTERM", pass);
  try {
    const [code, signal]: [number | null, NodeJS.Signals | null] = await once(child, "exit").then(
      ([first, second]) => [first, second],
    );
    return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  } finally {
    process.off("SIGINT", wait).off("SIGTERM", pass);
  }
}

/** Nothing where the environment or a profile names the server, which `temporal` reads itself, or where none is known. */
function serverOf(env: NodeJS.ProcessEnv, cwd: string): NodeJS.ProcessEnv {
  try {
    const { source, connection, namespace } = resolveSettings({ env, cwd });
    if (source !== "dev-folder") return {};
    return { TEMPORAL_ADDRESS: connection.address, TEMPORAL_NAMESPACE: namespace };
  } catch (error) {
    if (error instanceof ServerUnreachableError) return {};
    throw error;
  }
}
