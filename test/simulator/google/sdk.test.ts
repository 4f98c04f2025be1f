import { type GenerateContentResponse, GoogleGenAI, type Part } from "@google/genai";
import PDFDocument from "pdfkit";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Simulator, startSimulator } from "../../../src/simulator/simulator.js";

const MODEL = "gemini-3.5-flash-lite";

let simulator: Simulator;
let client: GoogleGenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  client = clientWith("test");
});
beforeEach(() => simulator.reset());
afterAll(() => simulator.close());

function clientWith(apiKey: string): GoogleGenAI {
  return new GoogleGenAI({ apiKey, httpOptions: { baseUrl: simulator.baseUrls.google } });
}

async function pdf(title: string, line: string): Promise<Uint8Array<ArrayBuffer>> {
  const document = new PDFDocument({ info: { Title: title } });
  const parts: Buffer[] = [];
  document.on("data", (part: Buffer) => parts.push(part));
  const ended = new Promise((resolve) => document.on("end", resolve));
  document.text(line);
  document.end();
  await ended;
  return new Uint8Array(Buffer.concat(parts));
}

describe("the Google wire through the vendor's SDK", () => {
  it("SIM-1 answers a generateContent request without streaming", async () => {
    const response = await client.models.generateContent({ model: MODEL, contents: "Summarise clause 4." });
    expect(response.text).toMatch(/^\[simulated\]/);
    expect(response.candidates?.[0]?.finishReason).toBe("STOP");
    expect(response.usageMetadata?.totalTokenCount).toBeGreaterThan(0);
  });

  it("SIM-2 streams the same text that it answers whole", async () => {
    const whole = await client.models.generateContent({ model: MODEL, contents: "Summarise clause 4." });
    const stream = await client.models.generateContentStream({
      model: MODEL,
      contents: "Summarise clause 4.",
    });
    const chunks: GenerateContentResponse[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.map(({ text }) => text ?? "").join("")).toBe(whole.text);
    expect(chunks.length).toBeGreaterThan(5);
    expect(chunks.at(-1)?.usageMetadata).toEqual(whole.usageMetadata);
  });

  it("SIM-5 makes the call of a tool that the user asks for, and quotes its result", async () => {
    const asked = { role: "user", parts: [{ text: "Use the lookup tool." }] };
    const declaration = {
      name: "lookup",
      parametersJsonSchema: {
        type: "object",
        properties: { count: { type: "integer" } },
        required: ["count"],
      },
    };
    const config = { tools: [{ functionDeclarations: [declaration] }] };
    const first = await client.models.generateContent({ model: MODEL, contents: [asked], config });
    const [call] = first.functionCalls ?? [];
    expect(call).toMatchObject({ name: "lookup", args: { count: 1 } });
    const answer: Part = {
      functionResponse: { id: call?.id ?? "", name: "lookup", response: { output: "On page 2." } },
    };
    const contents = [asked, first.candidates?.[0]?.content ?? {}, { role: "user", parts: [answer] }];
    const second = await client.models.generateContent({ model: MODEL, contents, config });
    expect(second.text).toContain("lookup answered “On page 2.”");
  });

  it("SIM-8 takes the SDK's resumable upload, and reads the uploaded PDF", async () => {
    const bytes = await pdf("Service agreement", "4. Payment within 30 days.");
    const file = await client.files.upload({
      file: new Blob([bytes]),
      config: { mimeType: "application/pdf", displayName: "contract.pdf" },
    });
    expect(file).toMatchObject({
      state: "ACTIVE",
      sizeBytes: String(bytes.length),
      displayName: "contract.pdf",
    });
    const lifetime = Date.parse(file.expirationTime ?? "") - Date.parse(file.createTime ?? "");
    expect(lifetime).toBe(48 * 3_600_000);
    const parts = [
      { fileData: { fileUri: file.uri ?? "", mimeType: "application/pdf" } },
      { text: "Clause 4?" },
    ];
    const response = await client.models.generateContent({
      model: MODEL,
      contents: [{ role: "user", parts }],
    });
    expect(response.text).toContain("contract.pdf, application/pdf");
    expect(response.text).toContain("Service agreement");
    expect(response.text).toContain("4. Payment within 30 days.");
  });

  it("SIM-8 takes an upload in several chunks", async () => {
    const bytes = Buffer.alloc(9 * 1024 * 1024, 65);
    const file = await client.files.upload({ file: new Blob([bytes]), config: { mimeType: "text/plain" } });
    expect(file.sizeBytes).toBe(String(bytes.length));
  });

  it("SIM-8 takes no file above 2 GB, and none whose size is not the announced one", async () => {
    const start = (bytes: number) =>
      fetch(`${simulator.baseUrls.google}/upload/v1beta/files`, {
        method: "POST",
        headers: {
          "x-goog-api-key": "test",
          "x-goog-upload-protocol": "resumable",
          "x-goog-upload-command": "start",
          "x-goog-upload-header-content-length": String(bytes),
          "x-goog-upload-header-content-type": "video/mp4",
        },
      });
    expect((await start(2 * 1024 ** 3 + 1)).status).toBe(400);
    const url = (await start(5)).headers.get("x-goog-upload-url") ?? "";
    const headers = { "x-goog-upload-command": "upload, finalize", "x-goog-upload-offset": "0" };
    expect((await fetch(url, { method: "POST", headers, body: "four" })).status).toBe(400);
    expect((await fetch(url, { method: "POST", headers, body: "five!" })).status).toBe(404);
  });

  it("SIM-40 looks at a new file as long as it is told to, and lets no call use it before", async () => {
    await using slow = await startSimulator({ fileProcessing: { milliseconds: 60_000 } });
    const own = new GoogleGenAI({ apiKey: "test", httpOptions: { baseUrl: slow.baseUrls.google } });
    const {
      name = "",
      uri = "",
      state,
    } = await own.files.upload({
      file: new Blob(["clip"]),
      config: { mimeType: "audio/wav" },
    });
    expect(state).toBe("PROCESSING");
    const parts = [{ fileData: { fileUri: uri, mimeType: "audio/wav" } }, { text: "?" }];
    const ask = () => own.models.generateContent({ model: MODEL, contents: [{ role: "user", parts }] });
    await expect(ask()).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("FAILED_PRECONDITION"),
    });
    slow.advanceClock(60_000);
    expect((await own.files.get({ name })).state).toBe("ACTIVE");
    await expect(ask()).resolves.toHaveProperty("text");
  });

  it("SIM-9 answers 403 for a file that is dead, deleted or of another key", async () => {
    const upload = () =>
      client.files.upload({ file: new Blob(["text"]), config: { mimeType: "text/plain" } });
    const ask = (own: GoogleGenAI, uri: string | undefined) =>
      own.models.generateContent({
        model: MODEL,
        contents: [
          {
            role: "user",
            parts: [{ fileData: { fileUri: uri ?? "", mimeType: "text/plain" } }, { text: "?" }],
          },
        ],
      });
    const forbidden = { status: 403, message: expect.stringContaining("PERMISSION_DENIED") };
    const expired = await upload();
    simulator.advanceClock(48 * 3_600_000 + 1);
    await expect(ask(client, expired.uri)).rejects.toMatchObject(forbidden);
    await expect(client.files.get({ name: expired.name ?? "" })).rejects.toMatchObject(forbidden);
    const deleted = await upload();
    await expect(client.files.get({ name: deleted.name ?? "" })).resolves.toMatchObject({
      name: deleted.name,
    });
    await client.files.delete({ name: deleted.name ?? "" });
    await expect(ask(client, deleted.uri)).rejects.toMatchObject(forbidden);
    const foreign = await upload();
    await expect(ask(clientWith("another"), foreign.uri)).rejects.toMatchObject(forbidden);
    const unknown = "https://generativelanguage.googleapis.com/v1beta/files/abc";
    await expect(ask(client, unknown)).rejects.toMatchObject(forbidden);
  });

  it("SIM-20 fails an upload where a script names its path, and no call of a model", async () => {
    simulator.script({ match: { wire: "google", path: "/upload/" }, fault: { kind: "overloaded" } });
    await client.models.generateContent({ model: MODEL, contents: "hi" });
    const upload = () => client.files.upload({ file: new Blob(["x"]), config: { mimeType: "text/plain" } });
    await expect(upload()).rejects.toMatchObject({ status: 503 });
    await expect(upload()).resolves.toMatchObject({ state: "ACTIVE" });
  });
});
