/** A worker of conversations: configured from the environment, or as told. */
import { resolve } from "node:path";
import { Client } from "@temporalio/client";
import type { Logger } from "@temporalio/common";
import {
  NativeConnection,
  Runtime,
  type RuntimeOptions,
  type Worker,
  type WorkerOptions,
} from "@temporalio/worker";
import type { CallPoint } from "../activities/call-point.js";
import { createActivities } from "../activities/create-activities.js";
import { type ActivityDependencies, DEFAULT_BOUNDS, type TurnBounds } from "../activities/dependencies.js";
import { CallJournal } from "../activities/journal/call-journal.js";
import { WorkThreads } from "../activities/threads/work-threads.js";
import { toolsByName } from "../activities/tools/plan-calls.js";
import { isTool, type Tool } from "../activities/tools/tool.js";
import { TranscriptCache } from "../activities/transcript-cache.js";
import { TurnsAtWork } from "../activities/turns-at-work.js";
import { builtFile } from "../connection/built-file.js";
import { conversionAllowed } from "../connection/conversion-switch.js";
import { createDataConverter } from "../connection/data-converter.js";
import {
  type NamedStores,
  namedStores,
  openMediaStore,
  storeLocation,
} from "../connection/open-media-store.js";
import { openPayloadStore } from "../connection/open-payload-store.js";
import { patientQueries } from "../connection/patient-queries.js";
import { pricesFromEnvironment } from "../connection/price-file.js";
import { resolveSettings, type Settings, type SettingsOptions } from "../connection/settings.js";
import { SseFrameSink } from "../connection/sse-frame-sink.js";
import { streamNow } from "../connection/stream-now.js";
import { WarningLogger } from "../connection/warning-logger.js";
import { Agent } from "../core/agent.js";
import type { FrameSink } from "../core/conversation/frame.js";
import { ServerUnreachableError, UsageError } from "../core/errors/errors.js";
import { assertOptions, type OptionNames } from "../core/known-options.js";
import { assertPrices, type Prices } from "../core/prices.js";
import { preloadProvider } from "../providers/preload-provider.js";
import { createProviders } from "../providers/providers.js";
import { providerSettings, SIMULATOR_VARIABLE } from "../providers/settings.js";
import { CallRecovery } from "./call-recovery.js";
import { ConversationWorker } from "./conversation-worker.js";
import { deploymentVersion } from "./deployment-version.js";
import { namespacePlace } from "./namespace-place.js";
import { probePayloadStore } from "./probe-payload-store.js";
import { ResultsInFlight } from "./results-in-flight.js";
import { WorkflowSandbox } from "./workflow-sandbox.js";

export interface CreateWorkerOptions extends SettingsOptions {
  /** Agents that conversations of the same name follow. */
  readonly agents?: readonly Agent[];
  /** Tools that the turns of all agents may use that name them; those of the agents above come by themselves. */
  readonly tools?: readonly Tool[];
  /** Media stores of your own, by the name under which agents name them. Clients need them as well. */
  readonly stores?: NamedStores;
  /** Where frames of running turns go; by default to the stream hub that the settings name, if any. */
  readonly frames?: FrameSink;
  readonly bounds?: Partial<TurnBounds>;
  /** What models cost, for a million tokens, after what an agent says itself; by default the file of HOLDFAST_PRICES, if any. */
  readonly prices?: Prices;
  /** Temporal's logger interface. By default warnings and errors go to stderr. The first worker of a process decides. */
  readonly logger?: Logger;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** For the message of a missing key, after “set VARIABLE”: where. By default as for `holdfast worker`. */
  readonly keyRemedy?: string;
  /** For tests that stop a worker in the middle of a call: awaited at each named point. */
  readonly onCallPoint?: (point: CallPoint) => void | Promise<void>;
}

export const WORKER_OPTIONS: OptionNames<CreateWorkerOptions> = {
  agents: true,
  tools: true,
  stores: true,
  frames: true,
  bounds: true,
  prices: true,
  logger: true,
  env: true,
  cwd: true,
  keyRemedy: true,
  onCallPoint: true,
  address: true,
  namespace: true,
  apiKey: true,
  tls: true,
  profile: true,
  taskQueue: true,
  mediaStore: true,
  payloadStore: true,
  stream: true,
};

export interface HoldfastWorker {
  readonly identity: string;
  readonly settings: Settings;
  /** Resolves when the worker has drained, after `shutdown`, SIGTERM or SIGINT. */
  run(): Promise<void>;
  shutdown(): void;
}

const DRAIN_MS = 5_000;

