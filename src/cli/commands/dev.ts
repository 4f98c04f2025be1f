/** `holdfast dev`: server, stream hub and one worker in this process, found by the other commands through `.holdfast/`. */
import { resolve } from "node:path";
import { loadEnvFile } from "../../connection/env-file.js";
import { type NamedStores, storeLocation } from "../../connection/open-media-store.js";
import { WarningLogger } from "../../connection/warning-logger.js";
import type { Agent, AgentSpec } from "../../core/agent.js";
import { ServerUnreachableError, UsageError } from "../../core/errors/errors.js";
import type { LocalStack } from "../../server/local-stack.js";
import type { SimulatorOptions } from "../../simulator/options.js";
import { type Command, type CommandContext, defineCommand } from "../command.js";
import { paceArgument, workerArguments } from "../common-arguments.js";
import { type LoadedModule, loadModule } from "../load-module.js";
import { paceOption, portOption } from "../number-option.js";
import { allKeys, canCall, keysFound, modelToTry, SIMULATED_MODEL } from "../provider-keys.js";
import { stopSignals } from "../stop-signals.js";
import { strayErrors } from "../stray-errors.js";
import { table } from "../table.js";
import { commandName, count } from "../wording.js";

const args = {
  ...workerArguments,
  pace: paceArgument,
  root: {
    type: "string",
    valueHint: "FOLDER",
    description: "the folder that gets .holdfast/; by default this one",
    completes: "file",
  },
  port: {
    type: "string",
    valueHint: "PORT",
    description: "port of the Temporal server; by default the last one of this folder, else a free one",
  },
  json: { type: "boolean", description: "prints where everything is as JSON, once it runs" },
} as const;

export const command: Command = defineCommand({
  args,
  details:
    "Conversations live in .holdfast/ and go on at the next start. Keys come from the environment or .env in the folder.",
  examples: [
    ["without a key", "holdfast dev --simulate"],
    ["with agents of your own", "holdfast dev agents.ts"],
    ["with answers that take five seconds", "holdfast dev --simulate --pace 5000"],
  ],
  run,
});

async function run(context: CommandContext<typeof args>): Promise<number | undefined> {
  const { args: given, env, terminal } = context;
  const root = resolve(context.cwd, given.root ?? ".");
  const envFile = loadEnvFile(root, env);
  const port = portOption(given.port);
  const simulate = simulation(given);
  const loaded = await loadModule(given.module, context.cwd);
  using signals = stopSignals();
  const { startLocalStack } = await import("../../server/local-stack.js");
  await using stack = await startLocalStack({
    root,
    env,
    simulate,
    agents: loaded.agents.map((agent) => toldSpec(agent, loaded.stores, root)),
    keepPorts: true,
    ...(port === undefined ? {} : { ports: { grpc: port } }),
    onProgress: (line) => terminal.note(line),
  });
  using strays = strayErrors((line) => terminal.warn(line));
  const worker = await startWorker(stack, { ...context, cwd: root }, loaded);
  for (const line of describe(stack, context, loaded)) terminal.note(line);
  if (envFile !== null) terminal.note(`${envFile.path}: ${count(envFile.names.length, "variable")} read.`);
  if (given.json) terminal.json(addresses(stack));
  const crashed = stack.server.exited.then(() => {
    throw new ServerUnreachableError(
      `The Temporal server has ended; its last words are in ${stack.server.logPath}.`,
    );
  });
  crashed.catch(() => undefined);
  const ended = await Promise.race([signals.stopped, strays.thrown, worker.running, crashed]);
  terminal.note(`Stopping (${ended ?? "the worker has ended"}); Ctrl-C once more ends it at once.`);
  worker.shutdown();
  await worker.running;
  return strays.exitCode;
}

/** As another process can start it: in the folder that is meant, and without a store that only this module has. */
function toldSpec({ spec }: Agent, stores: NamedStores, cwd: string): AgentSpec {
  const { media_store, ...rest } = spec;
  if (media_store === undefined || Object.hasOwn(stores, media_store)) return rest;
  return { ...rest, media_store: storeLocation(media_store, { stores, cwd }) };
}

