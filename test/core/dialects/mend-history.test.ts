import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mendHistory } from "../../../src/core/dialects/mend-history.js";
import type { NativeMessage } from "../../../src/core/envelope/envelope.js";
import { DIALECT_NAMES, type DialectName } from "../../../src/core/providers.js";
import { validateAnthropicRequest } from "../../../src/simulator/anthropic/validate.js";
import { validateFireworksRequest } from "../../../src/simulator/fireworks/validate.js";
import { validateGoogleRequest } from "../../../src/simulator/google/validate.js";
import { validateOpenaiRequest } from "../../../src/simulator/openai/validate.js";
import { historyIn } from "../../support/history-arbitrary.js";
import { deepFreeze } from "./deep-freeze.js";
import { issuesOf } from "./wire-rules.js";

type History = readonly NativeMessage[];

/** What the simulated service says of a request with this history. */
const REFUSALS: Readonly<Record<DialectName, (history: History) => readonly unknown[]>> = {
  anthropic: (messages) =>
    validateAnthropicRequest({ model: "claude-haiku-4-5", max_tokens: 9, messages: [...messages] }),
  openai: (input) => validateOpenaiRequest({ model: "gpt-6-luna", input: [...input] }),
  google: (contents) => validateGoogleRequest({ contents: [...contents] }, { model: "gemini-2.5-flash" }),
  fireworks: (messages) =>
    validateFireworksRequest({ model: "accounts/fireworks/models/kimi-k3", messages: [...messages] }),
};

const LAST: Readonly<Record<DialectName, NativeMessage>> = {
  anthropic: { role: "user", content: "And now?" },
  openai: { role: "user", content: "And now?" },
  google: { role: "user", parts: [{ text: "And now?" }] },
  fireworks: { role: "user", content: "And now?" },
};

const use = (id: string, name = "look") => ({ type: "tool_use", id, name, input: {} });
const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "Found." });
const says = (text: string) => ({ type: "text", text });
const user = (...content: readonly object[]): NativeMessage => ({ role: "user", content: content as never });
const assistant = (...content: readonly object[]): NativeMessage => ({
  role: "assistant",
  content: content as never,
});

const call = (call_id: string) => ({ type: "function_call", call_id, name: "look", arguments: "{}" });
const output = (call_id: string) => ({ type: "function_call_output", call_id, output: "Found." });

const contents = (role: string, ...parts: readonly object[]): NativeMessage => ({
  role,
  parts: parts as never,
});
const calls = (name: string, id?: string) => ({
  functionCall: { ...(id === undefined ? {} : { id }), name, args: {} },
});
const responds = (name: string, id?: string) => ({
  functionResponse: { ...(id === undefined ? {} : { id }), name, response: { output: "Found." } },
});

const chatCalls = (...ids: readonly string[]): NativeMessage => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "look", arguments: "{}" } })),
});
const tool = (id: string): NativeMessage => ({ role: "tool", tool_call_id: id, content: "Found." });

interface Fault {
  readonly what: string;
  readonly dialect: DialectName;
  readonly history: History;
  /** Kind and artefact of each entry. */
  readonly report: readonly string[];
}

