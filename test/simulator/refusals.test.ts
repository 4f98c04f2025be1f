import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.js";
import type { WireName } from "../../src/simulator/wire.js";
import { ask, WIRES } from "./ask.js";

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
});
beforeEach(() => simulator.reset());
afterAll(() => simulator.close());

type Shapes = readonly (readonly [WireName, number, object])[];

describe("requests that are refused before their content is looked at", () => {
  it.each<Shapes[number]>([
    [
      "anthropic",
      401,
      { type: "error", error: { type: "authentication_error" }, request_id: expect.any(String) },
    ],
    ["openai", 401, { error: { type: "invalid_request_error", param: null, code: null } }],
    ["google", 403, { error: { code: 403, status: "PERMISSION_DENIED" } }],
    ["fireworks", 401, { error: { type: "error", code: "UNAUTHORIZED" } }],
  ])("SIM-10 refuses on %s a missing key with status %i", async (wire, status, shape) => {
    const response = await ask(simulator, wire, { key: null });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject(shape);
  });

  it.each<Shapes[number]>([
    ["anthropic", 401, { error: { type: "authentication_error", message: "invalid x-api-key" } }],
    ["openai", 401, { error: { code: "invalid_api_key" } }],
    ["google", 400, { error: { status: "INVALID_ARGUMENT", details: [{ reason: "API_KEY_INVALID" }] } }],
    ["fireworks", 401, { error: { code: "UNAUTHORIZED" } }],
  ])("SIM-10 refuses on %s the key “invalid” with status %i", async (wire, status, shape) => {
    const response = await ask(simulator, wire, { key: "invalid" });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject(shape);
  });

  it.each<Shapes[number]>([
    ["anthropic", 404, { error: { type: "not_found_error" } }],
    ["openai", 404, { error: { code: "model_not_found", param: "model" } }],
    ["google", 404, { error: { status: "NOT_FOUND" } }],
    ["fireworks", 404, { error: { code: "NOT_FOUND", param: "model" } }],
    ["compatible", 404, { error: { code: "NOT_FOUND" } }],
  ])("SIM-11 answers on %s 404 for a model that nobody serves", async (wire, status, shape) => {
    const models = wire === "compatible" ? ["unknown-model"] : ["unknown-model", "someone-elses-1"];
    for (const model of models) {
      const response = await ask(simulator, wire, { model });
      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject(shape);
    }
  });

  it.each(WIRES)(
    "SIM-16 answers on %s 400 for a body that is no JSON, or JSON of another kind",
    async (wire) => {
      for (const body of ["", "{", "[]", '"text"', "null"]) {
        const response = await ask(simulator, wire, { body });
        expect(response.status).toBe(400);
        expect(await response.json()).toHaveProperty("error.message");
      }
    },
  );

  it.each(WIRES)("SIM-16 answers on %s 400 for a lone surrogate", async (wire) => {
    const response = await ask(simulator, wire, { text: "half \ud83d" });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("surrogate");
  });

  it("SIM-16 answers 413 for a body above the vendor's limit", async () => {
    const response = await ask(simulator, "anthropic", { text: "x".repeat(33 * 1024 * 1024) });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { type: "request_too_large" } });
  });

  it.each([
    ["anthropic", "prompt is too long: "],
    ["openai", "context_length_exceeded"],
    ["google", "exceeds the maximum number of tokens allowed (50)"],
    ["fireworks", "model maximum context length: 50"],
    ["compatible", "model maximum context length: 50"],
  ] as const)(
    "SIM-17 refuses on %s what is longer than the context, in the vendor's words",
    async (wire, words) => {
      await using small = await startSimulator({ contextTokens: 50 });
      expect((await ask(small, wire)).status).toBe(200);
      const response = await ask(small, wire, { text: "word ".repeat(100) });
      expect(response.status).toBe(400);
      expect(await response.text()).toContain(words);
    },
  );

  it("SIM-12 states the first issue as the error and keeps all in the record", async () => {
    const response = await ask(simulator, "anthropic", { patch: { max_tokens: 0, temperature: 3 } });
    expect(await response.json()).toMatchObject({
      type: "error",
      error: {
        type: "invalid_request_error",
        message: "max_tokens: Input should be greater than or equal to 1",
      },
    });
    expect(simulator.calls[0]?.issues).toHaveLength(2);
  });

  it("SIM-13 names the parameter as OpenAI writes it", async () => {
    const body = { model: "gpt-6-luna", input: [{ role: "user", content: [{ type: "text", text: "x" }] }] };
    const response = await ask(simulator, "openai", { body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { param: "input[0].content[0]", code: "invalid_value" },
    });
  });

  it("SIM-11 answers 404 for a path that it does not serve", async () => {
    expect((await fetch(`${simulator.url}/mistral/v1/chat`)).status).toBe(404);
    const headers = { authorization: "Bearer test" };
    expect((await fetch(`${simulator.baseUrls.openai}/embeddings`, { method: "POST", headers })).status).toBe(
      404,
    );
  });
});