/** A lost worker is noticed in seconds, a stop reaches the call in under one. */
export const WORKER_TIMES: Partial<WorkerOptions> = {
  maxHeartbeatThrottleInterval: "500 milliseconds",
  defaultHeartbeatThrottleInterval: "500 milliseconds",
  stickyQueueScheduleToStartTimeout: "2 seconds",
  shutdownGraceTime: DRAIN_MS,
  shutdownForceTime: DRAIN_MS * 2,
};

/**
 * Connects a worker; it takes work once `run` is called.
 *
 * @throws ServerUnreachableError when the server does not answer, UsageError when the payload store cannot be used, or two
 * agents or two tools have one name.
 */
export async function createWorker(options: CreateWorkerOptions = {}): Promise<HoldfastWorker> {
  assertOptions("createWorker", options, WORKER_OPTIONS);
  const { env, settings } = surroundings(options);
  installRuntime(options.logger);
  const payloadStore = openPayloadStore(settings);
  const frames = frameSink(settings, options);
  const dependencies = activityDependencies(settings, frames, { ...options, env });
  const versioning = deploymentVersion(env);
  const identity = `holdfast-${process.pid}`;
  // What the first turn needs is loaded while the connection is made.
  const activities = Object.keys(createActivities(dependencies));
  const sandbox = WorkflowSandbox.start(builtFile("workflow-bundle.js"), activities);
  const connecting = connect(settings);
  void preloadProvider(dependencies.providers, dependencies.providerSettings);
  const connection = await connecting.catch(afterEnding(sandbox.end));
  const undone = afterEnding(() => connection.close(), sandbox.end);
  const dataConverter = createDataConverter(payloadStore);
  const place = { connection, namespace: settings.namespace, identity, dataConverter };
  const results = new ResultsInFlight();
  const interceptors = {
    client: { workflow: [patientQueries(connection)] },
    activity: results.beside(),
  };
  const client = new Client({ ...place, interceptors: interceptors.client });
  const [journal] = await Promise.all([
    openJournal(settings, client, settings.connection.address),
    probePayloadStore(payloadStore, settings.payloadStore),
  ]).catch(undone);
  const worker = await ConversationWorker.createWith(sandbox.loaded, {
    ...WORKER_TIMES,
    // The calls of a round begin with the workflow task that asks for them (decision 0035).
    maxEagerActivityReservationsPerWorkflowTask: 10,
    ...place,
    taskQueue: settings.taskQueue,
    workflowBundle: { codePath: builtFile("workflow-bundle.js") },
    interceptors,
    activities: createActivities(journal === undefined ? dependencies : { ...dependencies, journal }),
    ...versioning,
  }).catch(undone);
  results.stopAfter(worker);
  const recovery =
    journal && new CallRecovery({ journal, client, frames, logger: Runtime.instance().logger });
  const close = async (): Promise<void> => {
    await closeDependencies(dependencies, options.frames);
    await connection.close();
  };
  return { identity, settings, ...stoppable({ worker, recovery, close }) };
}

const afterEnding =
  (...ends: readonly (() => Promise<void>)[]) =>
  async (error: unknown): Promise<never> => {
    for (const end of ends) await end();
    throw error;
  };

interface WorkerParts {
  readonly worker: Worker;
  readonly recovery: CallRecovery | undefined;
  readonly close: () => Promise<void>;
}

/** Temporal's worker can be stopped only while it runs: a stop that comes before is heard when it does. */
function stoppable({ worker, recovery, close }: WorkerParts): Pick<HoldfastWorker, "run" | "shutdown"> {
  let isStopped = false;
  const stop = (): void => {
    if (worker.getState() === "RUNNING") worker.shutdown();
  };
  return {
    run: async () => {
      try {
        const running = worker.run();
        if (isStopped) stop();
        await Promise.all([running, recovery?.start()]);
      } finally {
        await recovery?.stop();
        await close();
      }
    },
    shutdown: () => {
      isStopped = true;
      stop();
    },
  };
}

function surroundings(options: CreateWorkerOptions): {
  readonly env: NodeJS.ProcessEnv;
  readonly settings: Settings;
} {
  const env = options.env ?? process.env;
  const settings = resolveSettings({ env, cwd: options.cwd ?? process.cwd(), options });
  return { env: besideSimulator(env, settings), settings };
}

/** Beside a `holdfast dev --simulate` a worker simulates as well, unless it is told where to call. */
export function besideSimulator(
  env: NodeJS.ProcessEnv,
  { simulatorUrl }: Pick<Settings, "simulatorUrl">,
): NodeJS.ProcessEnv {
  if (simulatorUrl === null || env[SIMULATOR_VARIABLE] !== undefined) return env;
  return { ...env, [SIMULATOR_VARIABLE]: simulatorUrl };
}

