/** A workflow task that nobody takes: the sign that no worker is there any more, while the server still counts the last one as one. */
import type proto from "@temporalio/proto";

type PendingTask = Pick<
  proto.temporal.api.workflow.v1.IPendingWorkflowTaskInfo,
  "scheduledTime" | "startedTime"
>;
type Poller = Pick<proto.temporal.api.taskqueue.v1.IPollerInfo, "lastAccessTime">;
type Timestamp = Poller["lastAccessTime"];

/** A worker that is busy polls again after each task; one that is started in the place of another is waited for. */
const UNTAKEN_MS = 8_000;

/** Looked at again and again by one who waits for an answer. */
export class UntakenTask {
  #scheduled = 0;
  #since = 0;

  /** Whether the task lies at the server for eight seconds on our own clock, and nobody has polled since it came. */
  isNobodys(
    task: PendingTask | null | undefined,
    pollers: readonly Poller[],
    now: number = performance.now(),
  ): boolean {
    const scheduled = msOf(task?.scheduledTime);
    if (scheduled !== this.#scheduled) {
      this.#scheduled = scheduled;
      this.#since = now;
    }
    if (scheduled === 0 || task?.startedTime != null) return false;
    if (pollers.some(({ lastAccessTime }) => msOf(lastAccessTime) >= scheduled)) return false;
    return now - this.#since >= UNTAKEN_MS;
  }
}

/** Milliseconds of the server's clock; 0 where there are none. */
export function msOf(time: Timestamp): number {
  return Number(time?.seconds ?? 0) * 1_000 + (time?.nanos ?? 0) / 1e6;
}
