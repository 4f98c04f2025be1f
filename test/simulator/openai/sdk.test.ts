import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Simulator, startSimulator } from "../../../src/simulator/simulator.js";

const MODEL = "gpt-6-luna";

let simulator: Simulator;
let client: OpenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  client = new OpenAI({ apiKey: "test", baseURL: simulator.baseUrls.openai, maxRetries: 0 });
});
beforeEach(() => simulator.reset());
afterAll(() => simulator.close());

describe("the OpenAI wire through the vendor's SDK", () => {
  const question = { model: MODEL, input: "Summarise clause 4.", store: false } as const;

  it("SIM-1 answers a Responses request without streaming", async () => {
    const response = await client.responses.create(question);
    expect(response.output_text).toMatch(/^\[simulated\]/);
    expect(response).toMatchObject({ status: "completed", model: MODEL, store: false });
    expect(response.usage?.total_tokens).toBeGreaterThan(0);
  });

  it("SIM-2 streams the same response that it answers whole", async () => {
    const whole = await client.responses.create({ ...question, include: ["reasoning.encrypted_content"] });
    const stream = client.responses.stream({ ...question, include: ["reasoning.encrypted_content"] });
    const pieces: string[] = [];
    stream.on("response.output_text.delta", ({ delta }) => pieces.push(delta));
    const streamed = await stream.finalResponse();
    expect(streamed.output_text).toBe(whole.output_text);
    expect(streamed.usage).toEqual(whole.usage);
    expect(pieces.join("")).toBe(whole.output_text);
    expect(streamed.output[0]).toMatchObject({ type: "reasoning", encrypted_content: expect.any(String) });
  });

  it("SIM-5 makes the call of a tool that the user asks for, and quotes its result", async () => {
    const tool = {
      type: "function",
      name: "lookup",
      strict: false,
      parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
    } as const;
    const asked = { role: "user", content: "Use the lookup tool." } as const;
    const request = {
      model: MODEL,
      store: false,
      tools: [{ ...tool }],
      include: ["reasoning.encrypted_content" as const],
    };
    const first = await client.responses.stream({ ...request, input: [asked] }).finalResponse();
    const call = first.output.find((item) => item.type === "function_call");
    expect(call).toMatchObject({ name: "lookup", arguments: '{"query":"Use the lookup tool."}' });
    const output = {
      type: "function_call_output",
      call_id: call?.call_id ?? "",
      output: "On page 2.",
    } as const;
    const sent = first.output.map(({ ...item }) => {
      if ("parsed_arguments" in item) delete item.parsed_arguments;
      return item;
    });
    const second = await client.responses.create({
      ...request,
      input: [asked, ...sent, output] as OpenAI.Responses.ResponseInput,
    });
    expect(second.output_text).toContain("lookup answered “On page 2.”");
  });
});
