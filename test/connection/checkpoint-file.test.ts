import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeEnvelopeFile } from "../../src/connection/checkpoint-file.js";
import { parseEnvelope } from "../../src/core/envelope/parse-envelope.js";
import { serialiseEnvelope } from "../../src/core/envelope/serialise-envelope.js";
import { UsageError } from "../../src/core/errors/errors.js";
import { sampleEnvelope } from "../support/envelope-samples.js";

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-checkpoint-"));
  path = join(folder, "review.json");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const turnsIn = async (): Promise<number> =>
  parseEnvelope(await readFile(path, "utf8")).envelope.metadata.run_count;

describe("an envelope's file", () => {
  it("CON-26 is written whole, its missing folders made, and its text returned", async () => {
    path = join(folder, "deep", "er", "review.json");
    const envelope = sampleEnvelope("anthropic", 2);
    const text = await writeEnvelopeFile(path, envelope);
    expect(text).toBe(serialiseEnvelope(envelope));
    expect(await readFile(path, "utf8")).toBe(text);
  });

  it("CON-27 keeps more turns of the same conversation, says how many, and is overwritten on purpose only", async () => {
    await writeEnvelopeFile(path, sampleEnvelope("anthropic", 3));
    const write = writeEnvelopeFile(path, sampleEnvelope("anthropic", 2));
    await expect(write).rejects.toThrow(UsageError);
    await expect(write).rejects.toThrow(
      /review\.json holds 3 turns of conversation contract-review and would be replaced by 2: .*overwrite/,
    );
    expect(await turnsIn()).toBe(3);
    await writeEnvelopeFile(path, sampleEnvelope("anthropic", 2), { overwrite: true });
    expect(await turnsIn()).toBe(2);
  });

  it("CON-28 is replaced by as many or more turns, and by another conversation's envelope", async () => {
    for (const turns of [2, 2, 4]) {
      await writeEnvelopeFile(path, sampleEnvelope("anthropic", turns));
      expect(await turnsIn()).toBe(turns);
    }
    await writeEnvelopeFile(path, sampleEnvelope("anthropic", 1, { conversation_id: "copy" }));
    expect(await turnsIn()).toBe(1);
    expect(await readdir(folder)).toEqual(["review.json"]);
  });

  it("CON-29 that was edited by hand is judged by its turns, whatever its checksum", async () => {
    const edited = serialiseEnvelope(sampleEnvelope("anthropic", 3)).replace("Answer 1", "Another answer");
    await writeFile(path, edited);
    await expect(writeEnvelopeFile(path, sampleEnvelope("anthropic", 2))).rejects.toThrow("holds 3 turns");
    await writeEnvelopeFile(path, sampleEnvelope("anthropic", 3));
    expect(await turnsIn()).toBe(3);
  });

  it.each([
    ["empty", ""],
    ["blank", " \n"],
    ["cut off", serialiseEnvelope(sampleEnvelope("anthropic", 3)).slice(0, 900)],
    ["of a wrong shape", '{"schema_version": 3, "messages": 7}'],
  ])("CON-30 that is %s has nothing to lose and is replaced", async (_what, content) => {
    await writeFile(path, content);
    await writeEnvelopeFile(path, sampleEnvelope("anthropic", 1));
    expect(await turnsIn()).toBe(1);
  });

  it.each([
    ["notes", "Call Ann back.", "no envelope"],
    ["other JSON", '{"name": "holdfast", "version": "0.1.0"}', "no envelope"],
    ["a list", "[1, 2, 3]", "no envelope"],
    ["bytes", "\u0000\u0001\u0002", "no envelope"],
    ["an envelope of the future", '{"schema_version": 99, "turns": []}', "newer release"],
  ])("CON-31 that holds %s is somebody's and is kept unless told otherwise", async (_what, content, word) => {
    await writeFile(path, content);
    const write = writeEnvelopeFile(path, sampleEnvelope("anthropic", 1));
    await expect(write).rejects.toThrow(UsageError);
    await expect(write).rejects.toThrow(word);
    expect(await readFile(path, "utf8")).toBe(content);
    await writeEnvelopeFile(path, sampleEnvelope("anthropic", 1), { overwrite: true });
    expect(await turnsIn()).toBe(1);
  });

  it("CON-32 is never a folder or a device, and none of them is read", async () => {
    await mkdir(path);
    for (const place of [path, "/dev/zero"]) {
      await expect(writeEnvelopeFile(place, sampleEnvelope("anthropic", 1))).rejects.toThrow(UsageError);
    }
  });

  it("CON-33 stays as it was when the envelope cannot be written", async () => {
    await writeEnvelopeFile(path, sampleEnvelope("anthropic", 1));
    const before = await readFile(path, "utf8");
    const broken = sampleEnvelope("anthropic", 2, { host_note: Number.NaN });
    await expect(writeEnvelopeFile(path, broken)).rejects.toThrow("host_note");
    expect(await readFile(path, "utf8")).toBe(before);
  });
});
