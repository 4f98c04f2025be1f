import { describe, expect, it } from "vitest";
import { assertFilesTaken, assertRequestTaken } from "../../src/activities/request-limits.js";
import { pdfPages } from "../../src/connection/pdf-pages.js";
import type { FileReader } from "../../src/core/dialects/check-attachment.js";
import { dialectFor } from "../../src/core/dialects/index.js";
import { pdfOf } from "../support/pdf.js";
import * as sample from "../support/whole-files.js";

const CLAUDE: FileReader = { provider: "anthropic", model: "claude-haiku-4-5" };
const thrown = async (call: () => void | Promise<void>): Promise<unknown> => {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe("the limits of a request on the worker", () => {
  it("ACT-130 refuse the turn with the reason, naming the file, before anything is called", async () => {
    const marker = {
      marker: `$media:${"0".repeat(64)}.wav`,
      mime_type: "audio/wav",
      size_bytes: 9,
      name: "clip.wav",
    };
    expect(await thrown(() => assertFilesTaken([marker], CLAUDE))).toMatchObject({
      type: "turn.refused",
      nonRetryable: true,
      details: ["attachment"],
      message: expect.stringContaining("clip.wav"),
    });
    const endpoints = { anthropic: ["audio/*"] };
    expect(() => assertFilesTaken([marker], { ...CLAUDE, endpoints })).not.toThrow();
  });

  it("ACT-131 look into the bytes: pixels of an image, pages of a PDF", async () => {
    const requestOf = (name: string, mime_type: string, bytes: Buffer) => ({
      messages: [
        dialectFor("anthropic").userMessage("?", [{ name, mime_type, data: bytes.toString("base64") }]),
      ],
      turnFrom: 0,
      names: [name],
    });
    expect(
      await thrown(() =>
        assertRequestTaken(requestOf("wide.png", "image/png", sample.pngOf(9_000, 2)), CLAUDE),
      ),
    ).toMatchObject({
      details: ["too_large"],
      message: expect.stringMatching(/^wide\.png .* 9000 pixels/),
    });
    expect(
      await thrown(() =>
        assertRequestTaken(requestOf("long.pdf", "application/pdf", sample.smallPdf(200)), CLAUDE),
      ),
    ).toMatchObject({
      message: expect.stringMatching(/^long\.pdf .* 200 pages/),
    });
    await assertRequestTaken(requestOf("dot.png", "image/png", sample.PNG), CLAUDE);
    await assertRequestTaken(requestOf("broken.png", "image/png", Buffer.from("none")), CLAUDE);
  });

  it("ACT-132 count the pages of a PDF by its page tree, also a linearized one's, and know nothing of a compressed tree", async () => {
    expect(await pdfPages(await pdfOf("Clause 4."))).toBe(1);
    expect(await pdfPages(sample.smallPdf(37))).toBe(37);
    const nested =
      "<< /Type /Pages /Count 3 >> endobj 5 0 obj << /Count 40 /Type /Pages /Kids [] >> endobj << /Type /Outlines /Count 90 >>";
    expect(await pdfPages(Buffer.from(`%PDF-1.4 4 0 obj ${nested}`))).toBe(40);
    expect(
      await pdfPages(Buffer.from("%PDF-1.5\n1 0 obj\n<</Linearized 1/L 900/O 3/E 800/N 12/T 700>>\nendobj")),
    ).toBe(12);
    expect(await pdfPages(Buffer.from("%PDF-1.5\n1 0 obj\n<</Type/ObjStm/N 4>>\nendobj"))).toBeUndefined();
  });

  // Was quadratic: the smaller of these files took seconds. The test's own bound is a thousand times what a pass needs.
  it("ACT-192 count the pages of a PDF in one pass, and let others have their turn meanwhile", {
    timeout: 20_000,
  }, async () => {
    const spaces = " ".repeat(100_000);
    for (const token of [
      "/Type /Pages        ",
      "/Type",
      " obj",
      "/Count ",
      `/Type${spaces}`,
      `/Count${spaces}`,
    ]) {
      const many = token.repeat(Math.ceil(4_000_000 / token.length));
      expect(await pdfPages(Buffer.from(`%PDF-1.4\n${many}\n%%EOF\n`))).toBeUndefined();
    }
    let turns = 0;
    const counting = setInterval(() => turns++, 0);
    const root = " 4 0 obj <</Type /Pages /Count 12>> endobj";
    const large = Buffer.concat([Buffer.alloc(8 * 512 * 1024 - 20, "x"), Buffer.from(root)]);
    expect(await pdfPages(large)).toBe(12);
    clearInterval(counting);
    expect(turns).toBeGreaterThan(1);
    expect(await pdfPages(Buffer.alloc(50 * 1024 * 1024 + 1))).toBeUndefined();
  });
});
