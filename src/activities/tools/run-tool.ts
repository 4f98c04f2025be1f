/** One attempt at a tool: its code run until it ends, its time is up, or somebody stops it. */
import type { Context } from "@temporalio/activity";
import type { JsonObject } from "../../core/json.js";
import { heartbeatDetails } from "./heartbeat-details.js";
import type { Tool, ToolContext } from "./tool.js";

/** How long a tool that was told to stop may take to do so. After it nobody waits for it any more. */
const GRACE_MS = 500;
/** What a draining worker gives a tool that may not be repeated, before it is ended. */
const DRAIN_MS = 3_500;

export type ToolEnd =
  | { readonly type: "value"; readonly value: unknown }
  | { readonly type: "error"; readonly error: unknown }
  | { readonly type: "unfit"; readonly issues: readonly string[] }
  | {
      /** Its time was up; it had not said that it is alive; a user stopped it; its worker ends; the server has moved on. */
      readonly type: "late" | "silent" | "stopped" | "drained" | "gone";
      /** Whether it returned before nobody waited for it any more. */
      readonly returned: boolean;
    };
type Interruption = Exclude<ToolEnd["type"], "value" | "error" | "unfit">;

export interface ToolRun {
  readonly tool: Tool;
  /** Checked within the time of the tool: a schema may ask somebody, who may not answer. */
  readonly given: JsonObject;
  readonly context: Context;
  readonly about: Omit<ToolContext, "signal" | "heartbeat" | "logger">;
  /** What the tool says with `heartbeat`. */
  onHeartbeat(details: unknown): void;
}

/** Never rejects. */
export async function runTool(run: ToolRun): Promise<ToolEnd> {
  const stop = new AbortController();
  const watch = watchOver(run);
  const ended = settled(run, stop.signal, watch.beat);
  try {
    const first = await Promise.race([ended, watch.interrupted]);
    if (typeof first !== "string") return first;
    // What may not be repeated had better end by itself.
    const late = first === "drained" && !run.tool.idempotent ? await within(ended, DRAIN_MS) : undefined;
    if (late !== undefined) return late;
    stop.abort(new Error(REASONS[first]));
    const graced = await within(ended, GRACE_MS);
    if (graced?.type === "value" && first !== "stopped" && first !== "gone") return graced;
    return { type: first, returned: graced?.type === "value" };
  } finally {
    watch.end();
  }
}

const REASONS: Readonly<Record<Interruption, string>> = {
  late: "The time of this tool is up.",
  silent: "The tool has not called heartbeat in time.",
  stopped: "The turn was stopped.",
  drained: "The worker ends.",
  gone: "The conversation has gone on without this call.",
};

async function settled(
  { tool, given, context, about, onHeartbeat }: ToolRun,
  signal: AbortSignal,
  beat: () => void,
): Promise<ToolEnd> {
  const heartbeat = (details?: unknown): void => {
    onHeartbeat(heartbeatDetails(details));
    beat();
  };
  try {
    const checked = await tool.check(given);
    if ("issues" in checked) return { type: "unfit", issues: checked.issues };
    const value = await tool.execute(checked.value as never, {
      ...about,
      signal,
      heartbeat,
      logger: context.log,
    });
    return { type: "value", value };
  } catch (error) {
    return { type: "error", error };
  }
}

async function within(ended: Promise<ToolEnd>, ms: number): Promise<ToolEnd | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  const first = await Promise.race([ended, late]);
  clearTimeout(timer);
  return first;
}

interface Watch {
  readonly interrupted: Promise<Interruption>;
  beat(): void;
  end(): void;
}

function watchOver({ tool, context }: ToolRun): Watch {
  const { promise, resolve } = Promise.withResolvers<Interruption>();
  const timer = setTimeout(() => resolve("late"), tool.timeoutMs);
  const { heartbeatTimeoutMs } = tool;
  const silence =
    heartbeatTimeoutMs === undefined ? undefined : setTimeout(() => resolve("silent"), heartbeatTimeoutMs);
  const { cancellationSignal } = context;
  const stopped = (): void => resolve(causeOf(context));
  if (cancellationSignal.aborted) stopped();
  cancellationSignal.addEventListener("abort", stopped);
  return {
    interrupted: promise,
    beat: () => void silence?.refresh(),
    end: () => {
      clearTimeout(timer);
      clearTimeout(silence);
      cancellationSignal.removeEventListener("abort", stopped);
    },
  };
}

function causeOf({ cancellationDetails }: Context): Interruption {
  if (cancellationDetails?.cancelRequested === true) return "stopped";
  return cancellationDetails?.workerShutdown === true ? "drained" : "gone";
}
