/** The environment of the tour: nothing in it may lead to another server, another store or, without `--live`, a provider. */
import { loadEnvFile } from "../../connection/env-file.js";
import { MissingKeyError } from "../../core/errors/errors.js";
import { PROVIDER_VARIABLES, providerSettings } from "../../providers/settings.js";

const FOREIGN =
  /^(TEMPORAL_.*|HOLDFAST_(TASK_QUEUE|MEDIA_STORE|PAYLOAD_STORE|STREAM_URL|STREAM_TOKEN|SIMULATOR_URL))$/;

export interface TourEnvironment {
  readonly env: NodeJS.ProcessEnv;
  /** The `.env` that settings were taken from. */
  readonly file: string | null;
}

/** @throws MissingKeyError when the real services are wanted and there is no key. */
export function tourEnvironment(
  outer: NodeJS.ProcessEnv,
  options: { readonly live: boolean; readonly cwd: string },
): TourEnvironment {
  const env = Object.fromEntries(Object.entries(outer).filter(([name]) => !FOREIGN.test(name)));
  if (!options.live) return { env, file: null };
  const file = loadEnvFile(options.cwd, env);
  for (const name of file?.names ?? []) if (FOREIGN.test(name)) delete env[name];
  if (providerSettings(env).anthropic.apiKey === undefined) {
    throw new MissingKeyError(
      `${PROVIDER_VARIABLES.anthropic.key} is not set: set it, or leave \`--live\` out and let the simulator answer.`,
    );
  }
  return { env, file: file?.path ?? null };
}
