/** The server that TEMPORAL_* and Temporal's config file name, read as Temporal's own tools read them. */
import { type ClientConnectConfig, loadClientConnectConfig } from "@temporalio/envconfig";
import { UsageError } from "../core/errors/errors.js";

type SdkConnection = ClientConnectConfig["connectionOptions"];
export type TlsOption = Exclude<SdkConnection["tls"], null | undefined>;

/** How to reach a server: what both kinds of connection of the SDK take. */
export interface ServerConnection {
  /** `host:port`. */
  readonly address: string;
  readonly tls?: TlsOption;
  readonly apiKey?: string;
  /** gRPC headers of every call. */
  readonly metadata?: Record<string, string>;
}

export interface EnvironmentServer {
  readonly connection: ServerConnection;
  readonly namespace: string;
}

/** What Temporal's own tools assume where only a namespace, a key or certificates are set. */
const DEFAULT_ADDRESS = "localhost:7233";
const DEFAULT_NAMESPACE = "default";

/** Null where neither variables nor profile say anything. Throws UsageError for a profile or file that cannot be read. */
export function serverFromEnvironment(env: NodeJS.ProcessEnv, profile?: string): EnvironmentServer | null {
  const { connectionOptions, namespace } = load(env, profile);
  const { address, tls, apiKey, metadata } = connectionOptions;
  const settings = [address, tls || undefined, apiKey, namespace, metadata];
  if (settings.every((setting) => setting === undefined)) return null;
  return {
    namespace: namespace ?? DEFAULT_NAMESPACE,
    connection: {
      address: address ?? DEFAULT_ADDRESS,
      ...(tls === undefined || tls === null ? {} : { tls }),
      ...(typeof apiKey === "string" ? { apiKey } : {}),
      ...(metadata === undefined ? {} : { metadata: textMetadata(metadata) }),
    },
  };
}

function load(env: NodeJS.ProcessEnv, profile: string | undefined): ClientConnectConfig {
  try {
    return loadClientConnectConfig({
      overrideEnvVars: withoutEmpty(env),
      ...(profile === undefined ? {} : { profile }),
    });
  } catch (error) {
    throw new UsageError(
      `Temporal's configuration cannot be read (${(error as Error).message}): correct TEMPORAL_PROFILE, TEMPORAL_CONFIG_FILE or the file it names`,
      { cause: error },
    );
  }
}

/** A variable set to nothing counts as not set, except a header's, which takes the header of the profile away. */
function withoutEmpty(env: NodeJS.ProcessEnv): Record<string, string> {
  const entries = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (entry[1] !== "" || entry[0].startsWith("TEMPORAL_GRPC_META_")),
  );
  return Object.fromEntries(entries);
}

function textMetadata(metadata: NonNullable<SdkConnection["metadata"]>): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, String(value)]));
}
