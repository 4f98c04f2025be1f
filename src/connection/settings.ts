/** Which Temporal server, task queue, stores and stream to use: options first, then the environment, then `.holdfast/`. */
import { isAbsolute, join, resolve } from "node:path";
import { DEFAULT_TASK_QUEUE } from "../core/conversation/messages.js";
import { ServerUnreachableError, UsageError } from "../core/errors/errors.js";
import { DEV_FOLDER_NAME, type DevFolder, findDevFolder } from "./dev-folder.js";
import { type ServerConnection, serverFromEnvironment, type TlsOption } from "./server-from-environment.js";
import type { StreamAddress } from "./stream-address.js";

export interface SettingsOptions {
  /** `host:port`. Given, nothing of the server is taken from the environment: no key reaches another host by accident. */
  readonly address?: string;
  readonly namespace?: string;
  readonly apiKey?: string;
  readonly tls?: TlsOption;
  /** Temporal config profile, instead of TEMPORAL_PROFILE. */
  readonly profile?: string;
  readonly taskQueue?: string;
  /** A folder, or a URL for a store elsewhere. */
  readonly mediaStore?: string;
  readonly payloadStore?: string;
  readonly stream?: StreamAddress;
}

/** The settings that need no server. */
export interface LocalSettings {
  readonly taskQueue: string;
  /** The working store: an absolute folder, or a URL. */
  readonly mediaStore: string;
  /** The store of Temporal's external payloads: an absolute folder, or a URL. */
  readonly payloadStore: string;
  /** The folder of a worker's calls in flight, absolute; null where none is kept. */
  readonly journal: string | null;
  /** The `.holdfast/` of this folder or a parent, running or not. */
  readonly dev: DevFolder | null;
}

export type SettingsSource = "options" | "environment" | "dev-folder";

export interface Settings extends LocalSettings {
  readonly source: SettingsSource;
  /** For `Connection.connect` and `NativeConnection.connect` alike. */
  readonly connection: ServerConnection;
  readonly namespace: string;
  readonly stream: StreamAddress | null;
  /** Where the workers of a `holdfast dev --simulate` call; null with the real services, or when not known. */
  readonly simulatorUrl: string | null;
}

export interface SettingsInput {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly options?: SettingsOptions;
}

/**
 * Resolves everything a client or worker needs to connect.
 * Throws ServerUnreachableError where no server is known, UsageError for a profile or certificate that cannot be read.
 */
export function resolveSettings(input: SettingsInput): Settings {
  const local = resolveLocalSettings(input);
  const server = explicitServer(input) ?? environmentServer(input) ?? devServer(input, local.dev);
  if (server === null) throw unknownServer(local.dev);
  const running = server.source === "dev-folder" ? (local.dev?.state ?? null) : null;
  return {
    ...local,
    ...server,
    taskQueue: namedTaskQueue(input) ?? running?.task_queue ?? DEFAULT_TASK_QUEUE,
    stream: namedStream(input) ?? running?.stream ?? null,
    simulatorUrl: running?.simulator_url ?? null,
  };
}

/** For a client or worker that somebody else has connected: what is not the server's, and the stream of the `holdfast dev` that runs here. */
export function resolveSettingsBeside(input: SettingsInput, namespace: string): Settings {
  const local = resolveLocalSettings(input);
  const running = local.dev?.state ?? null;
  return {
    ...local,
    source: "options",
    connection: { address: "the address of the given client" },
    namespace,
    taskQueue: namedTaskQueue(input) ?? running?.task_queue ?? DEFAULT_TASK_QUEUE,
    stream: namedStream(input) ?? running?.stream ?? null,
    simulatorUrl: running?.simulator_url ?? null,
  };
}

/** Resolves what can be known without a server: for `holdfast dev`, an embedded connection, and the doctor. */
export function resolveLocalSettings(input: SettingsInput): LocalSettings {
  const { env, cwd, options } = input;
  const dev = findDevFolder(cwd);
  const folder = dev?.path ?? join(resolve(cwd), DEV_FOLDER_NAME);
  return {
    taskQueue: namedTaskQueue(input) ?? DEFAULT_TASK_QUEUE,
    mediaStore:
      place(location("mediaStore", options) ?? named(env, "HOLDFAST_MEDIA_STORE"), cwd) ??
      join(folder, "media"),
    payloadStore:
      place(location("payloadStore", options) ?? named(env, "HOLDFAST_PAYLOAD_STORE"), cwd) ??
      join(folder, "payloads"),
    journal: journalFolder(named(env, "HOLDFAST_JOURNAL"), cwd, join(folder, "journal")),
    dev,
  };
}