const FAULTS: readonly Fault[] = [
  {
    what: "ids that repeat",
    dialect: "anthropic",
    history: [
      user(says("A")),
      assistant(use("t1")),
      user(result("t1")),
      assistant(use("t1")),
      user(result("t1")),
      assistant(says("B")),
    ],
    report: ["rekeyed tool-call-id 3"],
  },
  {
    what: "ids that repeat inside one message",
    dialect: "anthropic",
    history: [
      user(says("A")),
      assistant(use("t1"), use("t1", "other")),
      user(result("t1"), result("t1")),
      assistant(says("B")),
    ],
    report: ["rekeyed tool-call-id 1"],
  },
  {
    what: "ids of another system",
    dialect: "anthropic",
    history: [
      user(says("A")),
      assistant(use("functions.look:0")),
      user(result("functions.look:0")),
      assistant(says("B")),
    ],
    report: ["rekeyed tool-call-id 1"],
  },
  {
    what: "blank text",
    dialect: "anthropic",
    history: [
      user(says("A"), says(" \n")),
      assistant(says(""), says("B")),
      { role: "user", content: " " },
      assistant(says("C")),
    ],
    report: ["dropped empty 0", "dropped empty 2"],
  },
  {
    what: "blank text inside a result",
    dialect: "anthropic",
    history: [
      user(says("A")),
      assistant(use("t1")),
      user({ ...result("t1"), content: [says(" ")] }),
      assistant(says("B")),
    ],
    report: ["dropped empty 2"],
  },
  {
    what: "an unanswered call",
    dialect: "anthropic",
    history: [user(says("A")), assistant(use("t1")), user(says("Never mind.")), assistant(says("B"))],
    report: ["added tool-result 1"],
  },
  {
    what: "one of two calls unanswered, the other behind text",
    dialect: "anthropic",
    history: [
      user(says("A")),
      assistant(use("t1"), use("t2")),
      user(says("See:"), result("t1")),
      assistant(says("B")),
    ],
    report: ["moved order 2", "added tool-result 1"],
  },
  {
    what: "a call at the end",
    dialect: "anthropic",
    history: [user(says("A")), assistant(use("t1"))],
    report: ["added tool-result 1"],
  },
  {
    what: "the model's word first",
    dialect: "anthropic",
    history: [assistant(says("Hello.")), user(says("A")), assistant(says("B"))],
    report: ["added user-turn 0"],
  },
  {
    what: "ids that repeat",
    dialect: "openai",
    history: [LAST.openai, call("c1"), output("c1"), call("c1"), output("c1")],
    report: ["rekeyed tool-call-id 3"],
  },
  {
    what: "an id that is too long",
    dialect: "openai",
    history: [LAST.openai, call("c".repeat(70)), output("c".repeat(70))],
    report: ["rekeyed tool-call-id 1"],
  },
  {
    what: "unanswered calls",
    dialect: "openai",
    history: [
      LAST.openai,
      call("c1"),
      call("c2"),
      LAST.openai,
      { type: "custom_tool_call", call_id: "c3", name: "draw", input: "x" },
      output("c2"),
    ],
    report: ["added tool-result 4", "added tool-result 1"],
  },
  {
    what: "an unanswered call",
    dialect: "google",
    history: [LAST.google, contents("model", calls("look")), LAST.google, contents("model", { text: "B" })],
    report: ["added tool-result 1"],
  },
  {
    what: "one of two calls unanswered",
    dialect: "google",
    history: [
      LAST.google,
      contents("model", calls("look", "a"), calls("find", "b")),
      contents("user", responds("find", "b")),
      contents("model", { text: "B" }),
    ],
    report: ["added tool-result 1"],
  },
  {
    what: "empty parts and text beside responses",
    dialect: "google",
    history: [
      contents("user", { text: "" }, { text: "A" }),
      contents("model", { text: "" }, calls("look")),
      contents("user", responds("look"), { text: "See?" }),
      contents("model", { text: "" }),
    ],
    report: ["moved order 2"],
  },
  {
    what: "the model's word first",
    dialect: "google",
    history: [contents("model", { text: "Hello." }), LAST.google, contents("model", { text: "B" })],
    report: ["added user-turn 0"],
  },
  {
    what: "unanswered calls",
    dialect: "fireworks",
    history: [
      LAST.fireworks,
      chatCalls("look:0", "look:1"),
      tool("look:1"),
      { role: "assistant", content: "B" },
      LAST.fireworks,
      chatCalls("look:0"),
    ],
    report: ["added tool-result 1", "added tool-result 5"],
  },
  {
    what: "the same id twice in a round",
    dialect: "fireworks",
    history: [LAST.fireworks, chatCalls("a", "a"), tool("a"), tool("a"), { role: "assistant", content: "B" }],
    report: ["rekeyed tool-call-id 1"],
  },
  {
    what: "an assistant that says nothing",
    dialect: "fireworks",
    history: [
      LAST.fireworks,
      { role: "assistant", content: null },
      LAST.fireworks,
      { role: "assistant", content: [] },
    ],
    report: [],
  },
];

describe.each(FAULTS)("a request of $dialect whose history has $what", ({ dialect, history, report }) => {
  const sent = [...history, LAST[dialect]];
  const mended = mendHistory(dialect, deepFreeze(sent));

  it("DIA-410 is taken by the service, which would refuse the history as it is", () => {
    expect(REFUSALS[dialect](sent)).not.toEqual([]);
    expect(REFUSALS[dialect](mended.messages)).toEqual([]);
    expect(mended.issues).toEqual([]);
  });

  it("DIA-411 says each change that its reader should hear of, and where each message came from", () => {
    expect(mended.report.map(({ kind, artefact, index }) => `${kind} ${artefact} ${index}`)).toEqual(report);
    expect(mended.from).toHaveLength(mended.messages.length);
    for (const [at, from] of mended.from.entries()) {
      if (from === undefined) expect(sent).not.toContain(mended.messages[at]);
      else expect(mended.messages[at]?.role).toBe(sent[from]?.role);
    }
    expect(mended.from.at(-1)).toBe(sent.length - 1);
  });

  it("DIA-412 is mended the same way a turn later, and mending it again changes nothing", () => {
    const later = mendHistory(dialect, [...sent, LAST[dialect]]);
    expect(later.messages.slice(0, mended.messages.length)).toEqual(mended.messages);
    const again = mendHistory(dialect, mended.messages);
    expect(again.messages).toBe(mended.messages);
    expect(again.report).toEqual([]);
  });
});

