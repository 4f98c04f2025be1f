import { createRequire } from "node:module";
import { DefaultPayloadConverter, type Payload, type PayloadConverter } from "@temporalio/common";
import { describe, expect, it } from "vitest";
import { builtFile } from "../../src/connection/built-file.js";

const theirs: PayloadConverter = new DefaultPayloadConverter();
const converter: PayloadConverter = createRequire(import.meta.url)(
  builtFile("connection/payload-converter.cjs"),
).payloadConverter;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const json = (data: Uint8Array): Payload => ({ metadata: { encoding: bytes("json/plain") }, data });

describe("the payload converter", () => {
  it.each([
    undefined,
    null,
    "",
    0,
    "Grüße, “Welt” — 東京 🙂",
    "half a pair: \ud83d",
    "\ufeffmark",
    { list: [1, "2", { deep: null }], left: undefined },
    new Uint8Array([1, 2, 255]),
    "long ".repeat(50_000),
  ])("CON-331 writes what Temporal's own would, and reads it: %#", (value) => {
    const payload = theirs.toPayload(value);
    expect(converter.toPayload(value)).toEqual(payload);
    expect(converter.fromPayload(payload)).toEqual(theirs.fromPayload(payload));
  });

  it.each([
    ["a byte order mark", new Uint8Array([0xef, 0xbb, 0xbf, 0x31])],
    ["half a number", bytes("[1")],
    ["no text", new Uint8Array([0x22, 0xff])],
  ])("WFL-20 reads %s as undecodable, which Temporal's own refuses", (_what, data) => {
    expect(() => theirs.fromPayload(json(data))).toThrow();
    expect(converter.fromPayload(json(data))).toMatchObject({ holdfast_undecodable: true });
  });

  it("CON-331 reads bytes that are no UTF-8 as Temporal's own does", () => {
    const data = new Uint8Array([0x22, 0x61, 0xff, 0xe2, 0x82, 0x22]);
    expect(converter.fromPayload(json(data))).toBe("a\ufffd\ufffd");
  });
});
