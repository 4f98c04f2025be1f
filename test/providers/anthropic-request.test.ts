import { describe, expect, it } from "vitest";
import {
  anthropicRequest,
  defaultMaxTokens,
  withoutEarlierThinking,
  withoutForeignThinking,
} from "../../src/providers/anthropic-request.js";
import type { ModelRequest } from "../../src/providers/provider.js";
import { deepFreeze } from "../core/dialects/deep-freeze.js";
import { modelRequest } from "./collect-call.js";

const MARK = { type: "ephemeral" };
const hello = { role: "user", content: [{ type: "text", text: "Hello" }] };
const markedHello = { role: "user", content: [{ type: "text", text: "Hello", cache_control: MARK }] };

const bodyOf = (overrides: Partial<ModelRequest>): unknown =>
  anthropicRequest(deepFreeze(modelRequest({ model: "claude-haiku-4-5", messages: [hello], ...overrides })));

describe("the request to Anthropic", () => {
  it("PRV-22 has the instructions before the history's system text, and no blank ones", () => {
    expect(bodyOf({ instructions: "Be brief.", system: "From the history." })).toMatchObject({
      system: [
        { type: "text", text: "Be brief." },
        { type: "text", text: "From the history.", cache_control: MARK },
      ],
    });
    expect(bodyOf({ instructions: " ", system: "Only this." })).toMatchObject({
      system: [{ type: "text", text: "Only this.", cache_control: MARK }],
    });
    expect(bodyOf({ instructions: "\n", system: null })).not.toHaveProperty("system");
  });

  it("PRV-23 marks the prefix and the last user message for the cache, in the request only", () => {
    const tools = [{ name: "a" }, { name: "b" }];
    expect(bodyOf({ tools, instructions: "Be brief." })).toMatchObject({
      tools: [{ name: "a" }, { name: "b" }],
      system: [{ cache_control: MARK }],
      messages: [markedHello],
    });
    expect(bodyOf({ tools })).toMatchObject({ tools: [{ name: "a" }, { name: "b", cache_control: MARK }] });
    expect(bodyOf({ messages: [{ role: "user", content: "Hello" }] })).toMatchObject({
      messages: [markedHello],
    });
  });

  it("PRV-23 marks a tool's result, but neither blank text nor an assistant's message", () => {
    const result = { type: "tool_result", tool_use_id: "toolu_1" };
    expect(bodyOf({ messages: [{ role: "user", content: [result] }] })).toMatchObject({
      messages: [{ content: [{ ...result, cache_control: MARK }] }],
    });
    for (const message of [
      { role: "user", content: " " },
      { role: "user", content: [] },
      { role: "assistant", content: [{ type: "thinking", thinking: "hm", signature: "s" }] },
    ]) {
      expect(bodyOf({ messages: [message] })).toMatchObject({ messages: [message] });
    }
  });

  it("PRV-23 leaves marks out that the history brings along, nested ones too, so that four are never exceeded", () => {
    const marked = (type: string, more: object = {}) => ({
      type,
      ...more,
      cache_control: { ...MARK, ttl: "1h" },
    });
    const inner = marked("text", { text: "seen" });
    const messages = [
      { role: "user", content: [marked("text", { text: "One" })] },
      {
        role: "assistant",
        content: [marked("tool_use", { id: "toolu_1", name: "a", input: { cache_control: "kept" } })],
      },
      { role: "user", content: [marked("tool_result", { tool_use_id: "toolu_1", content: [inner] })] },
    ];
    const body = bodyOf({ messages, instructions: "Be brief." });
    expect(JSON.stringify(body).split('"cache_control":{').length - 1).toBe(2);
    expect(body).toMatchObject({
      messages: [
        { content: [{ type: "text", text: "One" }] },
        { content: [{ input: { cache_control: "kept" } }] },
        { content: [{ content: [{ type: "text", text: "seen" }], cache_control: MARK }] },
      ],
    });
  });

  it("PRV-23 has the entries live as long as the params say, and no marks of its own when they turn caching off", () => {
    const hour = { type: "ephemeral", ttl: "1h" };
    const body = bodyOf({ instructions: "Be brief.", params: { cache_control: hour } });
    expect(body).toMatchObject({ cache_control: hour, system: [{ cache_control: hour }], messages: [hello] });
    expect(
      JSON.stringify(bodyOf({ instructions: "Be brief.", params: { cache_control: null } })),
    ).not.toContain("ephemeral");
  });

  it("PRV-24 passes params through, over the defaults, but for what makes the call Holdfast's", () => {
    const search = { type: "web_search_20250305", name: "web_search" };
    const params = {
      temperature: 0.5,
      max_tokens: 7,
      tools: [search],
      model: "another",
      messages: [],
      system: "x",
      stream: false,
    };
    const body = bodyOf({ params, tools: [{ name: "a" }] });
    expect(body).toMatchObject({
      temperature: 0.5,
      max_tokens: 7,
      model: "claude-haiku-4-5",
      messages: [markedHello],
      tools: [{ name: "a" }, { ...search, cache_control: MARK }],
    });
    expect(body).not.toHaveProperty("stream");
    expect(body).not.toHaveProperty("system");
  });

  it.each([
    ["claude-haiku-4-5", {}, 32_000],
    ["claude-opus-5-5", {}, 32_000],
    ["claude-opus-4-8", {}, 32_000],
    ["claude-3-haiku-20240307", {}, 4_096],
    ["claude-3-5-sonnet-latest", {}, 8_192],
    ["claude-3-7-sonnet-latest", {}, 32_000],
    ["claude-sonnet-4-5", { thinking: { type: "enabled", budget_tokens: 10_000 } }, 42_000],
    ["claude-sonnet-4-5", { thinking: { type: "enabled", budget_tokens: 60_000 } }, 64_000],
    ["claude-opus-4-1", { thinking: { type: "enabled", budget_tokens: 10_000 } }, 32_000],
    ["claude-opus-4-20250514", { thinking: { type: "enabled", budget_tokens: 32_000 } }, 32_001],
  ])(
    "PRV-24 limits the output of %s with %j to %i tokens where the params name no limit",
    (model, params, limit) => {
      expect(defaultMaxTokens(model, params)).toBe(limit);
    },
  );

  it("PRV-25 can leave out the thinking of ended turns, and only that", () => {
    const thinking = { type: "thinking", thinking: "hm", signature: "s" };
    const call = { type: "tool_use", id: "toolu_1", name: "a", input: {} };
    const earlier = [hello, { role: "assistant", content: [thinking, { type: "text", text: "Hi" }] }];
    const alone = { role: "assistant", content: [{ type: "redacted_thinking", data: "x" }] };
    const running = [
      hello,
      { role: "assistant", content: [thinking, call] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1" }] },
    ];
    expect(withoutEarlierThinking(deepFreeze([...earlier, alone, ...running]))).toEqual([
      hello,
      { role: "assistant", content: [{ type: "text", text: "Hi" }] },
      ...running,
    ]);
    expect(withoutEarlierThinking(running)).toBe(running);
  });

  it("PRV-90 can leave out the thinking of other models, and only that", () => {
    const thinking = { type: "thinking", thinking: "hm", signature: "s" };
    const redacted = { type: "redacted_thinking", data: "x" };
    const call = { type: "tool_use", id: "toolu_1", name: "a", input: {} };
    const round = [
      hello,
      { role: "assistant", content: [thinking, redacted, call] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1" }] },
    ];
    const alone = { role: "assistant", content: [thinking] };
    const plain = { role: "assistant", content: "Hi" };
    const own = [hello, { role: "assistant", content: [thinking, { type: "text", text: "Hi" }] }];
    const history = deepFreeze([...round, plain, hello, alone, ...own]);
    expect(withoutForeignThinking(history, new Set([0, 1, 2, 3, 4, 5]))).toEqual([
      hello,
      { role: "assistant", content: [call] },
      round[2],
      plain,
      hello,
      ...own,
    ]);
    expect(withoutForeignThinking(history, new Set())).toBe(history);
    expect(withoutForeignThinking(history, new Set([0, 2, 3, 4]))).toBe(history);
  });
});