/** Undefined where the settings want none. */
export async function openJournal(
  settings: Pick<Settings, "journal">,
  client: Client,
  address: string | undefined,
): Promise<CallJournal | undefined> {
  if (settings.journal === null) return undefined;
  return CallJournal.open({
    folder: settings.journal,
    place: await namespacePlace(client, address),
    converter: client.options.loadedDataConverter,
    logger: Runtime.instance().logger,
  });
}

export function activityDependencies(
  settings: Settings,
  frames: FrameSink,
  options: CreateWorkerOptions & { readonly env: NodeJS.ProcessEnv },
): ActivityDependencies & { readonly threads: WorkThreads } {
  const providers = providerSettings(options.env);
  const stores = namedStores(options.stores);
  const cwd = resolve(options.cwd ?? process.cwd());
  assertPrices("createWorker", options.prices);
  const prices = options.prices ?? pricesFromEnvironment(options.env, cwd);
  return {
    providers: createProviders(providers, options.keyRemedy),
    providerSettings: providers,
    mediaStore: openMediaStore(settings.mediaStore),
    stores,
    closedFolder: settings.mediaStore,
    frames,
    transcripts: new TranscriptCache(),
    agents: agentsByName((options.agents ?? []).map((agent) => placed(agent, { stores, cwd }))),
    tools: workerTools(options),
    bounds: { ...DEFAULT_BOUNDS, ...options.bounds },
    ...(prices === undefined ? {} : { prices }),
    convert: conversionAllowed(options.env),
    ...(options.onCallPoint === undefined ? {} : { onCallPoint: options.onCallPoint }),
    threads: new WorkThreads({ providers, keyRemedy: options.keyRemedy }),
    madeMs: performance.now(),
    turnsAtWork: new TurnsAtWork(),
  };
}

/** @throws UsageError for what is no tool, and for two tools of one name. */
export function workerTools({
  agents = [],
  tools = [],
}: Pick<CreateWorkerOptions, "agents" | "tools">): ReadonlyMap<string, Tool> {
  const stray = tools.findIndex((tool) => !isTool(tool));
  if (stray >= 0)
    throw new UsageError(
      `createWorker: tools[${stray}] is no tool: make it with defineTool({ name, input, execute }).`,
    );
  const ofAgents = agents.flatMap((agent) => agent.tools ?? []).filter(isTool);
  return toolsByName(
    [...tools, ...ofAgents],
    (name) => new UsageError(`Two tools are named ${name}: rename one of the two.`),
  );
}

/** A folder that an agent of this worker names is one of this worker. */
function placed(agent: Agent, places: { readonly stores: NamedStores; readonly cwd: string }): Agent {
  const { media_store } = agent.spec;
  if (media_store === undefined) return agent;
  return Agent.fromSpec({ ...agent.spec, media_store: storeLocation(media_store, places) });
}

/** Agents without a name cannot be followed, so they are left out. @throws UsageError for a name used twice. */
export function agentsByName(agents: readonly Agent[]): ReadonlyMap<string, Agent> {
  const named = new Map<string, Agent>();
  for (const agent of agents) {
    const { name } = agent.spec;
    if (name === undefined) continue;
    if (named.has(name)) throw new UsageError(`Two agents are named ${name}: rename one of the two.`);
    named.set(name, agent);
  }
  return named;
}

async function connect(settings: Settings): Promise<NativeConnection> {
  try {
    return await NativeConnection.connect(settings.connection);
  } catch (error) {
    throw new ServerUnreachableError(
      `No Temporal server answers at ${settings.connection.address ?? "its address"}: start one with \`holdfast dev\`, or correct TEMPORAL_ADDRESS.`,
      { cause: error },
    );
  }
}

const NO_FRAMES: FrameSink = { push: () => undefined, flush: () => Promise.resolve() };

/** Where the frames of a worker's turns go. */
export function frameSink(
  settings: Settings,
  { frames, cwd = process.cwd() }: Pick<CreateWorkerOptions, "frames" | "cwd">,
): FrameSink {
  if (frames !== undefined) return frames;
  const stream = streamNow(settings, cwd);
  return stream === null ? NO_FRAMES : new SseFrameSink(stream);
}

/** Once the worker has drained. A sink that somebody has given may serve other workers and is only flushed. */
export async function closeDependencies(
  { frames, threads }: ActivityDependencies,
  given: FrameSink | undefined,
): Promise<void> {
  await (given === undefined && frames.close !== undefined ? frames.close() : frames.flush());
  await threads?.close();
}

/** Temporal's runtime is one a process, and its logger cannot be changed later. */
export function installRuntime(
  logger: Logger | undefined,
  signals: Pick<RuntimeOptions, "shutdownSignals"> = {},
): void {
  if (Runtime._instance !== undefined) return;
  Runtime.install({ logger: logger ?? new WarningLogger(), ...signals });
}
