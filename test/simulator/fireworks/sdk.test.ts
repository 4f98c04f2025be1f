import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Simulator, startSimulator } from "../../../src/simulator/simulator.js";

const MODEL = "accounts/fireworks/models/kimi-k2p5";

let simulator: Simulator;
let client: OpenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  client = new OpenAI({ apiKey: "test", baseURL: simulator.baseUrls.fireworks, maxRetries: 0 });
});
beforeEach(() => simulator.reset());
afterAll(() => simulator.close());

describe("the Chat Completions wires through the vendor's SDK", () => {
  const messages = [{ role: "user" as const, content: "Summarise clause 4." }];

  it("SIM-1 answers a Chat Completions request without streaming", async () => {
    const completion = await client.chat.completions.create({ model: MODEL, messages });
    expect(completion.choices[0]?.message.content).toMatch(/^\[simulated\]/);
    expect(completion.choices[0]?.finish_reason).toBe("stop");
    expect(completion.usage?.prompt_tokens).toBeGreaterThan(0);
  });

  it.each(["fireworks", "compatible"] as const)(
    "SIM-2 streams on %s the same completion, then its usage",
    async (wire) => {
      const own = new OpenAI({ apiKey: "test", baseURL: simulator.baseUrls[wire], maxRetries: 0 });
      const whole = await own.chat.completions.create({ model: MODEL, messages });
      const stream = await own.chat.completions.create({
        model: MODEL,
        messages,
        stream: true,
        stream_options: { include_usage: true },
      });
      const chunks: OpenAI.Chat.ChatCompletionChunk[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("");
      expect(text).toBe(whole.choices[0]?.message.content);
      expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage });
    },
  );

  it("SIM-5 makes the call of a tool that the user asks for, and quotes its result", async () => {
    const tools = [
      {
        type: "function" as const,
        function: { name: "lookup", parameters: { type: "object", properties: {} } },
      },
      {
        type: "function" as const,
        function: { name: "weather", parameters: { type: "object", properties: {} } },
      },
    ];
    const asked = { role: "user" as const, content: 'Call lookup with {"query":"x"} and weather.' };
    const stream = client.chat.completions.stream({ model: MODEL, messages: [asked], tools });
    const first = await stream.finalMessage();
    expect(first.tool_calls).toMatchObject([
      { id: "functions.lookup:0", function: { name: "lookup", arguments: '{"query":"x"}' } },
      { id: "functions.weather:1", function: { name: "weather", arguments: "{}" } },
    ]);
    const calls = (first.tool_calls ?? []).flatMap((call) =>
      call.type === "function"
        ? [
            {
              id: call.id,
              type: call.type,
              function: { name: call.function.name, arguments: call.function.arguments },
            },
          ]
        : [],
    );
    const second = await client.chat.completions.create({
      model: MODEL,
      tools,
      messages: [
        asked,
        {
          role: "assistant",
          content: null,
          tool_calls: calls,
        },
        ...calls.map(({ id }) => ({ role: "tool" as const, tool_call_id: id, content: "Rain." })),
      ],
    });
    expect(second.choices[0]?.message.content).toContain("weather answered “Rain.”");
  });

  it("SIM-7 needs no key on the compatible wire", async () => {
    const own = new OpenAI({
      apiKey: "unused",
      defaultHeaders: { authorization: null },
      baseURL: simulator.baseUrls.compatible,
      maxRetries: 0,
    });
    const completion = await own.chat.completions.create({ model: "llama-3-8b", messages });
    expect(completion.model).toBe("llama-3-8b");
  });
});
