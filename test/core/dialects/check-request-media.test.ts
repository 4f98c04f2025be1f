import { describe, expect, it } from "vitest";
import { takesAttachment } from "../../../src/core/dialects/attachment-types.js";
import { attachmentRefusal, type FileReader } from "../../../src/core/dialects/check-attachment.js";
import { type Measure, requestMediaRefusal } from "../../../src/core/dialects/check-request-media.js";
import { dialectFor } from "../../../src/core/dialects/index.js";
import type { NativeMessage } from "../../../src/core/envelope/envelope.js";
import { PROVIDER_NAMES, type ProviderName } from "../../../src/core/providers.js";

const CLAUDE: FileReader = { provider: "anthropic", model: "claude-haiku-4-5" };
const KIMI: FileReader = { provider: "fireworks", model: "accounts/fireworks/models/kimi-k3" };
const GPT: FileReader = { provider: "openai", model: "gpt-6-luna" };

const unmeasured: Measure = () => ({});

function message(provider: ProviderName, files: readonly { type: string; base64: number }[]): NativeMessage {
  const parts = files.map(({ type, base64 }, index) => ({
    mime_type: type,
    name: `file-${index}`,
    data: "A".repeat(base64),
  }));
  return dialectFor(provider).userMessage("What is this?", parts);
}

const images = (count: number, base64 = 4) =>
  Array.from({ length: count }, () => ({ type: "image/png", base64 }));

describe("the media of a whole request", () => {
  it.each([
    [CLAUDE, 100],
    [KIMI, 30],
    [GPT, 500],
  ] as const)("DIA-400 count over the history and the turn: %j takes %i images", async (reader, most) => {
    const history = message(reader.provider, images(most - 1));
    const refusalOf = (added: number) =>
      requestMediaRefusal(
        { messages: [history, message(reader.provider, images(added))], turnFrom: 1, names: [] },
        reader,
        unmeasured,
      );
    expect(await refusalOf(1)).toBeUndefined();
    expect(await refusalOf(2)).toMatchObject({
      reason: "too_large",
      error: expect.stringMatching(
        new RegExp(
          `^With its history the request has ${most + 1} images, and .* takes at most ${most} of them.*sendWindow.*fork.*rebind`,
        ),
      ),
    });
  });

  it("DIA-401 add up to what the service takes in all", async () => {
    const million = { type: "image/png", base64: 4_000_000 };
    const messages = [message("fireworks", [million, million, million])];
    expect(await requestMediaRefusal({ messages, turnFrom: 0, names: [] }, KIMI, unmeasured)).toMatchObject({
      reason: "too_large",
      error: expect.stringMatching(/12\.0 MB .* of media as base64, .* at most 10\.0 MB/),
    });
    const text = { role: "user", content: "x".repeat(31 * 1024 * 1024) };
    const large = [text, message("anthropic", [{ type: "application/pdf", base64: 4_000_000 }])];
    expect(
      await requestMediaRefusal({ messages: large, turnFrom: 1, names: [] }, CLAUDE, unmeasured),
    ).toMatchObject({
      reason: "too_large",
      error: expect.stringMatching(/at most 33\.6 MB/),
    });
  });

  it("DIA-402 name the turn's own file, and of another the place in the history with the ways on", async () => {
    const small = message("anthropic", images(1));
    const large = message("anthropic", images(1, 5 * 1024 * 1024 + 4));
    const own = await requestMediaRefusal(
      { messages: [small, large], turnFrom: 1, names: ["scan.png"] },
      CLAUDE,
      unmeasured,
    );
    expect(own?.error).toMatch(
      /^scan\.png \(image\/png\) has 5\.2 MB .* Attach a smaller one, or leave it out\.$/,
    );
    const old = await requestMediaRefusal(
      { messages: [large, small], turnFrom: 1, names: ["scan.png"] },
      CLAUDE,
      unmeasured,
    );
    expect(old?.error).toMatch(
      /^the file at messages\[0\]\.content\.0\.source\.data .* It stands in the history: fork/,
    );
  });

  it("DIA-403 are measured where their bytes tell more: pixels of images, pages of PDFs", async () => {
    const messages = [message("anthropic", [{ type: "image/png", base64: 4 }])];
    const parts = { messages, turnFrom: 0, names: ["wide.png"] };
    expect(await requestMediaRefusal(parts, CLAUDE, () => ({ pixels: 8_000 }))).toBeUndefined();
    expect((await requestMediaRefusal(parts, CLAUDE, () => ({ pixels: 8_001 })))?.error).toContain(
      "8001 pixels",
    );
    const pdf = {
      messages: [message("anthropic", [{ type: "application/pdf", base64: 4 }])],
      turnFrom: 0,
      names: [],
    };
    expect((await requestMediaRefusal(pdf, CLAUDE, () => ({ pages: 101 })))?.error).toContain(
      "at most 100 pages",
    );
    expect(
      await requestMediaRefusal(pdf, { ...CLAUDE, model: "claude-opus-5" }, () => ({ pages: 600 })),
    ).toBeUndefined();
    expect(
      (await requestMediaRefusal(pdf, { ...CLAUDE, model: "claude-opus-5" }, () => ({ pages: 601 })))?.error,
    ).toContain("600");
  });

  it("DIA-404 are not counted where a marker stands for what nobody has, nor where nothing is known of the server", async () => {
    const marker = `$media:${"0".repeat(64)}.png`;
    const parts = Array.from({ length: 31 }, () => ({ mime_type: "image/png", name: "a.png", data: marker }));
    const messages = [dialectFor("fireworks").userMessage("?", parts)];
    expect(await requestMediaRefusal({ messages, turnFrom: 0, names: [] }, KIMI, unmeasured)).toBeUndefined();
    const many = [message("compatible", images(200, 400_000))];
    const local: FileReader = { provider: "compatible", model: "local" };
    expect(
      await requestMediaRefusal({ messages: many, turnFrom: 0, names: [] }, local, unmeasured),
    ).toBeUndefined();
  });
});

