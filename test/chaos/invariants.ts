/** What must hold after every seed. Each is a function of its own: what it finds is a violation. */
import type { NativeMessage } from "../../src/core/envelope/envelope.js";
import { isJsonObject } from "../../src/core/json.js";
import type { Observation, ObservedConversation, SeenCall, SentMessage, Violation } from "./observation.js";
import { repeatedCalls } from "./paid-calls.js";
import { isOf } from "./seen-calls.js";

export type Invariant = (observation: Observation) => readonly Violation[];

/** What was still under way when the client went: never more than one event of the stream. */
const ONE_EVENT_BYTES = 4_096;
/** After a turn's end its call hears of it with the next beat. */
const STOP_MS = 3_000;

const everyConversation =
  (look: (conversation: ObservedConversation, observation: Observation) => readonly string[]) =>
  (invariant: string): Invariant =>
  (observation) =>
    observation.conversations.flatMap((conversation) =>
      look(conversation, observation).map((text) => ({ invariant, conversation: conversation.id, text })),
    );

const answered = everyConversation(({ messages, views }) =>
  messages.flatMap((message) => {
    const view = views.get(message.turnId);
    if (!message.accepted) {
      const known = view === undefined || view.state === "unknown" || view.state === "refused";
      return known ? [] : [`${message.turnId} was refused at once (${message.refusal}) and is ${view.state}`];
    }
    switch (view?.state) {
      case "committed":
        return view.result?.output?.includes(message.tag) === true
          ? []
          : [`${message.turnId} is committed with the answer to something else: ${view.result?.output}`];
      case "interrupted":
        return isRecord(message, view.interrupted_turn)
          ? []
          : [`${message.turnId} is interrupted without its record`];
      case "refused":
        return view.reason === undefined || view.reason === ""
          ? [`${message.turnId} is refused without a reason`]
          : [];
      default:
        return [`${message.turnId} was accepted and is ${view?.state ?? "not asked for"}`];
    }
  }),
);

function isRecord({ turnId, tag }: SentMessage, record: unknown): boolean {
  return (
    isJsonObject(record) &&
    record.turn_id === turnId &&
    String(record.message).startsWith(tag) &&
    String(record.error_type) !== "" &&
    String(record.error) !== ""
  );
}

const committedOnce = everyConversation(({ messages, views, envelope }) => {
  const questions = envelope.messages.filter(isQuestion).map((message) => JSON.stringify(message));
  const wrong = messages.flatMap(({ turnId, tag }) => {
    const copies = questions.filter((question) => question.includes(tag)).length;
    const entries = envelope.turn_index.filter(({ turn_id }) => turn_id === turnId);
    const wanted = views.get(turnId)?.state === "committed" ? 1 : 0;
    if (copies !== wanted) return [`${copies} copies of ${turnId}, which is ${views.get(turnId)?.state}`];
    return entries.length > 1 ? [`${entries.length} entries of ${turnId} in turn_index`] : [];
  });
  const committed = envelope.turn_index.filter(({ state }) => state === "committed").length;
  const counts = [envelope.metadata.run_count, questions.length];
  const odd = counts.some((count) => count !== committed);
  return odd
    ? [...wrong, `${committed} turns are committed, run_count and questions: ${counts.join(", ")}`]
    : wrong;
});

/** Of a user, and not the result of a tool. */
function isQuestion(message: NativeMessage): boolean {
  return message.role === "user" && /\[s-?[\w-]+-c\d+-t\d+\]/.test(JSON.stringify(message));
}

const validAtEveryMoment = everyConversation(({ faults }) => faults);

const paidOnce: Invariant = (observation) =>
  repeatedCalls(observation)
    .filter(({ excuse }) => excuse === undefined)
    .map(({ conversation, tag, before, call }) => ({
      invariant: "paid calls",
      conversation,
      text: `${tag} was asked again ${call.receivedAt - before.receivedAt} ms after call ${before.id} (call ${call.id}), and nothing had happened to it`,
    }));

