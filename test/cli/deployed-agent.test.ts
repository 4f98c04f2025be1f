import { describe, expect, it } from "vitest";
import { assertAgentAlone, assertFollows, deployedAgent } from "../../src/cli/deployed-agent.js";
import type { Conversation } from "../../src/client/conversation.js";
import type { Settings } from "../../src/connection/settings.js";
import { Agent } from "../../src/core/agent.js";

const desk = new Agent({
  name: "desk",
  model: "claude-haiku-4-5",
  instructions: "You keep the desk.",
  tools: ["order_status"],
  params: { max_tokens: 100 },
});

const beside = (agents: readonly Agent[], source: Settings["source"] = "dev-folder") =>
  ({
    source,
    dev: { state: { agents: agents.map(({ spec }) => spec) } },
  }) as unknown as Pick<Settings, "dev" | "source">;

const conversationOf = (agent_name: string | null): Conversation =>
  ({ id: "c", describe: async () => ({ agent_name }) }) as unknown as Conversation;

describe("--agent", () => {
  it("CMD-210 takes the agent as the `holdfast dev` of the folder has it, also on another model", () => {
    expect(deployedAgent("desk", undefined, beside([desk])).spec).toEqual(desk.spec);
    const same = deployedAgent("desk", "claude-opus-4-8", beside([desk])).spec;
    expect(same).toEqual({ ...desk.spec, model: "claude-opus-4-8" });
    expect(deployedAgent("desk", "gpt-6-luna", beside([desk])).spec).toMatchObject({
      instructions: "You keep the desk.",
      params: {},
    });
  });

  it("CMD-210 goes by name and model where another worker has it, and asks for the model", () => {
    expect(deployedAgent("other", "gpt-6-luna", beside([desk])).spec).toMatchObject({
      name: "other",
      model: "gpt-6-luna",
    });
    expect(() => deployedAgent("desk", undefined, beside([desk], "environment"))).toThrow(
      /^The model of agent "desk" is not known here: name it with --model, /,
    );
  });

  it("CMD-210 is refused beside --instructions, and for a conversation of another agent", async () => {
    expect(() => assertAgentAlone({ agent: "desk", instructions: "Be brief." })).toThrow(
      /leave --instructions out\.$/,
    );
    await expect(assertFollows(conversationOf("desk"), "desk")).resolves.toBeUndefined();
    for (const name of ["clerk", null])
      await expect(assertFollows(conversationOf(name), "desk")).rejects.toThrow(/leave --agent out/);
  });
});
