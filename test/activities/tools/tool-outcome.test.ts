import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { PatientKeeper } from "../../../src/activities/tools/patient-keeper.js";
import { errorOutcome, toolOutcome } from "../../../src/activities/tools/tool-outcome.js";
import { keyOf } from "../../../src/core/media/marker.js";
import { MemoryMediaStore } from "../../../src/media-stores/memory-media-store.js";
import { PIXEL } from "../../support/test-tools.js";

const png = Buffer.from(PIXEL, "base64");
const store = new MemoryMediaStore();
const outcome = (value: unknown) => {
  const stop = new AbortController().signal;
  return toolOutcome("look", value, new PatientKeeper({ store, withinMs: 10_000, stop }));
};

const image = (name: string) => ({
  marker: expect.stringMatching(/^\$media:[0-9a-f]{64}\.png$/),
  mime_type: "image/png",
  size_bytes: png.length,
  name,
});

describe("what a tool has returned", () => {
  it.each([
    ["a text", "found", "found"],
    ["nothing", undefined, ""],
    ["null", null, ""],
    ["a number", 7, 7],
    ["an object", { a: [1, { b: null }] }, { a: [1, { b: null }] }],
    ["a list", [1, "two"], [1, "two"]],
    ["an empty list", [], []],
    ["what has a JSON form of its own", { at: new Date(0) }, { at: "1970-01-01T00:00:00.000Z" }],
    ["an object with a list of what are no files", { files: [1] }, { files: [1] }],
  ])("TOL-7 goes to the model as it is: %s", async (_what, value, output) => {
    expect(await outcome(value)).toEqual({ output, is_error: false });
  });

  it.each([
    ["bytes", png, "", "look-1"],
    ["a Blob", new Blob([png]), "", "look-1"],
    ["a File", new File([png], "a.png"), "", "a.png"],
    ["bytes with a name", { name: "a.png", data: png }, "", "a.png"],
    ["files", { files: [{ name: "a.png", data: png }] }, "", "a.png"],
    ["files with a text", { text: "Here.", files: [png] }, "Here.", "look-1"],
    ["files with a value", { count: 1, files: [png] }, { count: 1 }, "look-1"],
    [
      "a list of contents",
      [
        { type: "text", text: "One" },
        { type: "text", text: "two" },
        { type: "image", data: PIXEL, mimeType: "image/png" },
      ],
      "One\ntwo",
      "look-1",
    ],
  ])("TOL-7 puts files into the working store: %s", async (_what, value, output, name) => {
    const found = await outcome(value);
    expect(found).toEqual({ output, is_error: false, files: [image(name)] });
    const key = keyOf(found.files?.[0]?.marker ?? "") ?? "";
    expect(Buffer.from((await store.get(key)) ?? [])).toEqual(png);
  });

  it("TOL-7 gives a text file to the model as text", async () => {
    const files = [
      { name: "a.csv", data: "x,y\n1,2" },
      { name: "b.txt", data: Buffer.from("späte Post") },
    ];
    expect(await outcome({ files })).toEqual({
      output: "a.csv:\nx,y\n1,2\n\nb.txt:\nspäte Post",
      is_error: false,
    });
  });

  it.each([
    ["XML", '<?xml version="1.0"?>\n<a b="c"/>', "application/xml"],
    ["a calendar", 'BEGIN:VCALENDAR\nSUMMARY:"Now"\n', "text/calendar"],
  ])(
    "ENV-60 knows how long the text of %s is inside JSON, for wires that carry it as text",
    async (_what, text, mime_type) => {
      const { files } = await outcome(Buffer.from(text));
      const json_bytes = Buffer.byteLength(JSON.stringify(text)) - 2;
      expect(files).toMatchObject([{ mime_type, size_bytes: text.length, json_bytes }]);
    },
  );

  it("TOL-8 says so where JSON cannot hold it", async () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    expect((await outcome(circle)).output).toMatch(/^\[The result of look cannot be written as JSON: /);
    expect((await outcome(() => 1)).output).toBe("[look returned a function, which is no JSON]");
    expect((await outcome({ count: 7n, seen: new Set([1]), by: new Map([["a", 2]]) })).output).toEqual({
      count: "7",
      seen: [1],
      by: { a: 2 },
    });
  });

  it("TOL-8 tells the size of bytes that lie inside a value, without a look at each", async () => {
    const bytes = Buffer.alloc(2_000_000);
    let looked = 0;
    Object.defineProperty(bytes, "toJSON", { value: () => ++looked });
    const value = {
      name: "a",
      content: bytes,
      all: [bytes, 1],
      by: new Map([["k", new Uint8Array(3).buffer]]),
    };
    expect((await outcome(value)).output).toEqual({
      name: "a",
      content: "[2000000 bytes]",
      all: ["[2000000 bytes]", 1],
      by: { k: "[3 bytes]" },
    });
    expect(looked).toBe(0);
    expect((await outcome(new ArrayBuffer(5))).output).toBe("[5 bytes]");
  });

  it("TOL-8 walks no more than 32 MiB of a value", async () => {
    const text = "x".repeat(1024 * 1024);
    expect((await outcome(Array.from({ length: 40 }, () => text))).output).toMatch(
      /^\[The result of look cannot be written as JSON: it is larger than 33554432 bytes\]$/,
    );
  });

  it.each([
    ["a stream of Node", Readable.from(["a"])],
    ["a stream of the web", new Blob(["a"]).stream()],
    ["an async generator", (async function* () {})()],
    ["a generator", (function* () {})()],
  ])("TOL-8 says so of what would have to be read first: %s", async (_what, value) => {
    expect((await outcome(value)).output).toMatch(
      /^\[look returned a stream or a generator, which was not read/,
    );
    expect((await outcome({ body: value })).output).toEqual({ body: "[a stream or a generator]" });
  });

  it("TOL-8 keeps as text what no envelope could hold", async () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 300; depth++) deep = [deep];
    expect(typeof (await outcome(deep)).output).toBe("string");
    expect((await outcome(JSON.parse('{"__proto__": 1}'))).output).toBe('{"__proto__":1}');
  });

  it("TOL-15 is cut above 256 KiB, never within a character, and kept whole in the store", async () => {
    expect((await outcome("x".repeat(256 * 1024))).stored).toBeUndefined();
    const whole = "ä".repeat(200_000);
    const { output, stored } = await outcome(`x${whole}`);
    expect(output).toMatch(/^xä+\n\[cut: the first 65536 of 400001 bytes of what look returned\]$/);
    expect(stored).toMatchObject({ mime_type: "text/plain", size_bytes: 400_001, name: "look.txt" });
    const bytes = await store.get(keyOf(stored?.marker ?? "") ?? "");
    expect(new TextDecoder().decode(bytes)).toBe(`x${whole}`);
  });

  it("TOL-10 is an error in a bounded line without secrets where it was thrown", () => {
    const { output, is_error } = errorOutcome(`Bad key sk-abcdefghijkl\n${"x".repeat(10_000)}`);
    expect(is_error).toBe(true);
    expect(output).toMatch(/^Error: Bad key \[redacted\] x+/);
    expect(Buffer.byteLength(String(output))).toBeLessThanOrEqual(2_060);
  });
});
