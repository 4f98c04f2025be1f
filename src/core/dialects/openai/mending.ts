/** Requests from Responses histories with faults: each call with an id of its own and an output. */
import type { NativeMessage } from "../../envelope/envelope.js";
import { answersFirst, type DialectMending, type Exchange } from "../mending.js";
import { NO_RESULT } from "../repair.js";
import { asItem } from "./wire.js";

/** The kinds of calls whose outputs the service asks for by `call_id`. */
const FORMS: ReadonlySet<string> = new Set(["function_call", "custom_tool_call"]);
const OUTPUT = "_output";

export const mending: DialectMending = {
  tidy: () => undefined,
  exchanges,
  withIds: (message, [id]) => ({ ...message, call_id: id ?? null }),
  uniqueIn: "request",
  longestId: 64,
  continuesCalls: ({ type }) => typeof type === "string" && FORMS.has(type),
  // An output may stand anywhere behind its call.
  endsRound: () => false,
  answers: (calls) =>
    calls.map(({ sentId, form }) => ({ type: `${form}${OUTPUT}`, call_id: sentId, output: NO_RESULT })),
  withAnswers: answersFirst,
  hasReferences: ({ type, role, id }) =>
    type === "item_reference" ||
    ((type ?? null) === null && (role ?? null) === null && typeof id === "string"),
};

function exchanges(message: NativeMessage): readonly Exchange[] {
  const item = asItem(message);
  const type = item?.type ?? "";
  const isResult = type.endsWith(OUTPUT);
  const form = isResult ? type.slice(0, -OUTPUT.length) : type;
  if (item === undefined || !FORMS.has(form)) return [];
  const name = isResult ? undefined : (item.name ?? undefined);
  return [{ kind: isResult ? "result" : "call", id: item.call_id ?? "", name, path: "call_id", form }];
}
