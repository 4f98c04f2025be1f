/** One conversation of a seed: its callers, whoever approves, whoever looks on; and what is to be seen of it at the end. */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Conversation } from "../../src/client/conversation.js";
import type { TurnView } from "../../src/core/conversation/messages.js";
import { parseEnvelope } from "../../src/core/envelope/parse-envelope.js";
import type { ScriptEntry } from "../../src/simulator/script.js";
import * as m from "../../src/workflows/messages.js";
import { historiesOf, startShortRuns } from "../support/short-runs.js";
import { tasksFailedByWorker } from "../support/temporal-view.js";
import { type Account, Caller } from "./caller.js";
import { type NamedHistory, settledTools } from "./histories.js";
import type { ObservedConversation } from "./observation.js";
import { isAbsence, persist } from "./persist.js";
import type { ConversationPlan, Step } from "./schedule.js";
import { Watcher } from "./watcher.js";
import type { World } from "./world.js";

const APPROVE_MS = 150;
/** Nothing takes so long that still moves. */
const PATIENCE_MS = 60_000;

export class Talk {
  readonly plan: ConversationPlan;
  readonly #world: World;
  readonly #session: Conversation;
  readonly #watcher: Watcher;
  readonly #account: Account = { messages: [], readings: [], surprises: [] };
  readonly #over = new AbortController();
  readonly #approving: Promise<void>;

  private constructor(world: World, plan: ConversationPlan, session: Conversation) {
    this.#world = world;
    this.plan = plan;
    this.#session = session;
    this.#watcher = new Watcher(session, plan.checkpoint ? checkpointOf(world, plan) : undefined);
    this.#approving = plan.tools.includes("pay") ? this.#approve() : Promise.resolve();
  }

  static async start(world: World, plan: ConversationPlan): Promise<Talk> {
    const { id, model, tools, limits } = plan;
    const session = await startShortRuns(world.conversations, limits, {
      id,
      model,
      tools,
      ...(plan.checkpoint ? { checkpoint: checkpointOf(world, plan) } : {}),
    });
    return new Talk(world, plan, session);
  }

  /** Resolves when every caller has said what it had to say. */
  async talk(): Promise<void> {
    await Promise.all(this.plan.callers.map((steps) => this.say(steps)));
  }

  /** As one more caller. */
  async say(steps: readonly Step[]): Promise<void> {
    this.#world.stack.simulator.script(...steps.flatMap(scriptOf));
    const handle = this.#world.conversations.temporal.workflow.getHandle(this.plan.id);
    await new Caller(this.#session, handle, this.#account).perform(steps);
  }

  /** Waits until every turn has ended, as far as it does, and the conversation is closed where it is to be. */
  async end(): Promise<void> {
    await Promise.all(
      this.#account.messages.filter(({ accepted }) => accepted).map(({ turnId }) => this.#untilEnded(turnId)),
    );
    this.#over.abort();
    await this.#approving;
    await this.#watcher.stop();
    if (!this.plan.closes) return;
    const closing = [0, 1].map(() => persist(() => this.#session.close()));
    await Promise.all(closing).catch((error: unknown) =>
      this.#account.surprises.push(`close: ${String(error)}`),
    );
  }

  async #untilEnded(turnId: string): Promise<void> {
    const until = Date.now() + PATIENCE_MS;
    while (Date.now() < until) {
      const { state, checkpointed } = await persist(() => this.#session.turn(turnId).view());
      if (!["queued", "running"].includes(state) && checkpointed !== null) return;
      await delay(200);
    }
  }

  /** Every call that waits, twice, one in four denied. */
  async #approve(): Promise<void> {
    const handle = this.#world.conversations.temporal.workflow.getHandle(this.plan.id);
    while (!this.#over.signal.aborted) {
      try {
        for (const { call, turn_id } of (await this.#session.status()).approvals) {
          const signal = call % 4 === 0 ? m.denySignal : m.approveSignal;
          for (let time = 0; time < 2; time++) await handle.signal(signal, { call, turn_id });
        }
      } catch (error) {
        if (!isAbsence(error)) this.#account.surprises.push(`approve: ${String(error)}`);
      }
      await delay(APPROVE_MS, undefined, { signal: this.#over.signal }).catch(() => undefined);
    }
  }

  async histories(): Promise<readonly NamedHistory[]> {
    const histories = await historiesOf(this.#world.conversations, this.plan.id);
    return histories.map((history) => ({ workflowId: this.plan.id, history }));
  }

  async observe(
    histories: readonly NamedHistory[],
    replayIssues: readonly string[],
  ): Promise<ObservedConversation> {
    // A conversation that was closed is read from its last envelope.
    const session = await this.#world.conversations.open(this.plan.id);
    const { messages, readings, surprises } = this.#account;
    const views = new Map<string, TurnView>();
    for (const { turnId } of messages) views.set(turnId, await session.turn(turnId).view());
    return {
      id: this.plan.id,
      messages,
      views,
      envelope: parseEnvelope(await session.toJson()).envelope,
      readings,
      faults: this.#watcher.faults,
      exports: this.#watcher.exports,
      checkpoints: this.#watcher.checkpoints,
      surprises,
      failedTasks: histories.flatMap(({ history }) => tasksFailedByWorker(history.events ?? [])),
      replayIssues,
      runs: histories.length,
      settledTools: histories.flatMap(({ history }) => settledTools(history)),
    };
  }
}

const checkpointOf = (world: World, { id }: ConversationPlan): string => join(world.folder, `${id}.json`);

/** What the provider does with a turn's calls: its faults first, then answers of their time. */
function scriptOf(step: Step): readonly ScriptEntry[] {
  if (step.type !== "turn") return [];
  const match = { text: step.tag };
  const pace = { minimumReplyMs: step.replyMs };
  return [...step.faults.map((fault) => ({ match, fault, pace })), { match, pace, times: null }];
}
