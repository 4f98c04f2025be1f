import { describe, expect, it } from "vitest";
import {
  isReasoningModel,
  openaiRequest,
  withoutForeignReasoning,
  withoutReasoning,
} from "../../src/providers/openai-request.js";
import type { ModelRequest } from "../../src/providers/provider.js";
import { deepFreeze } from "../core/dialects/deep-freeze.js";
import { modelRequest } from "./collect-call.js";

const hello = { type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] };
const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "b3BhcXVl" };
const answer = { type: "message", id: "msg_1", role: "assistant", status: "completed", content: [] };

const bodyOf = (overrides: Partial<ModelRequest>): unknown =>
  openaiRequest(deepFreeze(modelRequest({ model: "gpt-6-luna", messages: [hello], ...overrides })));

describe("the request to OpenAI", () => {
  it("PRV-32 is stateless, streamed, and asks reasoning models for their reasoning in encrypted form", () => {
    expect(bodyOf({})).toEqual({
      model: "gpt-6-luna",
      input: [hello],
      store: false,
      include: ["reasoning.encrypted_content"],
      stream: true,
    });
    expect(bodyOf({ model: "gpt-4.1" })).not.toHaveProperty("include");
  });

  it.each([
    ["gpt-6-luna", true],
    ["gpt-5", true],
    ["gpt-5.3-codex", true],
    ["o4-mini", true],
    ["gpt-4.1", false],
    ["gpt-4o-mini", false],
    ["gpt-3.5-turbo", false],
    ["gpt-5-chat-latest", false],
    ["my-own-model", false],
  ])("PRV-32 knows whether %s thinks: %s", (model, thinks) => {
    expect(isReasoningModel(model)).toBe(thinks);
  });

  it("PRV-33 has the instructions before the history's system text, and no blank ones", () => {
    expect(bodyOf({ instructions: "Be brief.", system: "From the history." })).toMatchObject({
      instructions: "Be brief.\n\nFrom the history.",
    });
    expect(bodyOf({ instructions: " ", system: "" })).not.toHaveProperty("instructions");
  });

  it("PRV-34 passes params through, over the defaults, but for what makes the call Holdfast's", () => {
    const params = {
      temperature: 0.5,
      max_output_tokens: 7,
      prompt_cache_key: "k",
      store: true,
      include: ["message.output_text.logprobs"],
      tools: [{ type: "web_search" }],
      model: "another",
      input: "x",
      stream: false,
      background: true,
      conversation: "conv_1",
      previous_response_id: "resp_1",
    };
    expect(bodyOf({ params, tools: [{ name: "a" }] })).toEqual({
      model: "gpt-6-luna",
      input: [hello],
      stream: true,
      temperature: 0.5,
      max_output_tokens: 7,
      prompt_cache_key: "k",
      store: true,
      include: ["reasoning.encrypted_content", "message.output_text.logprobs"],
      tools: [expect.objectContaining({ type: "function", name: "a" }), { type: "web_search" }],
    });
  });

  it("PRV-35 leaves reasoning out for models that do not think, with the ids that would ask for it", () => {
    const messages = [hello, reasoning, answer];
    const { id: _, ...bare } = answer;
    expect(bodyOf({ model: "gpt-4.1", messages })).toMatchObject({ input: [hello, bare] });
    expect(bodyOf({ messages })).toMatchObject({ input: messages });
    const without = [hello, answer];
    expect(withoutReasoning(without)).toBe(without);
  });

  it("PRV-90 can leave out the reasoning of other models, with the ids that would ask for it, and only that", () => {
    const { id: _, ...bare } = answer;
    const call = { type: "function_call", call_id: "call_1", name: "a", arguments: "{}" };
    const output = { type: "function_call_output", call_id: "call_1", output: "b" };
    const foreign = [hello, reasoning, { ...call, id: "fc_1" }, output, reasoning, answer];
    const own = [hello, { ...reasoning, id: "rs_2" }, { ...answer, id: "msg_2" }];
    const history = deepFreeze([...foreign, ...own]);
    expect(withoutForeignReasoning(history, new Set(foreign.keys()))).toEqual([
      hello,
      call,
      output,
      bare,
      ...own,
    ]);
    expect(withoutForeignReasoning(history, new Set())).toBe(history);
    expect(withoutForeignReasoning(history, new Set([0, 5]))).toBe(history);
  });
});
