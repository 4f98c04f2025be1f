import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/json.js";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.js";
import { ask } from "./ask.js";

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
});
beforeEach(() => simulator.reset());
afterAll(() => simulator.close());

describe("reasoning where the request asks for it", () => {
  it("SIM-32 comes from Anthropic as a signed block that may come back to its model, but not changed", async () => {
    const client = new Anthropic({ apiKey: "x", baseURL: simulator.baseUrls.anthropic, maxRetries: 0 });
    const asked = { role: "user" as const, content: "Why?" };
    const request = {
      model: "claude-haiku-4-5",
      max_tokens: 4_000,
      thinking: { type: "enabled" as const, budget_tokens: 2_000 },
    };
    const { content, usage } = await client.messages.stream({ ...request, messages: [asked] }).finalMessage();
    const [thinking, ...rest] = content;
    if (thinking?.type !== "thinking") throw new Error("The first block is no thinking.");
    expect(thinking.signature).not.toBe("");
    expect(usage.output_tokens_details?.thinking_tokens).toBeGreaterThan(0);
    const again = (first: Anthropic.ContentBlock, model: string = request.model) =>
      client.messages.create({
        ...request,
        model,
        messages: [
          asked,
          { role: "assistant", content: [first, ...rest] },
          { role: "user", content: "And?" },
        ],
      });
    expect((await again(thinking)).content[0]).toMatchObject({ type: "thinking" });
    await expect(again({ ...thinking, thinking: "Other words." })).rejects.toThrow("Invalid `signature`");
    const snapshot = again(thinking, "claude-haiku-4-5-20251001");
    expect((await snapshot).content[0]).toMatchObject({ type: "thinking" });
    await expect(again(thinking, "claude-haiku-4-6")).rejects.toThrow("Invalid `signature`");
  });

  it("SIM-32 comes from Anthropic as a signature alone where its display is omitted", async () => {
    const thinking = { type: "adaptive", display: "omitted" };
    const model = "claude-opus-5";
    const whole = await (await ask(simulator, "anthropic", { model, patch: { thinking } })).json();
    expect(whole).toMatchObject({
      content: [{ thinking: "", signature: expect.stringMatching(/./) }, { type: "text" }],
    });
    const streamed = await (
      await ask(simulator, "anthropic", { model, stream: true, patch: { thinking } })
    ).text();
    expect(streamed).toContain("signature_delta");
    expect(streamed).not.toContain("thinking_delta");
  });

  it.each([
    ["openai", { reasoning: { effort: "low", summary: "auto" } }, "response.reasoning_summary_text.delta"],
    ["google", { generationConfig: { thinkingConfig: { includeThoughts: true } } }, '"thought":true'],
    ["fireworks", { reasoning_effort: "low" }, '"reasoning_content"'],
  ] as const)("SIM-32 comes from %s", async (wire, patch: JsonObject, mark) => {
    expect(await (await ask(simulator, wire, { stream: true })).text()).not.toContain(mark);
    expect(await (await ask(simulator, wire, { stream: true, patch })).text()).toContain(mark);
  });

  it("SIM-32 comes from OpenAI encrypted where it is included, and binds the message to it", async () => {
    const patch = { include: ["reasoning.encrypted_content"] };
    const answered = await (await ask(simulator, "openai", { patch })).json();
    const [reasoning, message] = (answered as { readonly output: readonly JsonObject[] }).output;
    expect(reasoning).toMatchObject({
      type: "reasoning",
      encrypted_content: expect.stringMatching(/^gAAAA/),
    });
    const input = (...items: readonly (JsonObject | undefined)[]): JsonObject => ({
      input: [
        { role: "user", content: "a" },
        ...items.filter((item) => item !== undefined),
        { role: "user", content: "b" },
      ],
    });
    expect((await ask(simulator, "openai", { patch: input(reasoning, message) })).status).toBe(200);
    expect((await ask(simulator, "openai", { patch: input(message) })).status).toBe(400);
  });
});

describe("the cache of prompts", () => {
  const long = "clause ".repeat(1_000);
  const instructions = [{ type: "text", text: long, cache_control: { type: "ephemeral" } }];
  const turns = [
    { role: "user", content: "a" },
    { role: "assistant", content: "b" },
    { role: "user", content: "c" },
  ];

  it("SIM-6 is written in Anthropic's first turn and read in the second, where the request marks it", async () => {
    const usage = async (patch: JsonObject): Promise<unknown> => {
      const answered = await (await ask(simulator, "anthropic", { patch })).json();
      return (answered as { readonly usage: unknown }).usage;
    };
    const none = { cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
    expect(await usage({ system: long })).toMatchObject({ ...none, input_tokens: expect.any(Number) });
    expect(await usage({ system: instructions })).toMatchObject({
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 1_664,
    });
    expect(await usage({ system: instructions, messages: turns })).toMatchObject({
      cache_read_input_tokens: 1_664,
    });
  });

  it("SIM-6 is read by the others without a mark", async () => {
    const patch = { messages: [{ role: "system", content: long }, ...turns] };
    const answered = await (await ask(simulator, "fireworks", { patch })).json();
    expect(answered).toMatchObject({ usage: { prompt_tokens_details: { cached_tokens: 1_664 } } });
  });
});
