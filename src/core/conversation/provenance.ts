/**
 * Which model made which messages. Signed and encrypted reasoning is bound to its model: another one refuses it, so an
 * adapter leaves it out of the request, while the history keeps it.
 */
import { dialectFor } from "../dialects/index.js";
import { type ServedBy, type ServedModel, type TurnIndexEntry, UNKNOWN_MODEL } from "../envelope/envelope.js";
import { type ProviderName, resolveModel } from "../providers.js";
import { type ConversationState, listOf } from "./state.js";

/** Messages up to `to`, from where the range before ends, that one model made. */
export interface ServedRange {
  /** Index after the last message. */
  readonly to: number;
  readonly provider: ProviderName;
  /** The wire family. */
  readonly endpoint: string;
  /** The name by which the model called itself. */
  readonly model: string;
  /** The name by which it was asked for, where that one is an alias. */
  readonly alias?: string;
}

type Server = Pick<ServedRange, "provider" | "endpoint" | "model">;

/**
 * The messages of committed turns, by who made them. What stands behind the last range belongs to the agent: its own
 * turns need no range, so that a conversation that never changed its model has none and a further turn adds none.
 *
 * @param agentModel the agent's model, as an agent names it
 */
export function servedRanges(
  turnIndex: readonly TurnIndexEntry[],
  servedModels: readonly ServedModel[],
  agentModel: string,
): readonly ServedRange[] {
  const ranges: ServedRange[] = [];
  let committed = 0;
  let next = 0;
  let asked: ServedModel | undefined;
  for (const entry of turnIndex) {
    if (entry.state !== "committed") continue;
    for (let event = servedModels[next]; event !== undefined && event.turn <= committed; ) {
      asked = event;
      next++;
      event = servedModels[next];
    }
    committed++;
    const range = rangeOf(entry.to, entry, asked);
    const last = ranges.at(-1);
    if (last !== undefined && isSameServer(last, range)) ranges[ranges.length - 1] = range;
    else ranges.push(range);
  }
  const agent = serverOf(agentModel);
  return ranges.slice(0, ranges.findLastIndex((range) => !isServedBy(range, agent)) + 1);
}

/** The ranges of a live conversation, as an agent of that model would see them. */
export function servedRangesOf(state: ConversationState, agentModel: string): readonly ServedRange[] {
  return servedRanges(listOf(state, "turn_index"), listOf(state, "served_models"), agentModel);
}

/**
 * Indexes of the messages that another model than the agent's made, in the list that is sent.
 *
 * @param leftOut messages of the history that are not sent
 */
export function foreignMessages(
  served: readonly ServedRange[],
  agentModel: string,
  leftOut: { readonly from: number; readonly to: number } = { from: 0, to: 0 },
): ReadonlySet<number> {
  const foreign = new Set<number>();
  const agent = serverOf(agentModel);
  let from = 0;
  for (const range of served) {
    const isForeign = !isServedBy(range, agent);
    for (let index = from; isForeign && index < range.to; index++) {
      if (index < leftOut.from) foreign.add(index);
      else if (index >= leftOut.to) foreign.add(index - leftOut.to + leftOut.from);
    }
    from = range.to;
  }
  return foreign;
}

/**
 * Whether two names may be of one model: equal, or one of them the other with a snapshot (`-20251001`, `-2025-08-07`,
 * `-001`, `@20251001`, `-latest`). No mere prefix: `gpt-5-mini` is not `gpt-5`.
 */
export function isSameModel(one: string, other: string): boolean {
  return one === other || isSnapshotOf(one, other) || isSnapshotOf(other, one);
}

const SNAPSHOT = /^[-@](\d{3,4}|\d{8}|\d{4}-\d{2}-\d{2}|latest)$/;

function isSnapshotOf(snapshot: string, model: string): boolean {
  return snapshot.startsWith(model) && SNAPSHOT.test(snapshot.slice(model.length));
}

function serverOf(agentModel: string): Server {
  const { provider, model } = resolveModel(agentModel);
  return { provider, endpoint: dialectFor(provider).capabilities.endpoint, model };
}

function rangeOf(to: number, served: ServedBy, asked: ServedModel | undefined): ServedRange {
  const { provider, endpoint, model } = served;
  const isAlias = asked?.provider === provider && !isSameModel(asked.model, model);
  return { to, provider, endpoint, model, ...(isAlias ? { alias: asked.model } : {}) };
}

function isSameServer(one: ServedRange, other: ServedRange): boolean {
  const isSameWire = one.provider === other.provider && one.endpoint === other.endpoint;
  return isSameWire && one.model === other.model && one.alias === other.alias;
}

/** A history that does not say who made it is tried as it is: most are continued where they come from. */
function isServedBy({ provider, endpoint, model, alias }: ServedRange, server: Server): boolean {
  if (provider !== server.provider || endpoint !== server.endpoint) return false;
  if (model === UNKNOWN_MODEL || isSameModel(model, server.model)) return true;
  return alias !== undefined && isSameModel(alias, server.model);
}