/** What the simulator lets pass, and others have seen refused: a blank result, one id for two kinds of calls. */
function isDoubtful(messages: History): boolean {
  const ids = messages.flatMap(({ type, call_id }) => (String(type).endsWith("_call") ? [call_id] : []));
  return (
    new Set(ids).size < ids.length ||
    /"tool_result",[^}]*"content":"(?:\s|\\[nt])+"/.test(JSON.stringify(messages))
  );
}

describe.each(DIALECT_NAMES)("a request of %s whose history has no fault", (dialect) => {
  const isFaultless = (messages: History, system: string | null): boolean =>
    issuesOf(dialect, messages, system).length === 0 && !isDoubtful(messages);
  // One random turn in ten has no fault, and hardly a history of four has none: it is put together of such turns.
  const turn = historyIn(dialect, 1).filter(({ messages, system }) => isFaultless(messages, system));

  it("DIA-413 has the very messages of the history", () => {
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 3 }), (turns) => {
        const messages = turns.flatMap((one) => one.messages);
        fc.pre(isFaultless(messages, turns[0]?.system ?? null));
        const sent = [...messages, LAST[dialect]];
        const mended = mendHistory(dialect, deepFreeze(sent));
        expect(mended.issues).toEqual([]);
        expect(mended.report).toEqual([]);
        expect(mended.messages).toBe(sent);
      }),
      { numRuns: 20 },
    );
  });
});

describe("what cannot be mended", () => {
  it.each<readonly [DialectName, History, number, string]>([
    ["anthropic", [user(says("A")), assistant(says("B")), user(says("x"), result("t9"))], 2, "content.0"],
    [
      "anthropic",
      [user(says("A")), assistant(use("t1")), user(says("x")), assistant(says("B")), user(result("t1"))],
      4,
      "content.0",
    ],
    ["anthropic", [user(says("A")), assistant(use("t1")), user(result("t1"), result("t1"))], 2, "content.1"],
    ["openai", [LAST.openai, output("c9")], 1, "call_id"],
    [
      "google",
      [LAST.google, contents("model", { text: "B" }), contents("user", responds("look"))],
      2,
      "parts.0.functionResponse",
    ],
    [
      "google",
      [LAST.google, contents("model", calls("look")), contents("user", responds("find"))],
      2,
      "parts.0.functionResponse",
    ],
    ["fireworks", [LAST.fireworks, chatCalls("a"), LAST.fireworks, tool("a")], 3, "tool_call_id"],
  ])(
    "DIA-414 is named with index and path: a result of %s without a call",
    (dialect, history, index, path) => {
      expect(mendHistory(dialect, history).issues).toEqual([
        { index, path, expected: "a result whose call stands before it and has no other result" },
      ]);
    },
  );

  it("DIA-415 is not guessed where the call may be an item that only the service has", () => {
    const history = [LAST.openai, { type: "item_reference", id: "fc_1" }, output("c9")];
    expect(mendHistory("openai", history).issues).toEqual([]);
  });

  it("DIA-416 is not seen in the pieces of one streamed call, nor in several responses to one", () => {
    const pieces = contents(
      "model",
      { functionCall: { name: "look", willContinue: true } },
      { functionCall: { partialArgs: [{ jsonPath: "$.q", stringValue: "x" }], willContinue: false } },
    );
    const first = { functionResponse: { name: "look", response: { output: "1" }, willContinue: true } };
    const history = [LAST.google, pieces, contents("user", first, responds("look")), LAST.google];
    expect(mendHistory("google", history)).toMatchObject({ issues: [], report: [], messages: history });
  });

  it("DIA-417 is named in a history of any length, with calls that are answered at the end only", () => {
    const many = Array.from({ length: 150_000 }, () => LAST.openai);
    const history = [call("c1"), ...many, call("c2"), output("c2")];
    const { messages, issues } = mendHistory("openai", history);
    expect(messages).toHaveLength(history.length + 1);
    expect(messages[1]).toMatchObject({ type: "function_call_output", call_id: "c1" });
    expect(issues).toEqual([]);
  });
});