describe("one file", () => {
  const file = (mime_type: string, size_bytes = 100) => ({ name: "file", mime_type, size_bytes });

  it("DIA-405 is taken by its type: each provider's media kinds", () => {
    const takers = (type: string) => PROVIDER_NAMES.filter((provider) => takesAttachment(provider, type));
    for (const type of ["image/png", "image/jpeg"]) expect(takers(type)).toEqual(PROVIDER_NAMES);
    for (const type of ["application/pdf", "text/plain", "text/markdown", "application/json", "image/webp"])
      expect(takers(type)).toEqual(["anthropic", "openai", "google"]);
    expect(takers("image/gif")).toEqual(["anthropic", "openai", "fireworks", "compatible"]);
    for (const type of ["audio/wav", "audio/mpeg", "video/mp4", "Audio/WAV; rate=8000"])
      expect(takers(type)).toEqual(["google"]);
    expect(takers("application/gzip")).toEqual([]);
    expect(attachmentRefusal(file("application/gzip"), CLAUDE)?.error).toContain(
      "No provider takes this type",
    );
  });

  it("DIA-406 is held to the limits that its size tells, at the byte", () => {
    const cases: readonly (readonly [FileReader, string, number])[] = [
      [CLAUDE, "image/png", (5 * 1024 * 1024 * 3) / 4],
      [CLAUDE, "application/pdf", (32 * 1024 * 1024 * 3) / 4],
      [GPT, "application/pdf", 50 * 1024 * 1024],
      [{ provider: "google", model: "gemini-3.5-flash" }, "application/pdf", 50 * 1024 * 1024],
      [{ provider: "google", model: "gemini-3.5-flash" }, "video/mp4", 2_000_000_000],
    ];
    for (const [reader, type, most] of cases) {
      const whole = Math.floor(most / 3) * 3;
      expect(attachmentRefusal(file(type, whole), reader), `${reader.model} ${type}`).toBeUndefined();
      expect(attachmentRefusal(file(type, most + 3), reader)).toMatchObject({ reason: "too_large" });
    }
  });
});
