/** Long histories of an agent at work, the same in each dialect: a question, a tool round of two calls, an answer. */

const QUESTION =
  "Please look at the files of the project and tell me which of them were changed since Monday, and why the build of them failed.";
const THOUGHT = "I will list the folder and read the log of the last build before I answer.";
const LISTING =
  "src/index.ts 2026-01-12 changed\nsrc/server.ts 2026-01-13 changed\nsrc/worker.ts 2026-01-09\nsrc/json.ts 2026-01-02\nREADME.md 2026-01-14 changed\n";
const LOG =
  '> build\n> tsc -p tsconfig.json\n\nsrc/server.ts(41,7): error TS2322: Type "string" is not assignable to type "number".\nFound 1 error in src/server.ts:41\n';
const ANSWER =
  "Three files were changed since Monday: `src/index.ts`, `src/server.ts` and `README.md`. The build failed because a port in `src/server.ts` is read from the environment as text and given to a parameter that wants a number; parse it first.";

const LIST_ARGUMENTS = { path: "src", recursive: true };
const READ_ARGUMENTS = { path: "logs/build.log", lines: { from: 1, to: 200 } };

const ROUNDS = {
  anthropic: (n) => [
    { role: "user", content: [{ type: "text", text: `${n}: ${QUESTION}` }] },
    {
      role: "assistant",
      content: [
        { type: "text", text: THOUGHT },
        { type: "tool_use", id: `toolu_01${n}a`, name: "list_files", input: LIST_ARGUMENTS },
        { type: "tool_use", id: `toolu_01${n}b`, name: "read_file", input: READ_ARGUMENTS },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: `toolu_01${n}a`, content: LISTING },
        { type: "tool_result", tool_use_id: `toolu_01${n}b`, content: [{ type: "text", text: LOG }] },
      ],
    },
    { role: "assistant", content: [{ type: "text", text: `${n}: ${ANSWER}` }] },
  ],
  openai: (n) => [
    { role: "user", content: [{ type: "input_text", text: `${n}: ${QUESTION}` }] },
    {
      type: "message",
      id: `msg_${n}a`,
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: THOUGHT, annotations: [] }],
    },
    {
      type: "function_call",
      id: `fc_${n}a`,
      call_id: `call_${n}a`,
      name: "list_files",
      arguments: JSON.stringify(LIST_ARGUMENTS),
      status: "completed",
    },
    {
      type: "function_call",
      id: `fc_${n}b`,
      call_id: `call_${n}b`,
      name: "read_file",
      arguments: JSON.stringify(READ_ARGUMENTS),
      status: "completed",
    },
    { type: "function_call_output", call_id: `call_${n}a`, output: LISTING },
    { type: "function_call_output", call_id: `call_${n}b`, output: LOG },
    {
      type: "message",
      id: `msg_${n}b`,
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: `${n}: ${ANSWER}`, annotations: [] }],
    },
  ],
  google: (n) => [
    { role: "user", parts: [{ text: `${n}: ${QUESTION}` }] },
    {
      role: "model",
      parts: [
        { text: THOUGHT },
        { functionCall: { id: `call-${n}-a`, name: "list_files", args: LIST_ARGUMENTS } },
        { functionCall: { id: `call-${n}-b`, name: "read_file", args: READ_ARGUMENTS } },
      ],
    },
    {
      role: "user",
      parts: [
        { functionResponse: { id: `call-${n}-a`, name: "list_files", response: { output: LISTING } } },
        { functionResponse: { id: `call-${n}-b`, name: "read_file", response: { output: LOG } } },
      ],
    },
    { role: "model", parts: [{ text: `${n}: ${ANSWER}` }] },
  ],
  fireworks: (n) => [
    { role: "user", content: `${n}: ${QUESTION}` },
    {
      role: "assistant",
      content: THOUGHT,
      tool_calls: [
        {
          id: `call_${n}a`,
          type: "function",
          function: { name: "list_files", arguments: JSON.stringify(LIST_ARGUMENTS) },
        },
        {
          id: `call_${n}b`,
          type: "function",
          function: { name: "read_file", arguments: JSON.stringify(READ_ARGUMENTS) },
        },
      ],
    },
    { role: "tool", tool_call_id: `call_${n}a`, content: LISTING },
    { role: "tool", tool_call_id: `call_${n}b`, content: LOG },
    { role: "assistant", content: `${n}: ${ANSWER}` },
  ],
};

/** At least `count` messages, in whole rounds; read from text, as a stored history is. */
export function historyIn(dialect, count) {
  const messages = [];
  for (let n = 1; messages.length < count; n++) messages.push(...ROUNDS[dialect](n));
  return JSON.parse(JSON.stringify(messages));
}

const many = (count, one) => Array.from({ length: count }, (_, at) => one(at));
const call = (id) => ({ functionCall: { id, name: "look", args: {} } });
const response = (id, willContinue = false) => ({
  functionResponse: {
    id,
    name: "look",
    response: { output: "seen" },
    ...(willContinue ? { willContinue } : {}),
  },
});
const asked = { role: "user", parts: [{ text: "Go." }] };

/** Gemini histories in which one thing depends on many others: as many calls, responses or pieces as are asked for. */
export const ROUGH_HISTORIES = {
  "one turn": (count) => [
    asked,
    { role: "model", parts: many(count, (at) => call(`c${at}`)) },
    { role: "user", parts: many(count, (at) => response(`c${count - 1 - at}`)) },
  ],
  "one id": (count) => [
    asked,
    { role: "model", parts: many(count, () => call("c")) },
    { role: "user", parts: many(count, () => response("c")) },
  ],
  "responses to one call": (count) => [
    asked,
    { role: "model", parts: [call("c")] },
    ...many(count, (at) => ({ role: "user", parts: [response("c", at < count - 1)] })),
  ],
  "answers in two steps": (count) => [
    asked,
    { role: "model", parts: many(count, (at) => call(`c${at}`)) },
    { role: "user", parts: many(count, (at) => response(`c${at}`, true)) },
    { role: "user", parts: many(count, (at) => response(`c${at}`)) },
  ],
  "pieces of one call": (count) => [
    asked,
    {
      role: "model",
      parts: [
        { functionCall: { id: "c", name: "look", willContinue: true } },
        ...many(count, (at) => ({
          functionCall: {
            willContinue: at < count - 1,
            partialArgs: [{ jsonPath: `$.list[${at}]`, numberValue: at }],
          },
        })),
      ],
    },
    { role: "user", parts: [response("c")] },
  ],
};
