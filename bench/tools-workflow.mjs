// The least that a round of parallel calls is on Temporal: an activity before, one for each call, and one after.
import { condition, defineUpdate, proxyActivities, setHandler } from "@temporalio/workflow";

const { mark, work } = proxyActivities({ startToCloseTimeout: "1 minute" });

export const round = defineUpdate("round");

export async function rounds() {
  setHandler(round, async (calls, beats) => {
    const from = await mark();
    await Promise.all(Array.from({ length: calls }, () => work(beats)));
    return (await mark()) - from;
  });
  await condition(() => false);
}
