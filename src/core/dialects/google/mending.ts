/** Requests from Gemini histories with faults: no empty parts, responses by themselves and as many as calls. */
import type { NativeMessage } from "../../envelope/envelope.js";
import { isJsonObject } from "../../json.js";
import {
  answersFirst,
  type DialectMending,
  type Exchange,
  type PlacedMessage,
  type TidiedMessage,
} from "../mending.js";
import { PLACEHOLDER } from "../placeholder.js";
import { NO_RESULT } from "../repair.js";
import { moved } from "../report.js";
import { asContent, type Part } from "./wire.js";

export const mending: DialectMending = {
  tidy,
  exchanges,
  // Ids are optional and free; calls and responses pair by name and order without them.
  withIds: (message) => message,
  uniqueIn: undefined,
  continuesCalls: () => false,
  endsRound: (message, follows) => !follows || !hasResponses(message),
  answers: (calls) => [
    {
      role: "user",
      parts: calls.map(({ id, name }) => ({
        functionResponse: {
          ...(id === null ? {} : { id }),
          name: name ?? "",
          response: { error: NO_RESULT },
        },
      })),
    },
  ],
  withAnswers,
  opening: { role: "user", parts: [{ text: PLACEHOLDER }] },
  beginsWithModel: ({ role }) => role === "model",
};

/** Responses stand alone in their content; what the user said beside them follows in one of its own. */
function tidy(message: NativeMessage, index: number): TidiedMessage | undefined {
  const content = asContent(message);
  if (content === undefined) return undefined;
  const parts = content.parts.filter((part) => !isEmpty(part));
  const responses = parts.filter(isResponse);
  const rest = parts.filter((part) => !isResponse(part));
  if (responses.length > 0 && rest.length > 0) {
    const report = [moved("order", { index, path: "parts" }, "behind the responses, in the request")];
    return {
      messages: [
        { ...content, parts: responses },
        { ...content, parts: rest },
      ],
      report,
    };
  }
  if (parts.length === content.parts.length && parts.length > 0) return undefined;
  return { messages: parts.length === 0 ? [] : [{ ...content, parts }], report: [] };
}

/** An empty text is refused, unless it carries a signature. */
function isEmpty({ text, thoughtSignature, ...others }: Part): boolean {
  if (text !== "" || (thoughtSignature ?? null) !== null) return false;
  return Object.entries(others).every(([name, value]) => name === "thought" || value === null);
}

function isResponse({ functionResponse }: Part): boolean {
  return isJsonObject(functionResponse);
}

function hasResponses(message: NativeMessage): boolean {
  return asContent(message)?.parts.some(isResponse) === true;
}

function exchanges(message: NativeMessage): readonly Exchange[] {
  return (asContent(message)?.parts ?? []).flatMap((part, at): readonly Exchange[] => {
    const { functionCall: call, functionResponse: response } = part;
    if (isJsonObject(call)) {
      // A later piece of a call that was streamed in pieces.
      if (!call.name) return [];
      const path = `parts.${at}.functionCall`;
      return [{ kind: "call", id: call.id || null, name: call.name, path }];
    }
    // More responses to the same call follow.
    if (!isJsonObject(response) || response.willContinue === true) return [];
    const path = `parts.${at}.functionResponse`;
    return [{ kind: "result", id: response.id || null, name: response.name ?? undefined, path }];
  });
}

/** One content holds the responses of all calls: those that are there, then those that stand for the others. */
function withAnswers(
  following: readonly PlacedMessage[],
  answers: readonly NativeMessage[],
): readonly PlacedMessage[] {
  const [first, ...rest] = following;
  if (first === undefined || !hasResponses(first.message)) return answersFirst(following, answers);
  const made = answers.flatMap((answer) => asContent(answer)?.parts ?? []);
  const there = asContent(first.message)?.parts ?? [];
  return [{ ...first, message: { ...first.message, parts: [...there, ...made] } }, ...rest];
}
