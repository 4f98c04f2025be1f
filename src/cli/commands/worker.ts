/** `holdfast worker`: a worker process for a server that runs elsewhere. */
import { Cleanup } from "../../connection/cleanup.js";
import { loadEnvFile } from "../../connection/env-file.js";
import { describeSource, resolveSettings, type Settings } from "../../connection/settings.js";
import { WarningLogger } from "../../connection/warning-logger.js";
import { SIMULATOR_VARIABLE } from "../../providers/settings.js";
import { type Command, type CommandContext, defineCommand } from "../command.js";
import { workerArguments } from "../common-arguments.js";
import { loadModule } from "../load-module.js";
import { allKeys, keysFound, simulatorOf } from "../provider-keys.js";
import { strayErrors } from "../stray-errors.js";
import { count } from "../wording.js";

export const command: Command = defineCommand({
  args: workerArguments,
  details:
    "Takes conversations from the server of TEMPORAL_ADDRESS or a Temporal config profile, else of the `holdfast dev` that runs here.\nWhere that one simulates, this worker does so too. SIGTERM and Ctrl-C let it finish what it is doing.",
  examples: [
    ["beside a `holdfast dev`", "holdfast worker"],
    ["for a cluster", "TEMPORAL_ADDRESS=temporal.example:7233 holdfast worker agents.ts"],
  ],
  run,
});

async function run({
  args: given,
  terminal,
  env,
  cwd,
}: CommandContext<typeof workerArguments>): Promise<number | undefined> {
  const envFile = loadEnvFile(cwd, env);
  const settings = resolveSettings({ env, cwd });
  const { agents, stores, tools } = await loadModule(given.module, cwd);
  await using parts = new Cleanup();
  const simulator =
    settings.simulatorUrl ?? simulatorOf(env) ?? (given.simulate ? await ownSimulator(parts) : undefined);
  const { createWorker } = await import("../../worker/create-worker.js");
  const worker = await createWorker({
    agents,
    tools,
    stores,
    env: simulator === undefined ? env : { ...env, [SIMULATOR_VARIABLE]: simulator },
    cwd,
    logger: new WarningLogger((line) => terminal.warn(line)),
  });
  if (envFile !== null) terminal.note(`${envFile.path}: ${count(envFile.names.length, "variable")} read.`);
  terminal.note(
    `${worker.identity} takes ${settings.taskQueue} ${serverOf(settings)}; Ctrl-C lets it finish and ends it.`,
  );
  if (agents.length > 0) terminal.note(`Agents: ${agents.map(({ spec }) => spec.name).join(", ")}.`);
  if (tools.length > 0) terminal.note(`Tools: ${tools.map(({ name }) => name).join(", ")}.`);
  terminal.note(modelsLine(simulator, env));
  using strays = strayErrors((line) => terminal.warn(line));
  void strays.thrown.then(() => worker.shutdown());
  await worker.run();
  terminal.note(`${worker.identity} has finished.`);
  return strays.exitCode;
}

async function ownSimulator(parts: Cleanup): Promise<string> {
  const { startSimulator } = await import("../../simulator/simulator.js");
  return parts.use(await startSimulator()).url;
}

const serverOf = (settings: Settings): string =>
  `at ${settings.connection.address}, namespace ${settings.namespace} (${describeSource(settings)})`;

function modelsLine(simulator: string | undefined, env: NodeJS.ProcessEnv): string {
  if (simulator !== undefined) return `Simulated at ${simulator}: no provider is called.`;
  const found = keysFound(env);
  return found.length > 0
    ? `Keys found: ${found.join(", ")}.`
    : `No model can be called: set one of ${allKeys.join(", ")}, or start with --simulate.`;
}
