import { describe, expect, it } from "vitest";
import type { AgentSpec } from "../../../src/core/agent.js";
import {
  conversionInput,
  crossesDialects,
  rebind,
  rebindIssue,
  rebindShapeIssue,
  reboundAgent,
} from "../../../src/core/conversation/rebind.js";
import { listOf, withHead } from "../../../src/core/conversation/state.js";
import { prefixOf } from "../../../src/core/envelope/fingerprint.js";
import { agentDigest } from "../../../src/core/hash.js";
import { admitted, committed, freshConversation, running } from "../../support/conversation-samples.js";

const NOW = "2026-03-01T00:00:00.000Z";
const agent: AgentSpec = {
  name: "reviewer",
  model: "claude-haiku-4-5",
  instructions: "Be brief.",
  tools: [{ name: "look_up" }],
  params: { max_tokens: 100 },
};

describe("the agent of a rebind", () => {
  it("CNV-50 keeps the rest of the agent where only a model is named", () => {
    expect(reboundAgent(agent, { model: "claude-opus-5-5" })).toEqual({ ...agent, model: "claude-opus-5-5" });
    expect(reboundAgent(agent, { model: "claude-opus-5-5", params: {} }).params).toEqual({});
  });

  it("CNV-51 replaces the agent where a whole one is given", () => {
    const whole = { model: "claude-opus-5-5", instructions: "Be thorough." };
    expect(reboundAgent(agent, whole)).toEqual({ ...whole, tools: [], params: {} });
  });

  it.each([
    [undefined],
    [null],
    ["claude-opus-5-5"],
    [{ model: "claude-opus-5-5" }],
    [{ agent: "claude-opus-5-5" }],
    [{ agent: {} }],
    [{ agent: { model: 7 } }],
    [{ agent: { model: "" } }],
    [{ agent: { model: "hal-9000" } }],
    [{ agent: { model: "claude-opus-5-5", instructions: 7 } }],
    [{ agent: { model: "claude-opus-5-5", tools: {} } }],
    [{ agent: { model: "claude-opus-5-5", tools: [7] } }],
    [{ agent: { model: "claude-opus-5-5", tools: [{ name: "has spaces" }] } }],
    [{ agent: { model: "claude-opus-5-5", params: [] } }],
    [{ agent: { model: "claude-opus-5-5", name: "" } }],
    [{ agent: { model: "claude-opus-5-5", media_policy: "shred" } }],
    [{ agent: { model: "claude-opus-5-5", params: JSON.parse('{"__proto__": {"a": 1}}') } }],
    [{ agent: { model: "claude-opus-5-5" }, convert: "no" }],
    [{ agent: { model: "claude-opus-5-5" }, convert: null }],
  ])("CNV-52 refuses %j with one line: no envelope could hold it", (request) => {
    const issue = rebindShapeIssue(agent, request);
    expect(issue).toMatch(/^\S.{15,400}$/);
    expect(issue).not.toContain("\n");
  });

  it("CNV-53 takes a model alone and a whole agent", () => {
    expect(rebindShapeIssue(agent, { agent: { model: "claude-opus-5-5" } })).toBeUndefined();
    expect(rebindShapeIssue(agent, { agent: { ...agent, model: "gpt-6-luna" } })).toBeUndefined();
    for (const convert of [true, false])
      expect(rebindShapeIssue(agent, { agent: { model: "gpt-6-luna" }, convert })).toBeUndefined();
  });
});

describe("what the worker is asked to convert", () => {
  it("CNV-111 is this run's history for the rebound agent, and forbids conversion only where the request does", () => {
    const state = freshConversation();
    const wanted = { agent: { model: "gpt-6-luna" } };
    const input = {
      conversation_id: state.head.conversation_id,
      run_id: "r",
      agent: reboundAgent(state.head.agent, wanted.agent),
    };
    expect(conversionInput(state, wanted, "r")).toStrictEqual(input);
    expect(conversionInput(state, { ...wanted, convert: true }, "r")).toStrictEqual(input);
    expect(conversionInput(state, { ...wanted, convert: false }, "r")).toStrictEqual({
      ...input,
      convert: false,
    });
  });
});

describe("a rebind", () => {
  it("CNV-54 moves to another model of the provider in place: history and root stay, served_models says it", () => {
    const before = committed(freshConversation(), "a");
    const wanted = { ...agent, model: "claude-opus-5-5" };
    const resolved = {
      prefix: prefixOf(wanted),
      agent_digest: agentDigest({ agent: wanted, system: null, served: [] }),
    };
    expect(rebindIssue(before)).toBeUndefined();
    const after = rebind(before, wanted, resolved, NOW);
    expect(after.head).toMatchObject({
      provider: "anthropic",
      model: "claude-opus-5-5",
      agent: wanted,
      ...resolved,
    });
    expect(after.head.root).toEqual(before.head.root);
    expect(listOf(after, "messages")).toBe(listOf(before, "messages"));
    expect(listOf(after, "served_models").at(-1)).toEqual({
      event: "rebind",
      provider: "anthropic",
      model: "claude-opus-5-5",
      at: NOW,
      turn: 1,
      from: { provider: "anthropic", model: "claude-haiku-4-5" },
    });
    expect(after.head.prefix_change_report).toBeNull();
  });

  it("CNV-55 takes nothing into the head but prefix and digest of what the worker answers", () => {
    const answer = { prefix: prefixOf(agent), agent_digest: "d", run_count: 99 };
    const after = rebind(freshConversation(), agent, answer, NOW);
    expect(after.head.run_count).toBe(0);
    expect(after.head.agent_digest).toBe("d");
  });

  it("CNV-56 needs a conversion between dialects only: compatible and fireworks are one", () => {
    const on = (model: string) => freshConversation({ agent: { model } });
    expect(crossesDialects(on("claude-haiku-4-5"), "gpt-6-luna")).toBe(true);
    expect(crossesDialects(on("accounts/fireworks/models/kimi-k3"), "compatible:qwen3")).toBe(false);
    expect(crossesDialects(on("compatible:qwen3"), "fireworks:kimi-k3")).toBe(false);
    expect(crossesDialects(on("compatible:qwen3"), "gemini-3-pro")).toBe(true);
  });

  it("CNV-110 leaves out the parameters of the old provider where only the name of another one's model is given", () => {
    const current = { ...agent, params: { max_tokens: 5 } };
    expect(reboundAgent(current, { model: "gpt-6-luna" })).toEqual({
      ...current,
      model: "gpt-6-luna",
      params: {},
    });
    expect(reboundAgent(current, { model: "claude-opus-5-5" }).params).toEqual({ max_tokens: 5 });
    expect(reboundAgent(current, { model: "gpt-6-luna", params: { top_p: 1 } }).params).toEqual({ top_p: 1 });
  });

  it("CNV-57 refuses while a turn runs or waits, and on a closing conversation", () => {
    expect(rebindIssue(running(freshConversation(), "a"))).toContain("running or waiting");
    expect(rebindIssue(admitted(freshConversation(), "a").state)).toContain("running or waiting");
    expect(rebindIssue(withHead(freshConversation(), { closing: true }))).toContain("closed");
  });
});
