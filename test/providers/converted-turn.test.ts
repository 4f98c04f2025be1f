import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { convertHistory } from "../../src/core/dialects/convert.js";
import type { MediaSlot } from "../../src/core/dialects/dialect.js";
import { dialectFor } from "../../src/core/dialects/index.js";
import { DIALECT_NAMES, type DialectName } from "../../src/core/providers.js";
import type { ModelProvider } from "../../src/providers/provider.js";
import { createProviders } from "../../src/providers/providers.js";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.js";
import { readCases, splitHistory } from "../core/dialects/conversion-case.js";
import { deepFreeze } from "../core/dialects/deep-freeze.js";
import { repositoryRoot } from "../support/source-file.js";
import { GIF, JPEG, PNG, smallPdf, WEBP } from "../support/whole-files.js";
import { collectCall, modelRequest } from "./collect-call.js";

const MODELS: Readonly<Record<DialectName, string>> = {
  anthropic: "claude-haiku-4-5",
  openai: "gpt-5.4-mini",
  google: "gemini-3-flash",
  fireworks: "accounts/fireworks/models/kimi-k2p5",
};
/** The cases have made-up media, which the services would refuse. */
const BYTES: Readonly<Record<string, string>> = {
  "image/png": PNG.toString("base64"),
  "image/jpeg": JPEG.toString("base64"),
  "image/webp": WEBP.toString("base64"),
  "image/gif": GIF.toString("base64"),
  "application/pdf": smallPdf().toString("base64"),
};

function realBytes({ mime_type, data }: MediaSlot): string {
  return BYTES[mime_type] ?? data;
}

const families = readdirSync(join(repositoryRoot, "test/fixtures/cases"));
const sources = families.flatMap(readCases).filter(({ throws }) => throws === undefined);

describe.each(DIALECT_NAMES)("one more turn on %s, through its SDK", (to) => {
  let simulator: Simulator;
  let adapter: ModelProvider;
  beforeAll(async () => {
    simulator = await startSimulator();
    const endpoint = { apiKey: "a-secret-of-the-test", baseUrl: simulator.baseUrls[to], simulated: true };
    const settings = { anthropic: endpoint, openai: endpoint, google: endpoint, fireworks: endpoint };
    adapter = await createProviders({ ...settings, compatible: endpoint }).get(to);
  });
  beforeEach(() => simulator.reset());
  afterAll(() => simulator.close());

  const foreign = sources.filter(({ from }) => from !== to);
  it.each(foreign)("DIA-340 is answered after the converted history of $name from $from", async (source) => {
    const { messages, system } = splitHistory(source.input);
    const converted = convertHistory({ from: source.from, to, messages, system, toModel: MODELS[to] });
    const shown = converted.messages.map((message) => dialectFor(to).mapMedia(message, realBytes));
    const asked = [...shown, dialectFor(to).userMessage("And now?", [])];
    const request = modelRequest({ model: MODELS[to], messages: asked, system: converted.system });
    const { reply } = await collectCall(adapter, deepFreeze(request));
    expect(simulator.calls.map(({ status, issues }) => [status, issues])).toEqual([[200, []]]);
    expect(dialectFor(to).outputText(reply.messages)).not.toBe("");
  });
});
