/** The value of a structured answer, parsed by the schema that its caller has: transforms and defaults are done here. */
import type { OutputOption } from "../core/output-schema.js";
import {
  isStandardSchema,
  issueLine,
  type StandardResult,
  type StandardSchema,
} from "../core/standard-schema.js";
import { OutputParseError } from "./output-parse-error.js";
import type { RunResult } from "./run-result.js";

const MOST_SHOWN = 3;

/** @throws OutputParseError, which has the committed turn. */
export async function parsedResult(result: RunResult, output: OutputOption | undefined): Promise<RunResult> {
  if (output === undefined) return result;
  if (!("data" in result)) throw unstructured(result);
  if (!isStandardSchema(output)) return result;
  const parsed = await validated(output, result);
  if (parsed.issues === undefined) return { ...result, data: parsed.value };
  throw failed(result, parsed.issues.map(issueLine));
}

async function validated(schema: StandardSchema, result: RunResult): Promise<StandardResult<unknown>> {
  try {
    return await schema["~standard"].validate(result.data);
  } catch (error) {
    throw failed(result, [error instanceof Error ? error.message : String(error)]);
  }
}

function failed(result: RunResult, issues: readonly string[]): OutputParseError {
  const shown = issues.slice(0, MOST_SHOWN).join("; ");
  return new OutputParseError(
    `The answer of turn ${result.turnId} fits its JSON Schema, but the schema itself does not take it (${shown}). The turn is committed: \`error.result\` has it.`,
    { result, issues },
  );
}

/** The turn ran already under its id, the conversation goes on under another agent, or its worker is of a release that knows no schemas. */
function unstructured(result: RunResult): OutputParseError {
  const issue = "the answer was not held against a schema";
  return new OutputParseError(
    `Turn ${result.turnId} was answered without a schema: it had run before under this id, the conversation goes on under another agent, or its worker is of an earlier release. \`error.result\` has it.`,
    { result, issues: [issue] },
  );
}