/** @throws UsageError for a pace without the simulator. */
function simulation({ simulate, pace }: CommandContext<typeof args>["args"]): boolean | SimulatorOptions {
  const minimumReplyMs = paceOption(pace);
  if (minimumReplyMs === undefined) return simulate;
  if (!simulate) throw new UsageError("--pace is the simulator's: use it with --simulate.");
  return { keepBodies: false, minimumReplyMs };
}

interface RunningWorker {
  readonly running: Promise<void>;
  readonly shutdown: () => void;
}

async function startWorker(
  stack: LocalStack,
  { terminal, cwd }: Pick<CommandContext<typeof args>, "terminal" | "cwd">,
  { agents, stores, tools }: LoadedModule,
): Promise<RunningWorker> {
  const { createWorker } = await import("../../worker/create-worker.js");
  const { settings } = stack;
  const worker = await createWorker({
    address: stack.server.address,
    namespace: settings.namespace,
    taskQueue: settings.taskQueue,
    mediaStore: settings.mediaStore,
    payloadStore: settings.payloadStore,
    agents,
    tools,
    stores,
    frames: stack.hub.hub,
    env: stack.workerEnv,
    cwd,
    logger: new WarningLogger((line) => terminal.warn(line)),
  });
  const running = worker.run();
  running.catch(() => undefined);
  return { running, shutdown: () => worker.shutdown() };
}

function describe(
  { server, simulator, settings }: LocalStack,
  { terminal, env, args: { module } }: CommandContext<typeof args>,
  { agents, tools }: LoadedModule,
): readonly string[] {
  const bold = (text: string): string => terminal.styleNote("bold", text);
  const rows = [
    ["server", `${server.address}, namespace ${server.namespace} (Temporal ${server.version})`],
    ["web page", server.uiUrl ?? "none"],
    ["models", simulator === null ? modelsLine(env) : `simulated at ${simulator.url}: no provider is called`],
    ...(agents.length === 0
      ? []
      : [["agents", `${agents.map(({ spec }) => spec.name).join(", ")} (${module})`]]),
    ...(tools.length === 0 ? [] : [["tools", `${tools.map(({ name }) => name).join(", ")} (${module})`]]),
    ["state", settings.dev?.path ?? settings.mediaStore],
    ["try", firstSteps(simulator !== null, env, agents)],
  ];
  return [
    `${bold("holdfast dev")} runs; Ctrl-C stops it.`,
    ...table(rows.map(([name = "", text = ""]) => [`  ${terminal.styleNote("cyan", name)}`, text])),
    ...(env.TEMPORAL_ADDRESS === undefined
      ? []
      : [`TEMPORAL_ADDRESS is set: where it is, the other commands use that server and not this one.`]),
  ];
}

/** A send that works with the keys that are there, to an agent of the module where there is one. */
function firstSteps(simulated: boolean, env: NodeJS.ProcessEnv, agents: readonly Agent[]): string {
  const callable = agents.find(({ resolved }) => simulated || canCall(resolved, env));
  if (callable?.spec.name !== undefined)
    return `${commandName()} send hello "Who are you?" --agent ${quoted(callable.spec.name)}`;
  const model = simulated ? SIMULATED_MODEL : modelToTry(env);
  return model === undefined
    ? `${commandName()} dev --simulate, which needs no key`
    : `${commandName()} send hello "Who are you?" --model ${model}`;
}

const quoted = (name: string): string =>
  /^[\w.-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;

function modelsLine(env: NodeJS.ProcessEnv): string {
  const found = keysFound(env);
  return found.length > 0
    ? `${found.join(", ")} found`
    : `none can be called: set one of ${allKeys.join(", ")} and start again, or start with --simulate`;
}

function addresses({ server, hub, simulator, settings }: LocalStack): Record<string, unknown> {
  return {
    address: server.address,
    namespace: server.namespace,
    task_queue: settings.taskQueue,
    ui_url: server.uiUrl,
    stream_url: hub.url,
    simulator_url: simulator?.url ?? null,
    pid: process.pid,
  };
}
