import { GoogleGenAI } from "@google/genai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CallLog } from "../../src/simulator/call-log.js";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.js";
import { SimulatorControl } from "../../src/simulator/simulator-control.js";
import { ask, bodyOf, textIn } from "./ask.js";

let simulator: Simulator;
let control: SimulatorControl;

beforeAll(async () => {
  simulator = await startSimulator();
  control = new SimulatorControl(simulator.url);
});
beforeEach(() => simulator.reset());
afterAll(() => simulator.close());

describe("what the simulator saw", () => {
  it("SIM-29 records each call with its wire, model, body, status and bytes", async () => {
    const response = await ask(simulator, "openai", { text: "What is in it?" });
    const bytes = Buffer.byteLength(await response.text());
    expect(simulator.calls).toHaveLength(1);
    expect(simulator.calls[0]).toMatchObject({
      id: 1,
      wire: "openai",
      path: "/v1/responses",
      model: "gpt-6-luna",
      generation: true,
      body: bodyOf("openai", { text: "What is in it?" }),
      lastUserText: "What is in it?",
      status: 200,
      bytesSent: bytes,
      finished: true,
      clientClosed: false,
    });
  });

  it("SIM-29 sees a client cancel, stops sending and counts nothing more", async () => {
    simulator.script({ reply: { text: "word ".repeat(2_000) }, pace: { chunkDelayMs: 20 } });
    const abort = new AbortController();
    const response = await ask(simulator, "anthropic", { stream: true, signal: abort.signal });
    const read = response.text();
    await simulator.waitForCall(({ chunksSent }) => chunksSent >= 2);
    abort.abort();
    await expect(read).rejects.toThrow();
    const call = await simulator.waitForCall(({ clientClosed }) => clientClosed);
    const before = simulator.counters();
    await ask(simulator, "google");
    const after = simulator.counters();
    expect(call.finished).toBe(false);
    expect(call.chunksSent).toBeLessThan(100);
    expect(before).toMatchObject({ calls: 1, open: 0, clientClosed: 1, byWire: { anthropic: 1 } });
    expect(after.bytesSent - before.bytesSent).toBe(simulator.calls[1]?.bytesSent);
    expect(call.bytesSentAfterClose).toBeLessThan(1_000);
  });

  it("SIM-29 counts what asks no model apart from the calls", async () => {
    await fetch(`${simulator.baseUrls.google}/v1beta/files`, { headers: { "x-goog-api-key": "test" } });
    expect(simulator.counters()).toMatchObject({ calls: 0, otherCalls: 1 });
  });

  it("SIM-29 tells in vain waiting how long it waited", async () => {
    await expect(simulator.waitForCall(() => false, { timeoutMs: 10 })).rejects.toThrow("within 10 ms");
  });

  it("SIM-29 gives up the bodies of the oldest calls above 128 MiB", () => {
    const log = new CallLog();
    for (const _ of [1, 2, 3]) {
      log.keepBody(log.open("openai", "POST", "/v1/responses", true), { input: "x" }, 50 * 1024 * 1024);
    }
    expect(log.records.map(({ body }) => body)).toEqual([null, { input: "x" }, { input: "x" }]);
  });

  it("SIM-29 keeps no bodies where it is told so", async () => {
    await using forgetful = await startSimulator({ keepBodies: false });
    await ask(forgetful, "anthropic");
    expect(forgetful.calls[0]).toMatchObject({ body: null, lastUserText: "Summarise clause 4." });
  });
});

describe("the control API", () => {
  it("SIM-30 takes scripts, shows calls and counters, and forgets", async () => {
    await control.script({ reply: { text: "from afar" } }, { fault: { kind: "overloaded" } });
    expect(textIn(await (await ask(simulator, "anthropic")).text())).toBe("from afar");
    expect((await ask(simulator, "anthropic")).status).toBe(529);
    expect(await control.counters()).toMatchObject({ calls: 2, byWire: { anthropic: 2 } });
    expect(await control.calls()).toMatchObject([{ status: 200, body: null }, { status: 529 }]);
    expect(await control.calls({ bodies: true })).toMatchObject([{ body: bodyOf("anthropic") }, {}]);
    await control.reset();
    expect(await control.counters()).toMatchObject({ calls: 0 });
  });

  it("SIM-30 sets the pace of replies and the clock of files", async () => {
    await control.setPace({ minimumReplyMs: 60 });
    const started = performance.now();
    await ask(simulator, "fireworks");
    expect(performance.now() - started).toBeGreaterThanOrEqual(50);
    const google = new GoogleGenAI({ apiKey: "x", httpOptions: { baseUrl: simulator.baseUrls.google } });
    const { name = "" } = await google.files.upload({
      file: new Blob(["x"]),
      config: { mimeType: "text/plain" },
    });
    await control.advanceClock(49 * 3_600_000);
    await expect(google.files.get({ name })).rejects.toMatchObject({ status: 403 });
  });

  it("SIM-30 says that it is there, and that it is simulated", async () => {
    const health = await (await fetch(`${simulator.url}/_simulator/health`)).json();
    expect(health).toEqual({ simulated: true, pendingScript: 0 });
    expect((await ask(simulator, "anthropic")).headers.get("x-holdfast-simulated")).toBe("true");
  });

  it("SIM-31 answers a misspelt entry with 400 and the reason", async () => {
    await expect(control.script({ fault: { kind: "explode" } } as never)).rejects.toThrow(
      "fault.kind must be one of",
    );
    const unknown = await fetch(`${simulator.url}/_simulator/nothing`);
    expect(unknown.status).toBe(404);
    expect(await unknown.text()).toContain("POST script");
  });

  it("SIM-33 refuses a port that is taken in one line with the remedy", async () => {
    const port = Number(new URL(simulator.url).port);
    await expect(startSimulator({ port })).rejects.toThrow(
      `The simulator cannot listen on 127.0.0.1:${port} (EADDRINUSE): stop what uses the port, or choose another`,
    );
  });
});
