/** What a seed does: conversations with their callers, and what befalls workers, server and provider meanwhile. Plain data. */
import { CALL_POINTS, TOOL_POINTS } from "../../src/activities/call-point.js";
import type { OnBusy } from "../../src/core/conversation/messages.js";
import type { RunLimits } from "../../src/core/conversation/run-limits.js";
import type { Fault } from "../../src/simulator/script.js";
import { Random } from "./random.js";

/** How workers stand to each other: one; two with a common journal; two of which neither sees the other's. */
export const LAYOUTS = ["one", "siblings", "apart"] as const;
export type Layout = (typeof LAYOUTS)[number];

export interface TurnStep {
  readonly type: "turn";
  readonly turnId: string;
  readonly tag: string;
  readonly text: string;
  readonly via: "update" | "signal";
  readonly onBusy?: OnBusy;
  /** How it is sent the second time. */
  readonly twice: "update" | "signal";
  /** Whether the caller goes on only when the turn has ended. */
  readonly waits: boolean;
  readonly faults: readonly Fault[];
  readonly replyMs: number;
  /** After so long its stop is sent, twice. */
  readonly cancelAfterMs?: number;
  readonly reader: "none" | "whole" | "leaves";
}
export interface RebindStep {
  readonly type: "rebind";
  readonly model: string;
  readonly via: "update" | "signal";
}
export interface NonsenseStep {
  readonly type: "nonsense";
  readonly signal: string;
  readonly value: unknown;
}
export type Step = (TurnStep | RebindStep | NonsenseStep) & { readonly pauseMs: number };

export interface ConversationPlan {
  readonly id: string;
  readonly model: string;
  readonly tools: readonly string[];
  readonly limits: Partial<RunLimits>;
  readonly checkpoint: boolean;
  readonly closes: boolean;
  /** One list of steps a caller. */
  readonly callers: readonly (readonly Step[])[];
}

export type Disturbance = { readonly atMs: number } & (
  | { readonly type: "kill"; readonly worker: number; readonly pauseMs: number; readonly aimed: boolean }
  | { readonly type: "freeze"; readonly worker: number; readonly forMs: number }
  | { readonly type: "outage"; readonly downMs: number }
);

export interface Schedule {
  readonly seed: number;
  readonly layout: Layout;
  readonly conversations: readonly ConversationPlan[];
  readonly disturbances: readonly Disturbance[];
  /** `POINT:N` for each start of a worker: it kills itself there; undefined: it does not. */
  readonly deaths: readonly (string | undefined)[];
}

export interface Extent {
  readonly conversations: number;
  readonly turns: readonly [number, number];
  readonly spanMs: number;
  readonly disturbances: number;
  readonly outages: boolean;
}

export const WHOLE: Extent = {
  conversations: 5,
  turns: [10, 16],
  spanMs: 25_000,
  disturbances: 7,
  outages: true,
};

const MODELS = ["claude-haiku-4-5", "gpt-6-luna", "claude-sonnet-4-5"] as const;
const KINDS = ["plain", "tools", "approvals", "checkpoint", "short"] as const;
type Kind = (typeof KINDS)[number];

const TOOLS: Readonly<Record<Kind, readonly ("count" | "again" | "pay")[]>> = {
  plain: [],
  tools: ["count", "again"],
  approvals: ["pay", "count"],
  checkpoint: ["again"],
  short: [],
};

export function scheduleOf(seed: number, extent: Extent = WHOLE): Schedule {
  const random = new Random(seed);
  const layout = random.pick(LAYOUTS);
  return {
    seed,
    layout,
    conversations: Array.from({ length: extent.conversations }, (_, index) =>
      conversationOf(random.fork(), KINDS[index % KINDS.length] ?? "plain", `s${seed}-c${index}`, extent),
    ),
    disturbances: disturbancesOf(random.fork(), layout, extent),
    deaths: deathsOf(random.fork()),
  };
}

function conversationOf(random: Random, kind: Kind, id: string, { turns }: Extent): ConversationPlan {
  const count = random.integer(...turns);
  const callers: Step[][] = [[], []];
  for (let index = 0; index < count; index++) {
    callers[index % 2]?.push(turnOf(random, kind, id, index));
    if (random.chance(0.08)) callers[index % 2]?.push(rebindOf(random));
    if (random.chance(0.1)) callers[index % 2]?.push(nonsenseOf(random));
  }
  const limits = kind === "short" || random.chance(0.3) ? { events: random.integer(40, 90) } : {};
  return {
    id,
    model: random.pick(MODELS),
    tools: TOOLS[kind],
    limits,
    checkpoint: kind === "checkpoint" || random.chance(0.3),
    closes: random.chance(0.3),
    callers,
  };
}

