/** A refusal by the provider that a file may have caused, told with the names of the turn's files. */
import { cleanText } from "../core/errors/clean-text.js";
import { ProviderFailure, type ProviderFailureKind } from "../core/errors/provider-failure.js";

const MESSAGE_BYTES = 2_048;
const NAMES_BYTES = 400;

/** A request that is too large, where files came with it, is so for their sake. */
const TOO_LARGE = 413;
const PAYLOAD =
  /payload size exceeds|request (entity )?(is )?too large|exceeds? the maximum (allowed )?size/i;

const SUSPECTS: readonly ProviderFailureKind[] = ["attachment_refused", "bad_request"];

/**
 * The failure with the files in its words. A request that was refused for its size is `attachment_refused` where the turn had
 * files; without any, what was refused stands in the history. Other errors are handed on.
 */
export function blamingAttachments(error: unknown, names: readonly string[]): unknown {
  if (!(error instanceof ProviderFailure)) return error;
  const { status, retryAfterMs } = error;
  const isSize =
    status === TOO_LARGE || (status !== undefined && status < 500 && PAYLOAD.test(error.message));
  const kind = isSize && names.length > 0 ? "attachment_refused" : error.kind;
  const note = noteOf(kind, names);
  if (note === undefined) return error;
  const message = cleanText(
    `${cleanText(names.length === 0 ? withoutRemedy(error.message) : error.message, MESSAGE_BYTES - note.length * 3)} ${note}`,
    MESSAGE_BYTES,
  );
  return new ProviderFailure(kind, message, {
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** To send the same message again would change nothing. */
function withoutRemedy(message: string): string {
  return message.replace(/ Send the message again with another format, a smaller file or without it\.$/, "");
}

function noteOf(kind: ProviderFailureKind, names: readonly string[]): string | undefined {
  if (!SUSPECTS.includes(kind)) return undefined;
  if (names.length > 0) {
    const named = cleanText(names.join(", "), NAMES_BYTES);
    return kind === "bad_request"
      ? `The cause may be what was attached: ${named}.`
      : `Attached to this message: ${named}. The conversation goes on without it.`;
  }
  if (kind !== "attachment_refused") return undefined;
  return "What was refused stands in the history, for this message had no file: start anew without it, fork before the turn that brought it, or rebind to another model.";
}
