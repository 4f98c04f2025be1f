import { describe, expect, it } from "vitest";
import { createActivities } from "../../src/activities/create-activities.js";
import { Agent } from "../../src/core/agent.js";
import { prefixOf } from "../../src/core/envelope/fingerprint.js";
import { agentDigest } from "../../src/core/hash.js";
import { createProviders } from "../../src/providers/providers.js";
import { providerSettings } from "../../src/providers/settings.js";
import { activityWorld } from "../support/activity-world.js";

const agent = new Agent({ model: "claude-opus-5-5", instructions: "Be thorough." }).spec;

describe("the look at an agent before a rebind", () => {
  it("ACT-54 answers with the agent's hashes", async () => {
    const { resolveAgent } = createActivities(activityWorld().dependencies);
    expect(await resolveAgent({ agent, system: "Be kind.", served: [] })).toEqual({
      prefix: prefixOf(agent),
      agent_digest: agentDigest({ agent, system: "Be kind.", served: [] }),
    });
  });

  it("ACT-55 fails for good, by the class's name, where the key is missing or the model unknown", async () => {
    const settings = providerSettings({});
    const providers = createProviders(settings);
    const { dependencies } = activityWorld(undefined, { providers, providerSettings: settings });
    const { resolveAgent } = createActivities(dependencies);
    await expect(resolveAgent({ agent, system: null, served: [] })).rejects.toMatchObject({
      type: "MissingKeyError",
      nonRetryable: true,
      message: expect.stringContaining("ANTHROPIC_API_KEY"),
    });
    const unknown = { ...agent, model: "hal-9000" };
    await expect(resolveAgent({ agent: unknown, system: null, served: [] })).rejects.toMatchObject({
      type: "UsageError",
      nonRetryable: true,
    });
  });
});
