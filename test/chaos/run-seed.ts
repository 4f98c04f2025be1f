/** One seed from its beginning to what was seen of it. */

import { Crew } from "./crew.js";
import { type NamedHistory, replayIssues } from "./histories.js";
import type { Observation, ObservedConversation } from "./observation.js";
import type { Schedule } from "./schedule.js";
import { Talk } from "./talk.js";
import type { World } from "./world.js";

export interface SeedResult {
  readonly observation: Observation;
  readonly histories: readonly NamedHistory[];
}

export async function runSeed(world: World, schedule: Schedule): Promise<SeedResult> {
  const began = Date.now();
  const crew = new Crew(world, schedule.layout, schedule.deaths);
  await crew.open();
  try {
    const talks = await Promise.all(schedule.conversations.map((plan) => Talk.start(world, plan)));
    await Promise.all([crew.suffer(schedule.disturbances), ...talks.map((talk) => talk.talk())]);
    crew.calm();
    await Promise.all(talks.map((talk) => talk.end()));
    return await observe(world, { name: `seed ${schedule.seed} (${schedule.layout})`, talks, began });
  } finally {
    await crew.close();
  }
}

export interface Ended {
  readonly name: string;
  readonly talks: readonly Talk[];
  readonly began: number;
}

export async function observe(world: World, { name, talks, began }: Ended): Promise<SeedResult> {
  const workers = world.workers.map((life) => ({ ...life }));
  const of = await Promise.all(talks.map((talk) => talk.histories()));
  const histories = of.flat();
  const issues = await replayIssues(histories, world.conversations.settings);
  const conversations: ObservedConversation[] = [];
  for (const [index, talk] of talks.entries())
    conversations.push(await talk.observe(of[index] ?? [], issues.get(talk.plan.id) ?? []));
  const observation: Observation = {
    name,
    conversations,
    calls: world.calls(),
    workers,
    outages: [...world.outages],
    trace: await world.trace(),
    tools: await world.toolLines(),
    tookMs: Date.now() - began,
  };
  return { observation, histories };
}
