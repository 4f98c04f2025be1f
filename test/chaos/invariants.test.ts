import { describe, expect, it } from "vitest";
import type { TurnView } from "../../src/core/conversation/messages.js";
import type { Envelope } from "../../src/core/envelope/envelope.js";
import { INVARIANTS, violationsOf } from "./invariants.js";
import type {
  Observation,
  ObservedConversation,
  SeenCall,
  SentMessage,
  ToolLine,
  TraceLine,
  WorkerLife,
} from "./observation.js";
import { repeatedCalls } from "./paid-calls.js";
import { recoveriesOf } from "./recovery-times.js";
import { reportLines, reportOf, spreadOf } from "./report.js";
import { scheduleOf } from "./schedule.js";
import { lossOf } from "./watcher.js";

const ID = "s1-c0";
const TURN = `${ID}-t0`;
const TAG = `[${TURN}]`;

const SENT: SentMessage = { conversation: ID, turnId: TURN, tag: TAG, faults: 0, accepted: true };
const VIEW = { turn_id: TURN, state: "committed", result: { output: `About ${TAG}.` } } as TurnView;
const STOPPED = {
  turn_id: TURN,
  state: "interrupted",
  interrupted_turn: {
    turn_id: TURN,
    error_type: "turn.cancelled",
    error: "Enough.",
    message: TAG,
    failed_at: new Date(2_000).toISOString(),
  },
} as TurnView;
const CALL = {
  id: 1,
  receivedAt: 1_000,
  endedAt: 1_500,
  finished: true,
  clientClosed: false,
  bytesSentAfterClose: 0,
  issues: [],
  lastUserText: `${TAG} What now?`,
  length: 1,
} as unknown as SeenCall;
const LIFE: WorkerLife = { pid: 7, host: "a", spawnedAt: 0, readyAt: 100, stopped: [] };

const ENVELOPE = {
  messages: [
    { role: "user", content: `${TAG} What now?` },
    { role: "assistant", content: `About ${TAG}.` },
  ],
  turn_index: [{ turn_id: TURN, state: "committed" }],
  metadata: { run_count: 1 },
} as unknown as Envelope;

const talked = (change: Partial<ObservedConversation> = {}): ObservedConversation => ({
  id: ID,
  messages: [SENT],
  views: new Map([[TURN, VIEW]]),
  envelope: ENVELOPE,
  readings: [{ turnId: TURN, state: "committed" }],
  faults: [],
  exports: 1,
  checkpoints: 1,
  surprises: [],
  failedTasks: [],
  replayIssues: [],
  runs: 1,
  settledTools: [],
  ...change,
});

const seen = (change: Partial<Observation> = {}): Observation => ({
  name: "seed 1",
  conversations: [talked()],
  calls: [CALL],
  workers: [LIFE],
  outages: [],
  trace: [],
  tools: [],
  tookMs: 1,
  ...change,
});

const withTalk = (change: Partial<ObservedConversation>): Observation =>
  seen({ conversations: [talked(change)] });
const withView = (view: TurnView): Observation => withTalk({ views: new Map([[TURN, view]]) });
const ran = (at: number, what: ToolLine["what"], tool = "count"): ToolLine => ({
  at,
  what,
  tool,
  key: "k",
  pid: 7,
});
const second: SeenCall = { ...CALL, id: 2, receivedAt: 3_000, endedAt: 3_500 };
const stopped = (calls: readonly SeenCall[]): Observation => ({
  ...withTalk({
    views: new Map([[TURN, STOPPED]]),
    readings: [],
    envelope: { ...ENVELOPE, messages: [], turn_index: [], metadata: { ...ENVELOPE.metadata, run_count: 0 } },
  }),
  calls,
});

