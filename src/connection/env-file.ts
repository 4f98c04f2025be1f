/** The `.env` of a folder: settings and keys beside the code, below what the environment already says. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { UsageError } from "../core/errors/errors.js";

export interface EnvFile {
  readonly path: string;
  /** The names that were taken from the file; their values are nobody's business but the environment's. */
  readonly names: readonly string[];
}

/**
 * Reads `folder/.env` into `env`, where `env` has no such name yet (as `node --env-file` does).
 * Returns null without a file; throws UsageError for one that cannot be read.
 */
export function loadEnvFile(folder: string, env: NodeJS.ProcessEnv): EnvFile | null {
  const path = join(folder, ".env");
  const text = readEnvText(path);
  if (text === null) return null;
  const names: string[] = [];
  for (const [name, value] of Object.entries(parseEnv(text))) {
    if (value === undefined || env[name] !== undefined) continue;
    env[name] = value;
    names.push(name);
  }
  return { path, names };
}

function readEnvText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new UsageError(
      `${path} cannot be read (${(error as Error).message}): make it a readable file or remove it`,
      { cause: error },
    );
  }
}
