/** What comes of a final answer that was to fit a schema: it does, it is sent back once, or it ends the turn. */
import type { CallModelInput, CallModelResult } from "../../core/conversation/activity-contract.js";
import { dialectFor } from "../../core/dialects/index.js";
import { repairText } from "../../core/dialects/repair-message.js";
import { checkStructure } from "../../core/envelope/structure.js";
import { cleanText } from "../../core/errors/clean-text.js";
import type { JsonValue } from "../../core/json.js";
import { parseOutput } from "../../core/output-schema.js";
import type { ProviderName } from "../../core/providers.js";
import type { PerformedCall } from "../perform-call.js";
import { checkInThread } from "./check-in-thread.js";
import type { OutputSchemaCheck } from "./output-schema-check.js";
import { OverDeadlineError } from "./within-deadline.js";

const MOST_SHOWN = 3;
const MESSAGE_BYTES = 2 * 1024;
/** For a check that is too long for the loop. */
const THREAD_MS = 5_000;

export interface FinalAnswer {
  readonly input: Pick<CallModelInput, "repaired">;
  readonly performed: Pick<PerformedCall, "messages" | "finish_reason">;
  readonly provider: ProviderName;
  /** An answer that asks for tools is not the final one. */
  readonly tools?: Pick<CallModelResult, "tool_calls">;
  /** How long a long check may take, in milliseconds. Default 5,000. */
  readonly longestCheckMs?: number;
}

export async function verdictOn(
  check: OutputSchemaCheck | undefined,
  { input, performed, provider, tools, longestCheckMs = THREAD_MS }: FinalAnswer,
): Promise<Pick<CallModelResult, "structured" | "repair" | "invalid_output">> {
  if (check === undefined || tools?.tool_calls !== undefined) return {};
  const { messages, finish_reason } = performed;
  const faults = await faultsOf(check, dialectFor(provider).outputText(messages), longestCheckMs);
  if (typeof faults === "string") return { invalid_output: unchecked(faults) };
  if (faults.length === 0) return { structured: true };
  switch (finish_reason.unified) {
    case "length":
      return {
        invalid_output: `The answer was cut at its limit of tokens (${finish_reason.raw}) before its JSON was whole: allow more of them in the agent's params, or ask for less.`,
      };
    case "content_filter":
      return {
        invalid_output: `The model refused to answer (${finish_reason.raw}), so there is no JSON: ask for something else.`,
      };
    default:
      return input.repaired === undefined
        ? { repair: repairText(faults) }
        : { invalid_output: stillWrong(faults) };
  }
}

/** The faults of the answer, or why nobody can know them. */
async function faultsOf(
  check: OutputSchemaCheck,
  text: string,
  longestMs: number,
): Promise<readonly string[] | string> {
  if (text.trim() === "") return ["(the whole value): there is no text in the answer."];
  const parsed = parseOutput(text);
  if (parsed === undefined) return ["(the whole value): the answer is not JSON."];
  // Under the name of what may have any keys; what no envelope could hold must not become a result.
  const unsafe = checkStructure({ messages: parsed.value });
  if (unsafe !== undefined) return [`(the whole value): expected ${unsafe.expected}, found ${unsafe.found}.`];
  try {
    return await checked(check, parsed.value, longestMs);
  } catch (error) {
    // A call that is made again would be paid again, and end here again.
    return error instanceof Error ? error.message : String(error);
  }
}

async function checked(
  check: OutputSchemaCheck,
  value: JsonValue,
  longestMs: number,
): Promise<readonly string[]> {
  try {
    return check.faults(value);
  } catch (error) {
    if (!(error instanceof OverDeadlineError)) throw error;
    return checkInThread({ schema: check.schema, value, ms: longestMs });
  }
}

function unchecked(why: string): string {
  return cleanText(
    `The answer could not be held against its JSON Schema (${why}): make the schema simpler, above all its patterns, uniqueItems and references, or the answer smaller.`,
    MESSAGE_BYTES,
  );
}

function stillWrong(faults: readonly string[]): string {
  const more = faults.length - MOST_SHOWN;
  const shown = [...faults.slice(0, MOST_SHOWN), ...(more > 0 ? [`and ${more} more`] : [])]
    .join("; ")
    .replace(/\.$/, "");
  return cleanText(
    `The answer does not fit its JSON Schema, also after it was sent back: ${shown}. Ask again, or describe the schema's parts to the model.`,
    MESSAGE_BYTES,
  );
}