/** By the invariant that each of them breaks. */
const BROKEN: readonly (readonly [string, Observation])[] = [
  ["every message", withView({ turn_id: TURN, state: "running" })],
  ["every message", withView({ turn_id: TURN, state: "unknown" })],
  ["every message", withView({ turn_id: TURN, state: "interrupted" })],
  ["every message", withView({ turn_id: TURN, state: "refused" })],
  ["every message", withView({ ...VIEW, result: { output: "About something else." } } as TurnView)],
  ["every message", withTalk({ messages: [{ ...SENT, accepted: false, refusal: "TurnRefusedError" }] })],
  [
    "one copy",
    withTalk({ envelope: { ...ENVELOPE, messages: [...ENVELOPE.messages, ...ENVELOPE.messages] } }),
  ],
  ["one copy", withTalk({ envelope: { ...ENVELOPE, messages: [] } })],
  ["one copy", withTalk({ envelope: { ...ENVELOPE, metadata: { ...ENVELOPE.metadata, run_count: 2 } } })],
  ["envelope and checkpoint", withTalk({ faults: ["export: run_count fell from 3 to 2"] })],
  ["paid calls", seen({ calls: [CALL, second] })],
  ["settled tools", seen({ tools: [ran(1, "begun"), ran(2, "begun")] })],
  [
    "settled tools",
    {
      ...withTalk({ settledTools: [{ key: "k", at: 5, isError: false }] }),
      tools: [ran(1, "begun", "again"), ran(2, "ended", "again"), ran(6, "begun", "again")],
    },
  ],
  ["settled tools", withTalk({ settledTools: [{ key: "k", at: 5, isError: false }] })],
  ["workflow tasks", withTalk({ failedTasks: ["TypeError: odd"] })],
  ["replay", withTalk({ replayIssues: ["Nondeterminism"] })],
  ["callers", withTalk({ surprises: ["turn: ServiceError"] })],
  ["readers", withTalk({ readings: [{ turnId: TURN, state: "interrupted" }] })],
  ["stops", stopped([{ ...CALL, endedAt: null }])],
  ["stops", stopped([{ ...CALL, endedAt: 9_000 }])],
  ["stops", stopped([{ ...CALL, receivedAt: 8_000, endedAt: 8_100 }])],
  ["stops", seen({ calls: [{ ...CALL, bytesSentAfterClose: 9_000 }] })],
  ["requests", seen({ calls: [{ ...CALL, issues: [{ path: "messages", message: "empty" }] }] })],
];

const traced = (point: TraceLine["point"], at: number, attempt = 1, pid = 7): TraceLine => ({
  at,
  pid,
  point,
  conversation: ID,
  run: "r1",
  activity: "1",
  attempt,
});
const killed: WorkerLife = { ...LIFE, killed: { at: 2_000, why: "at random" } };
const sibling: WorkerLife = { ...LIFE, pid: 8 };

describe("the invariants of chaos", () => {
  it("CHA-3 find nothing in what is as it should be, and stops that stopped", () => {
    expect(violationsOf(seen())).toEqual([]);
    expect(violationsOf(stopped([{ ...CALL, endedAt: 2_300 }]))).toEqual([]);
  });

  it.each(BROKEN)("CHA-3 find what breaks “%s”", (name, observation) => {
    expect([...new Set(violationsOf(observation).map(({ invariant }) => invariant))]).toContain(name);
    expect(INVARIANTS[name]?.(observation)).not.toEqual([]);
  });

  it("CHA-3 are each broken by some sample", () => {
    expect([...new Set(BROKEN.map(([name]) => name))].sort()).toEqual(Object.keys(INVARIANTS).sort());
  });

  it("CHA-3 see turns that an export no longer has", () => {
    expect(lossOf(ENVELOPE, ENVELOPE)).toBeUndefined();
    expect(lossOf(ENVELOPE, { ...ENVELOPE, turn_index: [] })).toMatch(/is gone/);
    expect(lossOf(ENVELOPE, { ...ENVELOPE, metadata: { ...ENVELOPE.metadata, run_count: 0 } })).toMatch(
      /fell/,
    );
  });
});