function turnOf(random: Random, kind: Kind, id: string, index: number): Step {
  const turnId = `${id}-t${index}`;
  const tag = `[${turnId}]`;
  const onBusy = random.pick<OnBusy | undefined>([
    undefined,
    undefined,
    undefined,
    undefined,
    "queue",
    "reject",
    "interrupt",
  ]);
  return {
    type: "turn",
    turnId,
    tag,
    text: `${tag} What now?${toolsIn(random, kind)}`,
    via: random.chance(0.25) ? "signal" : "update",
    ...(onBusy === undefined ? {} : { onBusy }),
    twice: random.pick(["update", "signal"]),
    waits: random.chance(0.75),
    faults: faultsOf(random),
    replyMs: random.chance(0.3) ? random.integer(700, 1_500) : random.integer(50, 400),
    ...(random.chance(0.12) ? { cancelAfterMs: random.integer(50, 1_500) } : {}),
    reader: random.pick(["none", "none", "whole", "leaves"]),
    pauseMs: random.integer(0, 500),
  };
}

function toolsIn(random: Random, kind: Kind): string {
  const wanted = TOOLS[kind].filter(() => random.chance(0.6));
  return wanted
    .map((tool, index) => ` ${index === 0 ? "Use" : "and"} ${tool} with {"ms": ${random.integer(0, 600)}}`)
    .join("");
}

/** At most three, so that the turn is still answered by the sixth try. */
function faultsOf(random: Random): readonly Fault[] {
  if (random.chance(0.6)) return [];
  return Array.from({ length: random.integer(1, 3) }, () => faultOf(random));
}

function faultOf(random: Random): Fault {
  const afterChunks = random.integer(0, 6);
  return random.pick<Fault>([
    { kind: "status", status: 429, retryAfterMs: random.integer(50, 1_200) },
    { kind: "status", status: 429, retryAfter: 1 },
    { kind: "status", status: 500 },
    { kind: "overloaded" },
    { kind: "cut" },
    { kind: "cut", afterChunks },
    { kind: "truncated", afterChunks },
    { kind: "malformed", afterChunks },
    { kind: "stream_error", afterChunks },
    { kind: "hang" },
    { kind: "hang", afterChunks },
  ]);
}

function rebindOf(random: Random): Step {
  const via = random.pick(["update", "signal"] as const);
  return { type: "rebind", model: random.pick(MODELS), via, pauseMs: random.integer(0, 300) };
}

function nonsenseOf(random: Random): Step {
  const signal = random.pick(["submit_turn", "rebind", "cancel_turn", "approve", "deny", "explode"]);
  const value = random.pick<unknown>([
    null,
    7,
    "text",
    [],
    { message: 7 },
    { agent: { model: 7 } },
    { call: {} },
  ]);
  return { type: "nonsense", signal, value, pauseMs: random.integer(0, 200) };
}

function disturbancesOf(random: Random, layout: Layout, extent: Extent): readonly Disturbance[] {
  const workers = layout === "one" ? 1 : 2;
  const list = Array.from({ length: extent.disturbances }, (): Disturbance => {
    const atMs = random.integer(500, extent.spanMs);
    const worker = random.integer(0, workers - 1);
    const what = random.next();
    if (extent.outages && what < 0.15) return { type: "outage", atMs, downMs: random.integer(100, 5_000) };
    if (what < 0.25) return { type: "freeze", atMs, worker, forMs: random.integer(500, 7_000) };
    const pauseMs = random.integer(0, random.chance(0.3) ? 6_000 : 800);
    return { type: "kill", atMs, worker, pauseMs, aimed: random.chance(0.6) };
  });
  return list.sort((one, other) => one.atMs - other.atMs);
}

function deathsOf(random: Random): readonly (string | undefined)[] {
  const points = [...CALL_POINTS, ...TOOL_POINTS] as const;
  return Array.from({ length: 6 }, () =>
    random.chance(0.6) ? `${random.pick(points as unknown as [string])}:${random.integer(1, 8)}` : undefined,
  );
}
