import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Simulator, startSimulator } from "../../../src/simulator/simulator.js";

const MODEL = "claude-haiku-4-5";
const QUESTION = {
  model: MODEL,
  max_tokens: 1_000,
  messages: [{ role: "user", content: "Summarise clause 4." }],
} as const;
const TOOL = {
  name: "lookup",
  input_schema: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
} as const;

let simulator: Simulator;
let client: Anthropic;

beforeAll(async () => {
  simulator = await startSimulator();
  client = new Anthropic({ apiKey: "test", baseURL: simulator.baseUrls.anthropic, maxRetries: 0 });
});
beforeEach(() => simulator.reset());
afterAll(() => simulator.close());

describe("the Anthropic wire through the vendor's SDK", () => {
  it("SIM-1 answers a Messages request without streaming", async () => {
    const message = await client.messages.create({ ...QUESTION, messages: [...QUESTION.messages] });
    expect(message.content[0]).toMatchObject({ type: "text", text: expect.stringMatching(/^\[simulated\]/) });
    expect(message).toMatchObject({ role: "assistant", stop_reason: "end_turn", model: MODEL });
    expect(message.usage.output_tokens).toBeGreaterThan(0);
  });

  it("SIM-2 streams the same message that it answers whole", async () => {
    const whole = await client.messages.create({ ...QUESTION, messages: [...QUESTION.messages] });
    const stream = client.messages.stream({ ...QUESTION, messages: [...QUESTION.messages] });
    const pieces: string[] = [];
    stream.on("text", (text) => pieces.push(text));
    const streamed = await stream.finalMessage();
    expect(streamed.content).toMatchObject(whole.content);
    expect(streamed.usage).toMatchObject({ output_tokens: whole.usage.output_tokens });
    expect(pieces.length).toBeGreaterThan(5);
  });

  it("SIM-5 makes the call of a tool that the user asks for, and quotes its result", async () => {
    const asked = { role: "user", content: 'Please use the lookup tool with {"query":"clause 4"}.' } as const;
    const request = {
      ...QUESTION,
      tools: [{ ...TOOL, input_schema: { ...TOOL.input_schema, required: ["query"] } }],
    };
    const first = await client.messages.stream({ ...request, messages: [asked] }).finalMessage();
    const call = first.content.find((block) => block.type === "tool_use");
    expect(call).toMatchObject({ name: "lookup", input: { query: "clause 4" } });
    const results = [
      { type: "tool_result", tool_use_id: call?.id ?? "", content: "It is on page 2." },
    ] as const;
    const second = await client.messages.create({
      ...request,
      messages: [
        asked,
        { role: "assistant", content: first.content },
        { role: "user", content: [...results] },
      ],
    });
    expect(JSON.stringify(second.content)).toContain("lookup answered “It is on page 2.”");
  });
});
