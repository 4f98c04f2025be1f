import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { dialectFor } from "../../src/core/dialects/index.js";
import type { JsonObject } from "../../src/core/json.js";
import { outputSchemaOf } from "../../src/core/output-schema.js";
import type { ProviderName } from "../../src/core/providers.js";
import type { ModelProvider, ModelRequest } from "../../src/providers/provider.js";
import { createProviders } from "../../src/providers/providers.js";
import { providerSettings } from "../../src/providers/settings.js";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.js";
import { collectCall, modelRequest } from "./collect-call.js";

const MODELS: Readonly<Record<ProviderName, string>> = {
  anthropic: "claude-haiku-4-5",
  openai: "gpt-6-luna",
  google: "gemini-3.5-flash",
  fireworks: "accounts/fireworks/models/kimi-k3",
  compatible: "local-model",
};
const NAMES = Object.keys(MODELS) as readonly ProviderName[];
const PREFIXES: Readonly<Record<ProviderName, string>> = {
  anthropic: "ANTHROPIC",
  openai: "OPENAI",
  google: "GEMINI",
  fireworks: "FIREWORKS",
  compatible: "HOLDFAST_COMPATIBLE",
};
const TOOL = { name: "lookup", input_schema: { type: "object", properties: {} } };
const TOLD = "Your final answer is one JSON value that fits this JSON Schema";

const Person = z.object({
  name: z.string().min(2).max(40),
  age: z.number().int().min(0),
  role: z.enum(["buyer", "seller"]),
  address: z.object({ city: z.string(), zip: z.string().nullable() }),
  notes: z.array(z.string()).optional(),
});
const tree: JsonObject = {
  type: "object",
  properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#" } } },
  required: ["name", "children"],
};
const SCHEMAS: readonly (readonly [what: string, schema: JsonObject])[] = [
  ["an object of a library", outputSchemaOf("test", Person)],
  ["an object with open keys", { type: "object", additionalProperties: { type: "number" } }],
  ["a list at the root", { type: "array", items: { type: "integer", minimum: 3 }, minItems: 2 }],
  ["a schema of itself", tree],
  ["a pair", { type: "object", properties: { at: { type: "array", prefixItems: [{ type: "number" }] } } }],
  [
    "definitions",
    {
      type: "object",
      properties: { from: { $ref: "#/$defs/place", description: "Whence" }, to: { $ref: "#/$defs/place" } },
      required: ["from", "to"],
      $defs: { place: { type: "object", properties: { city: { type: "string" } }, required: ["city"] } },
    },
  ],
  ["a choice", { oneOf: [{ type: "string", pattern: "^[a-z]+$" }, { const: 7 }, { enum: ["a", null] }] }],
  ["anything", {}],
];

let simulator: Simulator;
const adapters = new Map<ProviderName, ModelProvider>();

beforeAll(async () => {
  simulator = await startSimulator();
  const env = Object.fromEntries(
    NAMES.flatMap((name) => [
      [`${PREFIXES[name]}_API_KEY`, "a-key"],
      [`${PREFIXES[name]}_BASE_URL`, simulator.baseUrls[name]],
    ]),
  );
  const providers = createProviders(providerSettings(env));
  for (const name of NAMES) adapters.set(name, await providers.get(name));
});
beforeEach(() => simulator.reset());
afterAll(() => simulator.close());

async function ask(provider: ProviderName, change: Partial<ModelRequest>): Promise<JsonObject> {
  const messages = [dialectFor(provider).userMessage("Who is it?", [])];
  const request = modelRequest({ model: MODELS[provider], messages, instructions: "Be brief.", ...change });
  const adapter = adapters.get(provider);
  if (adapter === undefined) throw new Error(`No adapter of ${provider}.`);
  const { reply } = await collectCall(adapter, request);
  const [call] = simulator.calls.slice(-1);
  expect(call).toMatchObject({ status: 200, issues: [] });
  return { body: call?.body as JsonObject, answer: dialectFor(provider).outputText(reply.messages) };
}

