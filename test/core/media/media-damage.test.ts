import { describe, expect, it } from "vitest";
import { readBytes, readRanges } from "../../../src/core/media/byte-reading.js";
import { hasSignature, mediaDamage } from "../../../src/core/media/media-damage.js";
import * as sample from "../../support/whole-files.js";

const damageOf = (type: string, bytes: Uint8Array): string | undefined =>
  readBytes(mediaDamage(type, bytes.byteLength), bytes);

const bytesOf = (...parts: readonly (string | Uint8Array)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : part)));

const WHOLE: readonly (readonly [type: string, bytes: Buffer])[] = [
  ["image/png", sample.PNG],
  ["image/jpeg", sample.JPEG],
  ["image/gif", sample.GIF],
  ["image/webp", sample.WEBP],
  ["application/pdf", sample.smallPdf()],
  ["audio/wav", sample.wav()],
  ["audio/mpeg", sample.mp3()],
  ["video/mp4", sample.mp4()],
  ["audio/mp4", sample.mp4()],
  ["video/quicktime", sample.mp4()],
];

describe("whether a file is whole", () => {
  it.each(WHOLE)("MED-120 passes a whole file of %s", (type, bytes) => {
    expect(hasSignature(type)).toBe(true);
    expect(damageOf(type, bytes)).toBeUndefined();
  });

  it.each(WHOLE)("MED-121 tells a file of %s that is cut off, at whatever place", (type, bytes) => {
    // Sound in frames is whole wherever it ends; of what is behind the last mark nothing is missing.
    const last = type === "audio/mpeg" ? 20 : bytes.length - (type === "application/pdf" ? 2 : 1);
    const pieces = Array.from({ length: 40 }, (_, step) => Math.floor((last * step) / 39));
    for (const length of new Set(pieces)) {
      expect(damageOf(type, bytes.subarray(0, length)), `${type} cut to ${length}`).toMatch(/^it /);
    }
  });

  it.each(WHOLE)("MED-122 tells bytes that are not of the type %s", (type) => {
    expect(damageOf(type, bytesOf("Clause 4. Payment is due in thirty days."))).toMatch(/^it /);
    expect(damageOf(type, new Uint8Array())).toMatch(/^it /);
  });

  it("MED-123 passes what writers leave behind, before and inside a whole file", () => {
    expect(damageOf("image/png", bytesOf(sample.PNG, "left behind"))).toBeUndefined();
    expect(damageOf("image/gif", bytesOf(sample.GIF, "\0\0\r\n"))).toBeUndefined();
    expect(damageOf("application/pdf", bytesOf("\n\n", sample.smallPdf(), "\r\n  "))).toBeUndefined();
    expect(damageOf("audio/mpeg", bytesOf(sample.mp3(), "TAG"))).toBeUndefined();
    // A film behind the picture, as telephones write it.
    expect(damageOf("image/jpeg", bytesOf(sample.JPEG, new Uint8Array(600_000)))).toBeUndefined();
  });

  it("MED-124 takes an embedded preview's end for the picture's in no JPEG", () => {
    const preview = bytesOf("\xff\xe1\x00\x06\xff\xd8\xff\xd9");
    const whole = bytesOf(sample.JPEG.subarray(0, 2), preview, sample.JPEG.subarray(2));
    expect(damageOf("image/jpeg", whole)).toBeUndefined();
    expect(damageOf("image/jpeg", whole.subarray(0, -2))).toContain("end of its picture");
  });

  it("MED-125 takes sound whose writer did not know its length, and chunks it does not know", () => {
    expect(damageOf("audio/wav", sample.wav(400, 0xffffffff))).toBeUndefined();
    expect(damageOf("audio/wav", sample.wav(400, 0))).toBeUndefined();
    expect(damageOf("audio/wav", sample.wav(400, 1_000))).toBe(
      "it is cut off: 600 of 1000 bytes are missing",
    );
    const listed = bytesOf(sample.wav().subarray(0, 36), "LIST\x03\0\0\0abc\0", sample.wav().subarray(36));
    expect(damageOf("audio/wav", listed)).toBeUndefined();
  });

  it("MED-126 follows films of any length: in fragments, with sizes of 64 bits, to the end of the file", () => {
    const start = sample.box("ftyp", Buffer.from("isom\0\0\0\0isom"));
    const long = bytesOf("\0\0\0\x01mdat\0\0\0\0\0\0\0\x18", new Uint8Array(8));
    expect(damageOf("video/mp4", bytesOf(start, sample.box("moof"), sample.box("mdat")))).toBeUndefined();
    expect(damageOf("video/mp4", bytesOf(start, sample.box("moov"), long))).toBeUndefined();
    expect(
      damageOf("video/mp4", bytesOf(start, sample.box("moov"), "\0\0\0\0mdat", new Uint8Array(99))),
    ).toBeUndefined();
    expect(damageOf("video/mp4", bytesOf(start, sample.box("mdat")))).toContain("table of contents");
    expect(damageOf("video/mp4", bytesOf(start, sample.box("moov"), long.subarray(0, -1)))).toContain(
      "1 bytes",
    );
  });

  it("MED-127 knows nothing of other types and lets them pass", () => {
    for (const type of ["text/plain", "audio/flac", "application/zip", "constructor"]) {
      expect(hasSignature(type)).toBe(false);
      expect(damageOf(type, new Uint8Array([1, 2, 3]))).toBeUndefined();
    }
    expect(damageOf("Image/PNG; q=1", new Uint8Array([1, 2, 3]))).toContain("PNG");
  });

  it("MED-128 reads little of a file, however large it is", async () => {
    const bytes = sample.pngOfSize(3_000_000);
    let read = 0;
    const damage = await readRanges(mediaDamage("image/png", bytes.length), async ({ position, length }) => {
      const piece = bytes.subarray(position, position + length);
      read += piece.length;
      return piece;
    });
    expect(damage).toBeUndefined();
    expect(read).toBeLessThan(100_000);
  });
});
