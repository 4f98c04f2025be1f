/** The JSON Schema of an answer, from the file that the command line names. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { askedSchema } from "../client/asked-schema.js";
import { UsageError } from "../core/errors/errors.js";
import { isJsonObject } from "../core/json.js";
import type { JsonOutput } from "../core/output-schema.js";

/** @throws UsageError for a file that cannot be read, or holds no JSON Schema. */
export async function readOutputSchema(
  path: string | undefined,
  cwd: string,
): Promise<JsonOutput | undefined> {
  if (path === undefined) return undefined;
  const schema = parsed(path, await textOf(path, cwd));
  if (!isJsonObject(schema)) throw new UsageError(`${path}: a JSON Schema is an object.`);
  askedSchema(path, { schema });
  return { schema };
}

async function textOf(path: string, cwd: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, path), "utf8");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`The schema ${path} cannot be read: ${reason}`, { cause: error });
  }
}

function parsed(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${path} is no JSON: ${reason}`, { cause: error });
  }
}