describe("a call that was made again", () => {
  const calls = [CALL, second];
  const excuse = (change: Partial<Observation>) => repeatedCalls(seen({ calls, ...change }))[0]?.excuse;

  it("CHA-4 is excused by a fault of the provider, a kill before the reply was in the journal, and an outage", () => {
    expect(excuse({})).toBeUndefined();
    expect(excuse({ conversations: [talked({ messages: [{ ...SENT, faults: 1 }] })] })).toBe("fault");
    expect(excuse({ workers: [killed, sibling] })).toBe("killed");
    expect(excuse({ workers: [{ ...LIFE, stopped: [{ from: 1_200, to: 6_000 }] }] })).toBe("killed");
    expect(excuse({ outages: [{ from: 1_600, to: 2_600 }] })).toBe("outage");
  });

  it("CHA-4 is not excused once the reply was in a journal that a living worker could read", () => {
    const trace = [traced("journaled", 1_600)];
    const apart = { ...sibling, host: "b" };
    expect(excuse({ trace, workers: [killed, sibling] })).toBeUndefined();
    expect(excuse({ trace, workers: [LIFE, sibling] })).toBeUndefined();
    const made = [...trace, traced("read", 2_900, 2, 8)];
    expect(excuse({ trace: made, workers: [killed, apart] })).toBe("unreached");
    const late = { ...sibling, spawnedAt: 7_000, readyAt: 8_000 };
    const recalled = [CALL, { ...second, receivedAt: 9_000 }];
    const again = [...trace, traced("read", 8_900, 2, 8)];
    expect(excuse({ trace: again, calls: recalled, workers: [killed, late] })).toBeUndefined();
  });
});

describe("the report of chaos", () => {
  it("CHA-5 tells the time from a kill to the next call by who could make it", () => {
    const trace = [traced("read", 1_100), traced("read", 2_900, 2, 8)];
    const calls = [CALL, second];
    const ways = (workers: readonly WorkerLife[], more: Partial<Observation> = {}) =>
      recoveriesOf(seen({ calls, trace, workers, ...more }));
    expect(ways([killed, sibling])).toEqual([
      { way: "sibling", why: "at random", conversation: ID, ms: 1_000 },
    ]);
    expect(ways([killed, { ...sibling, host: "b" }])).toMatchObject([{ way: "elsewhere", ms: 1_000 }]);
    const later = { ...sibling, spawnedAt: 2_200, readyAt: 2_600 };
    expect(ways([killed, later])).toMatchObject([{ way: "start", ms: 400, fromSpawnMs: 800 }]);
    expect(ways([killed, sibling], { outages: [{ from: 2_100, to: 2_200 }] })).toMatchObject([
      { way: "disturbed" },
    ]);
    expect(ways([LIFE, sibling])).toEqual([]);
    // The call had been given to another worker by then.
    const lateKill = { ...killed, killed: { at: 3_500, why: "at random" } };
    expect(ways([lateKill, sibling])).toEqual([]);
    expect(spreadOf([3, 1, 2])).toEqual({ count: 3, minimum: 1, median: 2, maximum: 3 });
  });

  it("CHA-5 counts seeds, kills, turns, calls that were made again, and violations", () => {
    const observation = seen({ calls: [CALL, second], workers: [killed, sibling] });
    const violations = violationsOf(withView({ turn_id: TURN, state: "running" }));
    const report = reportOf([{ observation, violations }], 1, 2);
    expect(report).toMatchObject({
      seeds: 1,
      cases: 0,
      kills: 1,
      turns: { committed: 1 },
      repeated_calls: { killed: 1 },
      violations: violations.length,
    });
    expect(reportLines(report).join("\n")).toMatch(/violations +\d.*every message 1/);
  });
});

describe("a seed of chaos", () => {
  it("CHA-6 draws the same conversations and disturbances every time, and another one others", () => {
    expect(scheduleOf(5)).toEqual(scheduleOf(5));
    expect(scheduleOf(5)).not.toEqual(scheduleOf(6));
    const layouts = new Set(Array.from({ length: 20 }, (_, seed) => scheduleOf(seed).layout));
    expect([...layouts].sort()).toEqual(["apart", "one", "siblings"]);
  });
});