describe("a schema on the wire", () => {
  it.each(NAMES.flatMap((name) => SCHEMAS.map(([what, schema]) => [name, what, schema] as const)))(
    "OUT-16 %s takes what is made of %s, with and without tools, and its simulator answers with JSON",
    async (name, _what, output) => {
      const { answer } = await ask(name, { output });
      expect(() => JSON.parse(String(answer))).not.toThrow();
      await ask(name, { output, tools: [TOOL] });
    },
  );

  it("OUT-12 is strict on OpenAI only where every key is required and every keyword known; open objects are closed for it", async () => {
    const strict = {
      type: "object",
      properties: { a: { type: "string" } },
      required: ["a"],
      title: "An answer!",
    };
    expect(
      (await ask("openai", { output: strict, params: { text: { verbosity: "low" } } })).body,
    ).toMatchObject({
      text: {
        verbosity: "low",
        format: {
          type: "json_schema",
          name: "An_answer_",
          strict: true,
          schema: { ...strict, additionalProperties: false },
        },
      },
    });
    const loose = outputSchemaOf("test", Person);
    expect((await ask("openai", { output: loose })).body).toMatchObject({
      text: { format: { strict: false, schema: loose } },
    });
    const { body } = await ask("openai", { output: { type: "array", items: {} } });
    expect((body as JsonObject).text).toBeUndefined();
    expect((body as JsonObject).instructions).toMatch(new RegExp(`^Be brief\\.\n\n${TOLD}`));
  });

  it("OUT-13 closes objects for Anthropic and tells bounds in descriptions; what it cannot take, and older models, are told in words", async () => {
    const { body } = await ask("anthropic", {
      output: outputSchemaOf("test", Person),
      params: { output_config: { effort: "low" } },
    });
    expect(body).toMatchObject({
      output_config: {
        effort: "low",
        format: {
          type: "json_schema",
          schema: {
            additionalProperties: false,
            properties: {
              name: { type: "string", description: "{minLength: 2, maxLength: 40}" },
              address: { additionalProperties: false },
            },
          },
        },
      },
    });
    for (const change of [{ output: tree }, { output: Object.fromEntries([["type", "object"]]) }]) {
      const told = (await ask("anthropic", change)).body as JsonObject;
      expect([told.output_config, JSON.stringify(told.system)]).toEqual([
        undefined,
        expect.stringContaining(TOLD),
      ]);
    }
    const old = await ask("anthropic", { output: { type: "string" }, model: "claude-3-5-haiku-20241022" });
    expect(JSON.stringify(old.body)).toContain(TOLD);
  });

  it("OUT-14 goes to Google as JSON Schema with its MIME type; beside tools of a model before Gemini 3 it is told in words", async () => {
    const output = SCHEMAS.find(([what]) => what === "definitions")?.[1] ?? {};
    const { body } = await ask("google", { output });
    expect(body).toMatchObject({
      generationConfig: {
        responseMimeType: "application/json",
        responseJsonSchema: { properties: { from: { $ref: "#/$defs/place" } } },
      },
    });
    expect(JSON.stringify(body)).not.toContain("Whence");
    expect((await ask("google", { output, tools: [TOOL] })).body).toMatchObject({
      generationConfig: { responseMimeType: "application/json" },
    });
    const older = (await ask("google", { output, tools: [TOOL], model: "gemini-2.5-flash" }))
      .body as JsonObject;
    expect(JSON.stringify(older.generationConfig ?? {})).not.toContain("responseMimeType");
    expect(JSON.stringify(older.systemInstruction)).toContain(TOLD);
  });

  it.each(["fireworks", "compatible"] as const)(
    "OUT-15 goes to %s as response_format; beside tools it is told in words",
    async (name) => {
      const output = { type: "object", title: "person" };
      expect((await ask(name, { output })).body).toMatchObject({
        response_format: { type: "json_schema", json_schema: { name: "person", schema: output } },
      });
      const beside = (await ask(name, { output, tools: [TOOL] })).body as JsonObject;
      expect(beside.response_format).toBeUndefined();
      expect(JSON.stringify(beside.messages)).toContain(TOLD);
    },
  );
});
