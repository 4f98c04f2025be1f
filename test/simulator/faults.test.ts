import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.js";
import { ask, textIn, WIRES } from "./ask.js";

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
});
beforeEach(() => simulator.reset());
afterAll(() => simulator.close());

const REPLY = { text: "one two three four five six seven eight nine ten eleven twelve" };

describe("scripted faults", () => {
  it.each(WIRES)("SIM-20 answers on %s any status in the vendor's shape, as often as told", async (wire) => {
    simulator.script({
      fault: { kind: "status", status: 429, message: "Too many.", retryAfter: 7 },
      times: 2,
    });
    for (const _ of [1, 2]) {
      const response = await ask(simulator, wire);
      expect(response.status).toBe(429);
      expect(response.headers.get("retry-after")).toBe("7");
      expect(await response.json()).toMatchObject({ error: { message: "Too many." } });
    }
    expect((await ask(simulator, wire)).status).toBe(200);
  });

  it("SIM-20 sends the wish to wait as seconds, milliseconds or a date, and on Google in the body too", async () => {
    const date = "Wed, 21 Oct 2026 07:28:00 GMT";
    simulator.script({ fault: { kind: "status", status: 503, retryAfterMs: 1_500 } });
    simulator.script({ fault: { kind: "status", status: 503, retryAfter: date } });
    simulator.script({ fault: { kind: "status", status: 429, retryAfter: 3 } });
    expect((await ask(simulator, "openai")).headers.get("retry-after-ms")).toBe("1500");
    expect((await ask(simulator, "openai")).headers.get("retry-after")).toBe(date);
    const google = await (await ask(simulator, "google")).json();
    expect(google).toMatchObject({
      error: { status: "RESOURCE_EXHAUSTED", details: [{ retryDelay: "3s" }] },
    });
  });

  it.each([
    [
      "anthropic",
      529,
      { type: "error", error: { type: "overloaded_error" }, request_id: expect.any(String) },
    ],
    ["openai", 503, { error: { code: "server_is_overloaded" } }],
    ["google", 503, { error: { code: 503, status: "UNAVAILABLE" } }],
    ["fireworks", 503, { error: { code: "SERVICE_UNAVAILABLE" } }],
    ["compatible", 503, { error: { code: "SERVICE_UNAVAILABLE" } }],
  ] as const)("SIM-21 is overloaded on %s with status %i", async (wire, status, shape) => {
    simulator.script({ fault: { kind: "overloaded" } });
    const response = await ask(simulator, wire, { stream: true });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject(shape);
  });

  it("SIM-22 hangs before the headers until the client goes", async () => {
    simulator.script({ fault: { kind: "hang" } });
    const abort = new AbortController();
    const asked = ask(simulator, "anthropic", { signal: abort.signal });
    await simulator.waitForCall(({ model }) => model !== null);
    abort.abort();
    await expect(asked).rejects.toThrow();
    const call = await simulator.waitForCall(({ endedAt }) => endedAt !== null);
    expect(call).toMatchObject({ status: null, clientClosed: true, finished: false });
  });

  it.each(WIRES)("SIM-22 hangs on %s after as many chunks as told", async (wire) => {
    simulator.script({ reply: REPLY, fault: { kind: "hang", afterChunks: 2 } });
    const abort = new AbortController();
    const response = await ask(simulator, wire, { stream: true, signal: abort.signal });
    const read = response.text();
    const call = await simulator.waitForCall(({ chunksSent }) => chunksSent === 2);
    expect(call).toMatchObject({ status: 200, endedAt: null, finished: false });
    abort.abort();
    await expect(read).rejects.toThrow();
    await simulator.waitForCall(({ clientClosed }) => clientClosed);
  });

  it.each(WIRES)(
    "SIM-23 destroys on %s the socket in the middle of the stream, or before it",
    async (wire) => {
      simulator.script({ reply: REPLY, fault: { kind: "cut", afterChunks: 2 } }, { fault: { kind: "cut" } });
      const response = await ask(simulator, wire, { stream: true });
      await expect(response.text()).rejects.toThrow();
      expect(simulator.calls[0]?.chunksSent).toBe(2);
      await expect(ask(simulator, wire)).rejects.toThrow();
    },
  );

  it("SIM-23 destroys the socket in the middle of a body that is not streamed", async () => {
    simulator.script({ reply: REPLY, fault: { kind: "cut", afterChunks: 1 } });
    const response = await ask(simulator, "openai");
    await expect(response.text()).rejects.toThrow();
  });

  it.each([
    ["anthropic", "message_stop"],
    ["openai", "response.completed"],
    ["google", "finishReason"],
    ["fireworks", "[DONE]"],
    ["compatible", "[DONE]"],
  ] as const)("SIM-24 ends the stream of %s cleanly, but without its %s", async (wire, closing) => {
    simulator.script({ reply: REPLY }, { reply: REPLY, fault: { kind: "truncated" } });
    expect(await (await ask(simulator, wire, { stream: true })).text()).toContain(closing);
    const truncated = await (await ask(simulator, wire, { stream: true })).text();
    expect(textIn(truncated)).toContain("twelve");
    expect(truncated).not.toContain(closing);
  });

  it.each([
    ["anthropic", '"stop_reason":"end_turn"', "message_stop"],
    ["openai", "response.completed", undefined],
    ["google", '"finishReason":"STOP"', undefined],
    ["fireworks", '"finish_reason":"stop"', '"usage"'],
    ["compatible", '"finish_reason":"stop"', '"usage"'],
  ] as const)("SIM-400 strikes on %s behind the finish reason", async (wire, finish, rest) => {
    simulator.script({ reply: REPLY, fault: { kind: "truncated", afterFinish: true } });
    const payload = await (await ask(simulator, wire, { stream: true })).text();
    expect(textIn(payload)).toContain("twelve");
    expect(payload.trimEnd().split("data: ").at(-1)).toContain(finish);
    if (rest !== undefined) expect(payload.split(finish)[1]).not.toContain(rest);
  });

  it.each(WIRES)("SIM-25 sends on %s broken JSON in the stream and in the body", async (wire) => {
    simulator.script({ reply: REPLY, fault: { kind: "malformed", afterChunks: 1 }, times: 2 });
    const streamed = await (await ask(simulator, wire, { stream: true })).text();
    const last = streamed.trimEnd().split("data: ").at(-1) ?? "";
    expect(() => JSON.parse(last)).toThrow(SyntaxError);
    const whole = await ask(simulator, wire);
    expect(whole.status).toBe(200);
    await expect(whole.json()).rejects.toThrow(SyntaxError);
  });

  it("SIM-26 states an error inside a stream as the vendors' SDKs expect it", async () => {
    const anthropic = new Anthropic({ apiKey: "x", baseURL: simulator.baseUrls.anthropic, maxRetries: 0 });
    const openai = new OpenAI({ apiKey: "x", baseURL: simulator.baseUrls.openai, maxRetries: 0 });
    const chat = new OpenAI({ apiKey: "x", baseURL: simulator.baseUrls.fireworks, maxRetries: 0 });
    simulator.script({ reply: REPLY, fault: { kind: "stream_error", afterChunks: 1 }, times: 3 });
    const messages = [{ role: "user" as const, content: "hi" }];
    const message = anthropic.messages.stream({ model: "claude-haiku-4-5", max_tokens: 9, messages });
    await expect(message.finalMessage()).rejects.toThrow("overloaded_error");
    const response = openai.responses.stream({ model: "gpt-6-luna", input: "hi", store: false });
    await expect(response.finalResponse()).rejects.toThrow("overloaded");
    const completion = chat.chat.completions.stream({ model: "accounts/fireworks/models/glm-5", messages });
    await expect(completion.finalMessage()).rejects.toThrow("overloaded");
  });

  it("SIM-26 makes an error of a stream's error where nothing is streamed", async () => {
    simulator.script({ fault: { kind: "stream_error", message: "Broken.", type: "api_error" } });
    const response = await ask(simulator, "anthropic");
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ error: { type: "api_error", message: "Broken." } });
  });

  it("SIM-27 sends an error of 3 MB", async () => {
    simulator.script({ fault: { kind: "huge_error" } });
    const response = await ask(simulator, "google");
    expect(response.status).toBe(500);
    expect((await response.text()).length).toBeGreaterThan(3_000_000);
  });

  it("SIM-19 makes a failed response of OpenAI", async () => {
    simulator.script({ reply: { text: "x", rawFinishReason: "failed" } });
    const payload = await (await ask(simulator, "openai", { stream: true })).text();
    expect(payload).toContain("event: response.failed");
  });
});
