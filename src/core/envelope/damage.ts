/** The refusals of an envelope, each as one line: what is wrong, where, and what to do. */
import {
  EnvelopeDamagedError,
  EnvelopeFromFutureError,
  type EnvelopeIssue,
  type HistoryIssue,
  InvalidHistoryError,
} from "../errors/errors.js";
import { SCHEMA_VERSION } from "./envelope.js";

const MOST_NAMED = 3;
const EARLIER_COPY = "Use an earlier copy of the file.";

/** Text that is not the JSON of an object. `reason` completes “… is”. */
export function notJson(source: string, reason: string, cause?: unknown): EnvelopeDamagedError {
  return new EnvelopeDamagedError(`${source} is ${reason}. ${EARLIER_COPY}`, { cause });
}

export function notAnEnvelope(source: string, guess: string): EnvelopeDamagedError {
  return new EnvelopeDamagedError(
    `${source} is not a Holdfast envelope: it has no schema_version and looks like ${guess}. Give a file that holdfast export or toJson wrote, or name the dialect of a provider's own history (--from, fromMessages).`,
  );
}

export function badVersion(source: string, found: string): EnvelopeDamagedError {
  return new EnvelopeDamagedError(
    `${source} is damaged: schema_version: expected a whole number from 1 to ${SCHEMA_VERSION}, found ${found}. ${EARLIER_COPY}`,
    { issues: [{ path: "schema_version", expected: `a whole number from 1 to ${SCHEMA_VERSION}`, found }] },
  );
}

export function fromFuture(source: string, version: number): EnvelopeFromFutureError {
  return new EnvelopeFromFutureError(
    `${source} has schema version ${version}, and this holdfast reads up to ${SCHEMA_VERSION}. Upgrade holdfast (npm install holdfast@latest) and try again; the file is fine.`,
  );
}

export function wrongChecksum(source: string): EnvelopeDamagedError {
  return new EnvelopeDamagedError(
    `${source} is damaged: its checksum does not fit its content. If it was edited on purpose, run \`holdfast inspect FILE --reseal\`; otherwise use an earlier copy.`,
    { issues: [{ path: "checksum", expected: "the checksum of the content", found: "another one" }] },
  );
}

export function wrongShape(source: string, issues: readonly EnvelopeIssue[]): EnvelopeDamagedError {
  const named = issues.map(({ path, expected, found }) => `${path}: expected ${expected}, found ${found}`);
  return new EnvelopeDamagedError(`${source} is damaged: ${first(named)}. ${EARLIER_COPY}`, { issues });
}

/** `remedy` is a sentence. */
export function wrongHistory(
  source: string,
  provider: string,
  issues: readonly HistoryIssue[],
  remedy: string = "Mend these messages or use an earlier copy.",
): InvalidHistoryError {
  const named = issues.map(({ index, path, expected }) => `${placeOf(index, path)}: expected ${expected}`);
  return new InvalidHistoryError(
    `${source} holds a history that is not valid for ${provider}: ${first(named)}. ${remedy}`,
    issues,
  );
}

/** JSON in which there is no list of messages where the dialect has it. */
export function notAHistory(
  source: string,
  dialect: string,
  guess: string,
  lists: readonly string[],
): InvalidHistoryError {
  const expected = `a list of messages, or an object that has it as ${lists.join(" or ")}`;
  return new InvalidHistoryError(
    `${source} is not a history of ${dialect}: it looks like ${guess}. Give ${expected}.`,
    [{ index: 0, path: "", expected }],
  );
}

function placeOf(index: number, path: string): string {
  if (path === "") return `messages[${index}]`;
  return path.startsWith("messages") ? path : `messages[${index}].${path}`;
}

function first(named: readonly string[]): string {
  const more = named.length - MOST_NAMED;
  return named.slice(0, MOST_NAMED).join("; ") + (more > 0 ? `; and ${more} more` : "");
}
