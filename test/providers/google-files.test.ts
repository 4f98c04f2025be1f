import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createGoogleProvider } from "../../src/providers/google.js";
import { createGoogleFiles } from "../../src/providers/google-files.js";
import type { FileUpload, ProviderFiles } from "../../src/providers/provider.js";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.js";

const MIB = 1024 * 1024;
const never = new AbortController().signal;

let simulator: Simulator;
let files: ProviderFiles;
beforeAll(async () => {
  simulator = await startSimulator();
  files = filesOf(simulator);
});
beforeEach(() => simulator.reset());
afterAll(() => simulator.close());

function filesOf({ baseUrls }: Simulator, apiKey = "test"): ProviderFiles {
  const provider = createGoogleProvider({ apiKey, baseUrl: baseUrls.google, simulated: true });
  if (provider.files === undefined) throw new Error("The provider keeps no files.");
  return provider.files;
}

async function* chunks(count: number, size: number): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < count; index += 1) yield new Uint8Array(size).fill(65 + (index % 26));
}

function upload(change: Partial<FileUpload> = {}): FileUpload {
  return { name: "notes.txt", mime_type: "text/plain", size_bytes: 10, open: () => chunks(2, 5), ...change };
}

const uploadCalls = () => simulator.calls.filter(({ path }) => path.startsWith("/upload/"));

describe("Google's Files API", () => {
  it("PRV-110 takes a file with its name and type, and says where it is and until when", async () => {
    const before = Date.now();
    const { uri, expiration_time } = await files.upload(upload({ name: "Vertrag 😀.txt" }), never);
    const life = Date.parse(expiration_time) - before;
    expect(life).toBeGreaterThan(47 * 3_600_000);
    expect(life).toBeLessThan(49 * 3_600_000);
    const stored = await fetch(uri, { headers: { "x-goog-api-key": "test" } });
    expect(await stored.json()).toMatchObject({
      displayName: "Vertrag 😀.txt",
      mimeType: "text/plain",
      sizeBytes: "10",
      state: "ACTIVE",
    });
  });

  it("PRV-111 is sent a large file in pieces, each read when it is its turn", async () => {
    let read = 0;
    let most = 0;
    async function* source(): AsyncGenerator<Uint8Array> {
      for await (const chunk of chunks(20, MIB)) {
        read += chunk.byteLength;
        most = Math.max(most, read - 8 * MIB * (uploadCalls().length - 1));
        yield chunk;
      }
    }
    await files.upload(upload({ size_bytes: 20 * MIB, open: source }), never);
    expect(uploadCalls().map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(most).toBeLessThanOrEqual(9 * MIB);
  });

  it("PRV-112 fails with what reading the file throws, and closes it", async () => {
    let closed = 0;
    async function* damaged(): AsyncGenerator<Uint8Array> {
      try {
        yield new Uint8Array(5);
        throw new RangeError("The blob is damaged.");
      } finally {
        closed += 1;
      }
    }
    await expect(files.upload(upload({ open: damaged }), never)).rejects.toThrow(RangeError);
    expect(closed).toBe(1);
  });

  it("PRV-112 fails for a file that is shorter or longer than its recorded size", async () => {
    await expect(files.upload(upload({ size_bytes: 11 }), never)).rejects.toThrow("ends 1 bytes before");
    await expect(files.upload(upload({ size_bytes: 9 }), never)).rejects.toThrow(
      "larger than its recorded 9",
    );
  });

  it("PRV-113 waits until the service has looked at the file, and fails as refused where it cannot use it", async () => {
    await using slow = await startSimulator({ fileProcessing: { milliseconds: 300 } });
    await files.upload(upload(), never);
    const { uri } = await filesOf(slow).upload(upload(), never);
    const stored = await fetch(uri, { headers: { "x-goog-api-key": "test" } });
    expect(await stored.json()).toMatchObject({ state: "ACTIVE" });
    await using broken = await startSimulator({ fileProcessing: { milliseconds: 100, fails: true } });
    await expect(filesOf(broken).upload(upload({ name: "clip.wav" }), never)).rejects.toMatchObject({
      kind: "attachment_refused",
      message: expect.stringContaining("clip.wav could not be processed"),
    });
  });

  it("PRV-113 stops waiting when it is aborted", async () => {
    await using slow = await startSimulator({ fileProcessing: { milliseconds: 3_600_000 } });
    const stop = new AbortController();
    const uploading = filesOf(slow).upload(upload(), stop.signal);
    await slow.waitForCall(({ method }) => method === "GET");
    stop.abort(new Error("stopped"));
    await expect(uploading).rejects.toThrow("stopped");
  });

  it("PRV-126 gives up on a file that stays in processing: an upload is refused, one that a history names is of no use", async () => {
    await using slow = await startSimulator({ fileProcessing: { milliseconds: 3_600_000 } });
    const endpoint = { apiKey: "test", baseUrl: slow.baseUrls.google };
    const impatient = createGoogleFiles({ ...endpoint, patience: { uploadMs: 100, askMs: 100 } });
    await expect(impatient.upload(upload({ name: "clip.mp4" }), never)).rejects.toMatchObject({
      kind: "attachment_refused",
      message: expect.stringContaining("clip.mp4 is still being processed by the service after 0.1 seconds"),
    });
    const listed = await fetch(`${slow.baseUrls.google}/v1beta/files`, {
      headers: { "x-goog-api-key": "test" },
    });
    const { files: known } = (await listed.json()) as {
      readonly files?: readonly { readonly uri: string }[];
    };
    const [{ uri } = { uri: "" }] = known ?? [];
    expect(uri).toContain("/files/");
    expect(await impatient.isUsable(uri, never)).toBe(false);
  });

  it("PRV-114 tells a file that is alive from one that is dead, of another key, or behind another address", async () => {
    const { uri } = await files.upload(upload(), never);
    expect(await files.isUsable(uri, never)).toBe(true);
    expect(await filesOf(simulator, "another").isUsable(uri, never)).toBe(false);
    expect(await files.isUsable(uri.replace("127.0.0.1", "files.example.org"), never)).toBe(false);
    expect(await files.isUsable("https://example.org/clip.wav", never)).toBe(false);
    expect(await files.isUsable(uri.replace(/[^/]+$/, ".."), never)).toBe(false);
    const refused = { kind: "status", status: 400, message: "Invalid file name" } as const;
    simulator.script({ match: { path: "/files/" }, fault: refused });
    expect(await files.isUsable(uri, never)).toBe(false);
    simulator.advanceClock(48 * 3_600_000);
    expect(await files.isUsable(uri, never)).toBe(false);
  });

  it("PRV-115 fails classified, with the wait that the service asked for and without the key", async () => {
    const fault = { kind: "status", status: 429, retryAfter: 3 } as const;
    simulator.script({
      match: { path: "/upload/" },
      fault: { ...fault, message: "slow down, test-key-1234567" },
    });
    const failed = filesOf(simulator, "test-key-1234567").upload(upload(), never);
    const failure = await failed.catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: "rate_limited", retryAfterMs: 3_000 });
    expect(String(failure)).not.toContain("test-key");
    simulator.script({ match: { path: "/files/" }, fault: { kind: "status", status: 500 } });
    const { uri } = await files.upload(upload(), never);
    await expect(files.isUsable(uri, never)).rejects.toMatchObject({ kind: "server_error" });
  });
});