const toolsRunOnce: Invariant = ({ tools, conversations }) => {
  const byKey = Map.groupBy(tools, ({ key }) => key);
  const repeated = [...byKey].flatMap(([key, lines]) => {
    const begun = lines.filter(({ what }) => what === "begun");
    const [first] = lines;
    const isTwice = first !== undefined && first.tool !== "again" && begun.length > 1;
    return isTwice ? [{ key, text: `${first.tool} was run ${begun.length} times for one call` }] : [];
  });
  const afterwards = conversations.flatMap(({ id, settledTools }) =>
    settledTools.flatMap(({ key, at, isError }) => {
      const lines = byKey.get(key) ?? [];
      const late = lines.filter((line) => line.what === "begun" && line.at > at);
      if (late.length > 0) return [{ id, key, text: "a tool ran again after its call had settled" }];
      const isDone = isError || lines.some(({ what }) => what === "ended");
      return isDone
        ? []
        : [{ id, key, text: "a tool's result stands in the history, and it never ran to its end" }];
    }),
  );
  return [...repeated.map((found) => ({ id: "", ...found })), ...afterwards].map(({ id, key, text }) => ({
    invariant: "settled tools",
    conversation: id,
    text: `${text} (${key.slice(0, 12)})`,
  }));
};

const tasksFail = everyConversation(({ failedTasks }) => failedTasks);
const replays = everyConversation(({ replayIssues }) => replayIssues);
const surprised = everyConversation(({ surprises }) => surprises);

const readersEnd = everyConversation(({ readings, views }) =>
  readings.flatMap(({ turnId, state }) => {
    const view = views.get(turnId)?.state;
    return state === view ? [] : [`a reader of ${turnId} saw it end ${state}, and it is ${view}`];
  }),
);

const stopsStop = everyConversation(({ messages, views }, { calls, workers, outages }) =>
  messages.flatMap(({ turnId, tag }) => {
    const record = views.get(turnId)?.interrupted_turn;
    if (record?.error_type !== "turn.cancelled") return [];
    const endedAt = Date.parse(record.failed_at);
    const disturbed = [
      ...outages,
      ...workers.flatMap(({ stopped }) => stopped),
      ...workers.flatMap(({ killed }) => (killed === undefined ? [] : [{ from: killed.at, to: killed.at }])),
    ].some(({ from, to }) => from < endedAt + STOP_MS && to > endedAt - STOP_MS);
    return calls
      .filter((call) => isOf(call, tag))
      .flatMap((call) => stopIssues(call, turnId, endedAt, disturbed));
  }),
);

function stopIssues(call: SeenCall, turnId: string, endedAt: number, disturbed: boolean): readonly string[] {
  if (call.endedAt === null) return [`the call of ${turnId}, which was stopped, is still open`];
  if (disturbed) return [];
  if (call.receivedAt > endedAt + STOP_MS) return [`${turnId} was called again after it had been stopped`];
  const took = call.endedAt - endedAt;
  return took > STOP_MS ? [`the call of ${turnId} went on for ${took} ms after the stop`] : [];
}

const bytesAfterClose: Invariant = ({ calls }) =>
  calls
    .filter(({ bytesSentAfterClose }) => bytesSentAfterClose > ONE_EVENT_BYTES)
    .map(({ id, bytesSentAfterClose }) => ({
      invariant: "stops",
      conversation: "",
      text: `call ${id} was sent ${bytesSentAfterClose} bytes after its client had gone`,
    }));

/** What the simulator refuses the real service would refuse as well. */
const requestsTaken: Invariant = ({ calls }) =>
  calls
    .filter(({ issues }) => issues.length > 0)
    .map(({ id, lastUserText, issues }) => ({
      invariant: "requests",
      conversation: "",
      text: `call ${id} (${lastUserText.slice(0, 40)}) was no sound request: ${issues[0]?.path} ${issues[0]?.message}`,
    }));

export const INVARIANTS: Readonly<Record<string, Invariant>> = {
  "every message": answered("every message"),
  "one copy": committedOnce("one copy"),
  "envelope and checkpoint": validAtEveryMoment("envelope and checkpoint"),
  "paid calls": paidOnce,
  "settled tools": toolsRunOnce,
  "workflow tasks": tasksFail("workflow tasks"),
  replay: replays("replay"),
  callers: surprised("callers"),
  readers: readersEnd("readers"),
  stops: (observation) => [...stopsStop("stops")(observation), ...bytesAfterClose(observation)],
  requests: requestsTaken,
};

export function violationsOf(observation: Observation): readonly Violation[] {
  return Object.values(INVARIANTS).flatMap((invariant) => invariant(observation));
}
