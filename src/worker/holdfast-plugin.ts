/** Conversations on somebody's own Temporal worker and client, beside their own workflows. */
import { Client, type ClientOptions, type ClientPlugin } from "@temporalio/client";
import type { DataConverter } from "@temporalio/common";
import {
  type BundlerPlugin,
  type ReplayWorkerOptions,
  Runtime,
  type Worker,
  type WorkerInterceptors,
  type WorkerOptions,
  type WorkerPlugin,
} from "@temporalio/worker";
import { createActivities } from "../activities/create-activities.js";
import type { CallJournal } from "../activities/journal/call-journal.js";
import { mergedDataConverter } from "../connection/data-converter.js";
import { openPayloadStore } from "../connection/open-payload-store.js";
import { patientQueries } from "../connection/patient-queries.js";
import { resolveSettingsBeside, type Settings } from "../connection/settings.js";
import type { FrameSink } from "../core/conversation/frame.js";
import { UsageError } from "../core/errors/errors.js";
import { assertOptions, type OptionNames } from "../core/known-options.js";
import { CallRecovery } from "./call-recovery.js";
import {
  activityDependencies,
  besideSimulator,
  type CreateWorkerOptions,
  closeDependencies,
  frameSink,
  openJournal,
  WORKER_OPTIONS,
  WORKER_TIMES,
} from "./create-worker.js";
import { probePayloadStore } from "./probe-payload-store.js";
import { ResultsInFlight } from "./results-in-flight.js";
import { type BundleOptions, bundleBeside, workflowsOf } from "./workflows-beside.js";

/** As for `createWorker`, without what the worker has by itself: its server, its task queue and its logger. */
export type HoldfastPluginOptions = Omit<
  CreateWorkerOptions,
  "address" | "namespace" | "apiKey" | "tls" | "profile" | "taskQueue" | "logger"
>;

const {
  address: _address,
  namespace: _namespace,
  apiKey: _apiKey,
  tls: _tls,
  profile: _profile,
  taskQueue: _taskQueue,
  logger: _logger,
  ...PLUGIN_OPTIONS
} = WORKER_OPTIONS;

interface Opened {
  readonly results: ResultsInFlight;
  start(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A plugin of Temporal's: `Worker.create({ plugins: [plugin], … })`, `new Client({ plugins: [plugin], … })`, or once for both on their
 * connection; also for `bundleWorkflowCode` and `Worker.runReplayHistories`. A worker gets the activities, the workflow beside those of
 * its `workflowsPath`, the data converter with the payload store, and short heartbeat and sticky times where it sets none itself;
 * what a worker of conversations opens is closed when it has drained.
 */
export class HoldfastPlugin implements WorkerPlugin, ClientPlugin, BundlerPlugin {
  readonly #options: HoldfastPluginOptions;
  readonly #env: NodeJS.ProcessEnv;
  readonly #settings: Settings;
  /** By an activity of theirs, which is all that a running worker still shows of what it was given. */
  readonly #opened = new WeakMap<object, Opened>();

  /** @throws UsageError for an option that it does not have. */
  constructor(options: HoldfastPluginOptions = {}) {
    assertOptions("HoldfastPlugin", options, PLUGIN_OPTIONS as OptionNames<HoldfastPluginOptions>);
    this.#options = options;
    const env = options.env ?? process.env;
    this.#settings = resolveSettingsBeside({ env, cwd: options.cwd ?? process.cwd(), options }, "default");
    this.#env = besideSimulator(env, this.#settings);
  }

  get name(): string {
    return "holdfast";
  }

  configureClient(options: Omit<ClientOptions, "plugins">): Omit<ClientOptions, "plugins"> {
    return { ...options, dataConverter: this.#dataConverter(options.dataConverter) };
  }

  /** @throws UsageError for an activity's name that is taken, a payload converter of another, a store that cannot be used. */
  async configureWorker(options: WorkerOptions): Promise<WorkerOptions> {
    await probePayloadStore(openPayloadStore(this.#settings), this.#settings.payloadStore);
    const dataConverter = this.#dataConverter(options.dataConverter);
    const workflows = await workflowsOf(options);
    const frames = frameSink(this.#settings, this.#options);
    const dependencies = activityDependencies(this.#settings, frames, { ...this.#options, env: this.#env });
    const { journal, recovery } = await this.#recovery(options, dataConverter, frames);
    const activities = createActivities(journal === undefined ? dependencies : { ...dependencies, journal });
    assertFree(options.activities, activities);
    const results = new ResultsInFlight();
    this.#opened.set(activities.callModel, {
      results,
      start: async () => recovery?.start(),
      close: async () => {
        await recovery?.stop();
        await closeDependencies(dependencies, this.#options.frames);
      },
    });
    return {
      ...WORKER_TIMES,
      ...options,
      ...workflows,
      activities: { ...options.activities, ...activities },
      dataConverter,
      interceptors: {
        ...options.interceptors,
        ...withPatientQueries(options),
        activity: results.beside(options.interceptors?.activity),
      },
    };
  }

  async configureReplayWorker(options: ReplayWorkerOptions): Promise<ReplayWorkerOptions> {
    const workflows = await workflowsOf(options);
    return { ...options, ...workflows, dataConverter: this.#dataConverter(options.dataConverter) };
  }

  configureBundler(options: BundleOptions): BundleOptions {
    return bundleBeside(options);
  }

  async runWorker(worker: Worker, next: (worker: Worker) => Promise<void>): Promise<void> {
    const callModel = worker.options.activities.get("callModel");
    const opened = callModel === undefined ? undefined : this.#opened.get(callModel);
    opened?.results.stopAfter(worker);
    try {
      // Running before anything is waited for: a worker that is only about to run cannot be stopped, and would never be.
      await Promise.all([next(worker), opened?.start()]);
    } finally {
      await opened?.close();
    }
  }

  /** The journal of calls in flight, on the worker's own connection; none where it has none yet. */
  async #recovery(
    { connection, namespace = "default", identity }: WorkerOptions,
    dataConverter: DataConverter,
    frames: FrameSink,
  ): Promise<{ readonly journal?: CallJournal; readonly recovery?: CallRecovery }> {
    if (connection === undefined) return {};
    const named = identity === undefined ? {} : { identity };
    const client = new Client({ connection, namespace, dataConverter, ...named });
    const journal = await openJournal(this.#settings, client, undefined);
    if (journal === undefined) return {};
    const { logger } = Runtime.instance();
    return { journal, recovery: new CallRecovery({ journal, client, frames, logger }) };
  }

  #dataConverter(theirs: WorkerOptions["dataConverter"]): NonNullable<WorkerOptions["dataConverter"]> {
    return mergedDataConverter(theirs, openPayloadStore(this.#settings));
  }
}

/** For the queries of activities, beside interceptors of theirs. */
function withPatientQueries({ connection, interceptors }: WorkerOptions): Pick<WorkerInterceptors, "client"> {
  if (connection === undefined) return {};
  const { workflow: theirs = [], ...others } = interceptors?.client ?? {};
  // The older form, an object of factories, is left as it is.
  if (!Array.isArray(theirs)) return {};
  return { client: { ...others, workflow: [...theirs, patientQueries(connection)] } };
}

function assertFree(theirs: object | undefined, ours: object): void {
  const taken = Object.keys(ours).filter((name) => theirs !== undefined && Object.hasOwn(theirs, name));
  if (taken.length === 0) return;
  throw new UsageError(
    `This worker has an activity of its own named ${taken.join(", ")}, which conversations need: rename it, or run conversations by createWorker on a task queue of their own.`,
  );
}
