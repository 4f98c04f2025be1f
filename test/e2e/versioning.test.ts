import { afterAll, beforeAll, expect, it } from "vitest";
import type { Conversations } from "../../src/client/conversations.js";
import { replayChain } from "../support/replay.js";
import { startShortRuns } from "../support/short-runs.js";
import { startTestStack, type TestStack } from "../support/stack.js";

let stack: TestStack;
let conversations: Conversations;
beforeAll(async () => {
  stack = await startTestStack({ workers: 0 });
  conversations = await stack.conversations();
});
afterAll(() => stack.stop());

/** A worker of this build, which the server then gives all conversations to. */
async function deploy(buildId: string): Promise<void> {
  await stack.startWorker({ TEMPORAL_DEPLOYMENT_NAME: "chats", TEMPORAL_WORKER_BUILD_ID: buildId });
  const { temporal, settings } = conversations;
  await expect
    .poll(() =>
      temporal.workflowService
        .setWorkerDeploymentCurrentVersion({
          namespace: settings.namespace,
          deploymentName: "chats",
          buildId,
          identity: "test",
        })
        .then(
          () => "current",
          (error: Error) => error.message,
        ),
    )
    .toBe("current");
}

it("ACT-152 lets a conversation follow the current build of its deployment, in the middle of a run and in the next one", async () => {
  await deploy("1");
  const session = await startShortRuns(conversations, { events: 40 });
  await session.run("Question of t1", { turnId: "t1" });
  await deploy("2");
  await stack.workers[0]?.kill();
  for (const turnId of ["t2", "t3", "t4", "t5"]) await session.run(`Question of ${turnId}`, { turnId });
  const runs = await replayChain(conversations, session.id);
  const builds = runs.map(({ events }) => {
    const done = (events ?? []).flatMap(({ workflowTaskCompletedEventAttributes: task }) => task ?? []);
    return [...new Set(done.map((task) => task.deploymentVersion?.buildId ?? task.workerDeploymentVersion))];
  });
  expect(builds.length).toBeGreaterThan(1);
  expect(builds[0]).toEqual(["1", "2"]);
  for (const later of builds.slice(1)) expect(later).toEqual(["2"]);
}, 120_000);
