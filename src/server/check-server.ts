/** Whether the Temporal server answers, has the namespace, and has workers on the task queue. */
import { Connection } from "@temporalio/client";
import proto from "@temporalio/proto";
import { describeSource, type Settings } from "../connection/settings.js";
import { bad, type Finding, good, open } from "./finding.js";

const CALL_MS = 3_000;
/** A worker asks at least once a minute; the server remembers those that left for five. */
const POLLER_ALIVE_MS = 70_000;
const { TASK_QUEUE_TYPE_WORKFLOW, TASK_QUEUE_TYPE_ACTIVITY } = proto.temporal.api.enums.v1.TaskQueueType;

export async function checkServer(settings: Settings): Promise<readonly Finding[]> {
  const { address } = settings.connection;
  const where = `${address}, ${describeSource(settings)}`;
  let connection: Connection;
  try {
    connection = await Connection.connect({ ...settings.connection, connectTimeout: CALL_MS });
  } catch (error) {
    const remedy =
      "start it, or correct where Holdfast looks for it (TEMPORAL_ADDRESS, TEMPORAL_TLS, TEMPORAL_API_KEY)";
    return [bad("temporal server", `nothing usable answers at ${where} (${firstLine(error)})`, remedy)];
  }
  try {
    return await connection.withDeadline(Date.now() + CALL_MS, () => inspect(connection, settings, where));
  } finally {
    await connection.close();
  }
}

async function inspect(
  connection: Connection,
  settings: Settings,
  where: string,
): Promise<readonly Finding[]> {
  const { workflowService } = connection;
  const { serverVersion } = await workflowService
    .getSystemInfo({})
    .catch(() => ({ serverVersion: "of an unknown version" }));
  const server = good("temporal server", `${serverVersion} at ${where}`);
  try {
    await workflowService.describeNamespace({ namespace: settings.namespace });
  } catch (error) {
    const detail = `${settings.namespace} cannot be used (${firstLine(error)})`;
    return [
      server,
      bad("namespace", detail, "set TEMPORAL_NAMESPACE to one that is there and that you may use"),
    ];
  }
  return [server, good("namespace", settings.namespace), await checkWorkers(connection, settings)];
}

async function checkWorkers(connection: Connection, { namespace, taskQueue }: Settings): Promise<Finding> {
  const remedy = "start one with `holdfast worker`, or `holdfast dev`, which brings its own";
  try {
    const [workflows, activities] = await Promise.all(
      [TASK_QUEUE_TYPE_WORKFLOW, TASK_QUEUE_TYPE_ACTIVITY].map((taskQueueType) =>
        livePollers(connection, namespace, taskQueue, taskQueueType),
      ),
    );
    const detail = `${workflows} for workflows and ${activities} for activities, seen on the task queue ${taskQueue} in the last minute (one that was killed may still count)`;
    return workflows && activities ? good("workers", detail) : bad("workers", detail, remedy);
  } catch (error) {
    return open("workers", `the server does not say who polls ${taskQueue} (${firstLine(error)})`);
  }
}

async function livePollers(
  connection: Connection,
  namespace: string,
  taskQueue: string,
  taskQueueType: proto.temporal.api.enums.v1.TaskQueueType,
): Promise<number> {
  const { pollers } = await connection.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType,
  });
  const isLive = (seconds: unknown): boolean => Date.now() - Number(seconds ?? 0) * 1_000 < POLLER_ALIVE_MS;
  return (pollers ?? []).filter(({ lastAccessTime }) => isLive(lastAccessTime?.seconds)).length;
}

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";
