/** The order of contents: who speaks first and last, how calls and responses follow each other, who must sign. */
import { isJsonObject, type JsonObject } from "../../core/json.js";
import type { WireIssue } from "../wire-issue.js";
import type { GoogleModel } from "./models.js";
import { callsIn, isQuestion, partsIn, responsesIn } from "./parts.js";

export function checkTurns(contents: readonly JsonObject[], model: GoogleModel): readonly WireIssue[] {
  return [
    ...checkEnds(contents),
    ...contents.flatMap((content, index) => checkCallTurn(contents, content, index)),
    ...contents.flatMap((content, index) => checkResponseTurn(contents, content, index)),
    ...(model.signedCalls ? checkSignatures(contents) : []),
  ];
}

function checkEnds(contents: readonly JsonObject[]): readonly WireIssue[] {
  const last = contents.length - 1;
  return [
    ...(contents[0]?.role === "model"
      ? [{ path: "contents.0", message: "Please ensure that multiturn requests start with a user role." }]
      : []),
    ...(contents[last]?.role === "model"
      ? [
          {
            path: `contents.${last}`,
            message: "Please ensure that multiturn requests end with a user role or a function response.",
          },
        ]
      : []),
  ];
}

function checkCallTurn(
  contents: readonly JsonObject[],
  content: JsonObject,
  index: number,
): readonly WireIssue[] {
  const calls = callsIn(content);
  if (calls.length === 0) return [];
  const path = `contents.${index}`;
  if (contents[index - 1] === undefined || contents[index - 1]?.role === "model") {
    const message =
      "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
    return [{ path, message }];
  }
  const next = contents[index + 1];
  // A history that ends here is refused for its end.
  if (next === undefined) return [];
  return responsesIn(next).length === calls.length ? [] : [{ path, message: UNEQUAL_COUNT }];
}

const UNEQUAL_COUNT =
  "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";

function checkResponseTurn(
  contents: readonly JsonObject[],
  content: JsonObject,
  index: number,
): readonly WireIssue[] {
  const responses = responsesIn(content);
  if (responses.length === 0) return [];
  const path = `contents.${index}`;
  const previous = contents[index - 1];
  const calls = previous === undefined ? [] : callsIn(previous);
  if (calls.length === 0) {
    const message = "Please ensure that function response turn comes immediately after a function call turn.";
    return [{ path, message }];
  }
  if (partsIn(content).length !== responses.length) {
    const message =
      "Please ensure that a function response turn holds function responses only: the request ends with model turn otherwise.";
    return [{ path, message }];
  }
  if (responses.length !== calls.length) return [];
  return checkFit(calls, responses, path);
}

/** Each response answers one call of its name; where both sides have ids, they agree. */
function checkFit(
  calls: readonly JsonObject[],
  responses: readonly JsonObject[],
  path: string,
): readonly WireIssue[] {
  const open = [...calls];
  for (const [index, response] of responses.entries()) {
    const found = open.findIndex((call) => answers(response, call));
    if (found === -1) {
      const message = `Function response ${JSON.stringify(response.name)} answers none of the calls of the function call turn.`;
      return [{ path: `${path}.parts.${index}`, message }];
    }
    open.splice(found, 1);
  }
  return [];
}

function answers(response: JsonObject, call: JsonObject): boolean {
  return response.name === call.name && response.id === call.id;
}

/** Only the current turn counts: in each of its steps the first call is signed, its siblings need not be. */
function checkSignatures(contents: readonly JsonObject[]): readonly WireIssue[] {
  const start = contents.findLastIndex(isQuestion);
  return contents.flatMap((content, index) => {
    const position = partsIn(content).findIndex(({ functionCall }) => isJsonObject(functionCall));
    const part = partsIn(content)[position];
    if (index <= start || part === undefined || part.thoughtSignature !== undefined) return [];
    const name = String(callsIn(content)[0]?.name);
    const message = `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${index + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`;
    return [{ path: `contents.${index}.parts.${position}`, message }];
  });
}