/** Where the server's address came from, in words for a message. */
export function describeSource(settings: Settings): string {
  if (settings.source === "options") return "given explicitly";
  if (settings.source === "environment") return "from TEMPORAL_* or a Temporal config profile";
  return `from the \`holdfast dev\` running in ${settings.dev?.root ?? "this folder"}`;
}

type Server = Pick<Settings, "source" | "connection" | "namespace">;

function explicitServer({ options }: SettingsInput): Server | null {
  if (options?.address === undefined) return null;
  const { address, apiKey, namespace = "default" } = options;
  const tls = options.tls ?? (apiKey === undefined ? undefined : true);
  return {
    source: "options",
    namespace,
    connection: {
      address,
      ...(tls === undefined ? {} : { tls }),
      ...(apiKey === undefined ? {} : { apiKey }),
    },
  };
}

function environmentServer({ env, options }: SettingsInput): Server | null {
  const found = serverFromEnvironment(env, options?.profile);
  if (found === null) return null;
  return {
    source: "environment",
    namespace: options?.namespace ?? found.namespace,
    connection: { ...found.connection, ...credentials(options) },
  };
}

function devServer({ options }: SettingsInput, dev: DevFolder | null): Server | null {
  const state = dev?.state;
  if (state === null || state === undefined) return null;
  return {
    source: "dev-folder",
    namespace: options?.namespace ?? state.namespace,
    connection: { address: state.address, ...credentials(options) },
  };
}

function credentials(options: SettingsOptions | undefined): Partial<ServerConnection> {
  const { apiKey, tls = apiKey === undefined ? undefined : true } = options ?? {};
  return { ...(tls === undefined ? {} : { tls }), ...(apiKey === undefined ? {} : { apiKey }) };
}

function unknownServer(dev: DevFolder | null): ServerUnreachableError {
  const found = dev?.problem == null ? "" : ` (${dev.problem})`;
  return new ServerUnreachableError(
    `No Temporal server is known here${found}: run \`holdfast dev\` in this folder (with --simulate it needs no key), set TEMPORAL_ADDRESS, or connect({ embedded: true })`,
  );
}

/** @throws UsageError for a URL: the journal is on a disk of the worker's machine. */
function journalFolder(value: string | undefined, cwd: string, standard: string): string | null {
  if (value === "none") return null;
  const folder = place(value, cwd) ?? standard;
  if (isAbsolute(folder)) return folder;
  throw new UsageError(`HOLDFAST_JOURNAL is ${folder}: name a folder on a disk of this machine, or none.`);
}

const namedTaskQueue = ({ env, options }: SettingsInput): string | undefined =>
  options?.taskQueue ?? named(env, "HOLDFAST_TASK_QUEUE");

function namedStream({ env, options }: SettingsInput): StreamAddress | null {
  if (options?.stream !== undefined) return options.stream;
  const url = named(env, "HOLDFAST_STREAM_URL");
  const token = named(env, "HOLDFAST_STREAM_TOKEN");
  if (url === undefined && token === undefined) return null;
  if (url === undefined || token === undefined)
    throw new UsageError(
      "HOLDFAST_STREAM_URL and HOLDFAST_STREAM_TOKEN belong together: set both, or neither",
    );
  return { url: url.replace(/\/+$/, ""), token };
}

/** A variable set to nothing counts as not set, as a line `NAME=` in a `.env` is meant. */
function named(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === undefined || value === "" ? undefined : value;
}

/** For callers without types. @throws UsageError for a store itself: the working store is a place, for every process the same. */
function location(
  name: "mediaStore" | "payloadStore",
  options: SettingsOptions | undefined,
): string | undefined {
  const value: unknown = options?.[name];
  if (value === undefined || (typeof value === "string" && value.trim() !== "")) return options?.[name];
  throw new UsageError(
    `\`${name}\` of a connection or a worker is a folder or s3://bucket/prefix. A store of your own is registered by name, stores: { archive: … }, and named by an agent or a save.`,
  );
}

function place(value: string | undefined, cwd: string): string | undefined {
  if (value === undefined || /^[a-z][a-z0-9+.-]+:\//i.test(value)) return value;
  return isAbsolute(value) ? value : resolve(cwd, value);
}
