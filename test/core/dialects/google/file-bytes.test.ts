import { describe, expect, it } from "vitest";
import { convertHistory } from "../../../../src/core/dialects/convert.js";
import { convertEnvelope } from "../../../../src/core/envelope/convert-envelope.js";
import type { Envelope, MediaEntry, NativeMessage } from "../../../../src/core/envelope/envelope.js";
import { textToBase64 } from "../../../../src/core/media/base64-text.js";
import { dialectOf, type ProviderName } from "../../../../src/core/providers.js";
import { SAMPLE_MODELS, sampleEnvelope } from "../../../support/envelope-samples.js";
import { deepFreeze } from "../deep-freeze.js";

const uri = (name: string): string => `https://generativelanguage.googleapis.com/v1beta/files/${name}`;
const sha = (digit: string): string => digit.repeat(64);
const file = (name: string, mimeType: string): { fileData: { fileUri: string; mimeType: string } } => ({
  fileData: { fileUri: uri(name), mimeType },
});

const MEDIA: Readonly<Record<string, MediaEntry>> = {
  [sha("1")]: { mime_type: "image/png", size_bytes: 8, uri: uri("png"), data: "iVBORw0KGgo=" },
  [sha("2")]: {
    mime_type: "application/pdf",
    size_bytes: 8,
    uri: uri("pdf"),
    name: "plan.pdf",
    expiration_time: "2026-02-01T00:00:00.000Z",
    ref: `${sha("2")}.pdf`,
  },
  [sha("3")]: { mime_type: "text/plain", size_bytes: 5, uri: uri("txt"), data: textToBase64("hello") },
  [sha("4")]: { mime_type: "image/png", size_bytes: 5, uri: uri("gone") },
};

const HISTORY: readonly NativeMessage[] = deepFreeze([
  {
    role: "user",
    parts: [
      file("png", "image/png"),
      file("pdf", "application/pdf"),
      file("txt", "text/plain"),
      { text: "See." },
    ],
  },
  { role: "model", parts: [{ functionCall: { id: "c1", name: "shot", args: {} } }] },
  {
    role: "user",
    parts: [
      {
        functionResponse: {
          id: "c1",
          name: "shot",
          response: { output: "done" },
          parts: [{ ...file("png", "image/png") }],
        },
      },
    ],
  },
  { role: "model", parts: [{ text: "Seen." }] },
]);

function envelopeOf(messages: readonly NativeMessage[], media: Envelope["media"] = MEDIA): Envelope {
  return { ...sampleEnvelope("google", 2), messages, media };
}

function moved(envelope: Envelope, provider: ProviderName): Envelope {
  return convertEnvelope(envelope, { provider, model: SAMPLE_MODELS[provider] });
}

describe("files of the Files API", () => {
  it("DIA-313 cross with the bytes that the media table has, or with the marker for them", () => {
    const { messages, conversion_report: report } = moved(envelopeOf(HISTORY), "openai");
    expect(messages[0]?.content).toEqual([
      { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=", detail: "auto" },
      {
        type: "input_file",
        filename: "plan.pdf",
        file_data: `data:application/pdf;base64,$media:${sha("2")}.pdf`,
      },
      { type: "input_text", text: "hello" },
      { type: "input_text", text: "See." },
    ]);
    expect(messages[2]?.output).toEqual([
      { type: "input_text", text: "done" },
      { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=", detail: "auto" },
    ]);
    expect(report.map(({ kind, artefact }) => `${kind} ${artefact}`)).toEqual(["textified document"]);
  });

  it.each(["anthropic", "openai", "fireworks"] as const)(
    "DIA-313 cross to %s as inline data would, and come back as the files that they were",
    (provider) => {
      const inline = HISTORY.map((message) =>
        JSON.parse(
          JSON.stringify(message)
            .replaceAll(
              JSON.stringify(file("png", "image/png")).slice(1, -1),
              '"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}',
            )
            .replaceAll(
              JSON.stringify(file("pdf", "application/pdf")).slice(1, -1),
              `"inlineData":{"mimeType":"application/pdf","data":"$media:${sha("2")}.pdf","displayName":"plan.pdf"}`,
            )
            .replaceAll(
              JSON.stringify(file("txt", "text/plain")).slice(1, -1),
              `"inlineData":{"mimeType":"text/plain","data":"${textToBase64("hello")}"}`,
            ),
        ),
      );
      const there = moved(envelopeOf(HISTORY), provider);
      const plain = convertHistory({ from: "google", to: dialectOf(provider), messages: inline });
      expect(there.messages).toEqual(plain.messages);
      expect(there.conversion_report).toEqual(plain.report);
      const back = moved(there, "google");
      expect(JSON.stringify(back.messages)).toBe(JSON.stringify(HISTORY));
      expect(back.conversion_report).toEqual([]);
      const withoutTable = moved({ ...there, media: {} }, "google");
      expect(JSON.stringify(withoutTable.messages)).toBe(JSON.stringify(HISTORY));
    },
  );

  it("DIA-313 are dropped and reported where nobody has their bytes", () => {
    const messages = [{ role: "user", parts: [file("gone", "image/png"), file("unheard", "image/png")] }];
    const there = moved(envelopeOf(messages), "anthropic");
    expect(there.conversion_report.map(({ kind, artefact }) => `${kind} ${artefact}`)).toEqual([
      "dropped file-ref",
      "dropped file-ref",
      "added placeholder",
    ]);
    expect(JSON.stringify(moved(there, "google").messages)).toBe(JSON.stringify(messages));
  });

  it("DIA-313 keep their fields: what stands beside them is read as it is beside inline data", () => {
    const part = { ...file("png", "image/png"), videoMetadata: { fps: 1 } };
    const there = moved(envelopeOf([{ role: "user", parts: [part] }]), "anthropic");
    expect(there.conversion_report.map(({ artefact, detail }) => [artefact, detail])).toEqual([
      ["metadata", "parts[0].videoMetadata"],
    ]);
  });
});
