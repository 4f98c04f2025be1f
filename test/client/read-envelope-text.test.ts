import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readEnvelopeText } from "../../src/client/read-envelope-text.js";
import { serialiseEnvelope } from "../../src/core/envelope/serialise-envelope.js";
import { EnvelopeDamagedError, UsageError } from "../../src/core/errors/errors.js";
import { sampleEnvelope } from "../support/envelope-samples.js";

const text = serialiseEnvelope(sampleEnvelope("anthropic", 2));
let cwd = "";
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "holdfast-read-"));
  await writeFile(join(cwd, "review.json"), text);
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

describe("reading an envelope", () => {
  it("API-24 takes the path of its file, in the client's folder or absolute, or the text itself", async () => {
    const inputs = ["review.json", join(cwd, "review.json"), text, ` \n${text}`, `\ufeff${text}`];
    for (const input of inputs) {
      const { envelope, migratedFrom } = await readEnvelopeText(input, cwd);
      expect([envelope.metadata.run_count, migratedFrom]).toEqual([2, 3]);
    }
  });

  it("API-25 gives an old envelope the id that is asked for", async () => {
    const old = JSON.stringify({
      schema_version: 1,
      provider: "anthropic",
      model: "claude-haiku-4-5",
      messages: [],
    });
    const { envelope, migratedFrom } = await readEnvelopeText(old, cwd, "review-2");
    expect([envelope.conversation_id, migratedFrom]).toEqual(["review-2", 1]);
  });

  it("API-26 refuses a path with no file, a folder or a device behind it in one line", async () => {
    for (const [path, message] of [
      ["missing.json", /missing\.json does not exist: check the path/],
      ["review.json/x", /cannot be read \(ENOTDIR\)/],
      [".", /is not a file: give the path/],
      ["/dev/zero", /is not a file/],
      ["", /is not a file/],
    ] as const) {
      const reading = readEnvelopeText(path, cwd);
      await expect(reading).rejects.toThrow(UsageError);
      await expect(reading).rejects.toThrow(message);
    }
  });

  it("API-91 refuses JSON in another encoding, whose letters would be lost", async () => {
    const latin = Buffer.from(text.replace("Question 1", "Vertr\u00e4ge"), "latin1");
    await writeFile(join(cwd, "latin.json"), latin);
    const reading = readEnvelopeText("latin.json", cwd);
    await expect(reading).rejects.toThrow(EnvelopeDamagedError);
    await expect(reading).rejects.toThrow(/^latin\.json is not UTF-8: save it in that encoding/);
    await writeFile(join(cwd, "utf8.json"), serialiseEnvelope(sampleEnvelope("anthropic", 2)), "utf8");
    await expect(readEnvelopeText("utf8.json", cwd)).resolves.toBeDefined();
    await writeFile(join(cwd, "binary.json"), Buffer.from([0xff, 0xfe, 0x5b, 0x00]));
    await expect(readEnvelopeText("binary.json", cwd)).rejects.toThrow(/binary data/);
  });

  it("API-27 names the file that is damaged", async () => {
    await writeFile(join(cwd, "cut.json"), text.slice(0, 500));
    const reading = readEnvelopeText("cut.json", cwd);
    await expect(reading).rejects.toThrow(EnvelopeDamagedError);
    await expect(reading).rejects.toThrow("cut.json");
  });
});
