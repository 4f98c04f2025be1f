import { describe, expect, it } from "vitest";
import { readHistory } from "../../../../src/core/dialects/google/read-history.js";
import type { PivotEntry, ReadHistory } from "../../../../src/core/dialects/pivot.js";
import type { JsonObject } from "../../../../src/core/json.js";
import { deepFreeze } from "../deep-freeze.js";

const PIXEL = { mimeType: "image/png", data: "iVBORw0KGgo=" };

function read(...contents: readonly JsonObject[]): ReadHistory {
  return readHistory(deepFreeze([...contents]));
}

const user = (...parts: readonly JsonObject[]): JsonObject => ({ role: "user", parts });
const model = (...parts: readonly JsonObject[]): JsonObject => ({ role: "model", parts });

/** Kind, artefact, index and detail of what was reported, one line each. */
function reported({ report }: ReadHistory): readonly string[] {
  return report.map(({ kind, artefact, index, detail }) => [kind, artefact, index, detail].join(" ").trim());
}

/** The entries without their origins: what was said. */
function said({ entries }: ReadHistory): unknown {
  return JSON.parse(
    JSON.stringify(entries, (key, value) => (key === "origin" ? undefined : value)),
  ) as PivotEntry[];
}

describe("media of a Gemini content", () => {
  it("DIA-206 passes media on with type and name, bytes or marker untouched", () => {
    const marker = `$media:${"0".repeat(64)}.wav`;
    const history = read(
      user(
        { inlineData: { mimeType: "Image/JPG; q=1", data: "/9j/", displayName: "cat.jpg" } },
        { inlineData: { mimeType: "audio/wav", data: marker } },
        { inlineData: { mimeType: "text/plain; charset=utf-8", data: "aGk=" } },
        { inlineData: { mimeType: "image/png" } },
        { inlineData: { data: "AA==", quality: 7 } },
      ),
    );
    expect(said(history)).toEqual([
      {
        kind: "user",
        parts: [
          { kind: "media", mime_type: "image/jpeg", source: { type: "data", data: "/9j/" }, name: "cat.jpg" },
          { kind: "media", mime_type: "audio/wav", source: { type: "data", data: marker } },
          { kind: "media", mime_type: "text/plain", source: { type: "data", data: "aGk=" } },
          { kind: "media", mime_type: "application/octet-stream", source: { type: "data", data: "AA==" } },
        ],
      },
    ]);
    expect(reported(history)).toEqual([
      "changed media 0 parts[0] Image/JPG; q=1 -> image/jpeg",
      "dropped media 0 parts[3] image/png without data",
      "dropped metadata 0 parts[4].quality",
    ]);
  });

  it("DIA-207 drops media that the model made, and the turn with them where nothing else is in it", () => {
    const history = read(
      model({ text: "here" }, { inlineData: PIXEL, thoughtSignature: "AQID" }),
      model({ fileData: { fileUri: "https://example.com/a.png", mimeType: "image/png" } }),
    );
    expect(said(history)).toEqual([{ kind: "assistant", parts: [{ kind: "text", text: "here" }] }]);
    expect(reported(history)).toEqual([
      "dropped media 0 parts[1] image/png in an assistant turn",
      "dropped signature 0 parts[1].thoughtSignature",
      "dropped media 1 parts[0] image/png in an assistant turn",
    ]);
  });

  it.each([
    "https://generativelanguage.googleapis.com/v1beta/files/abc",
    "https://gateway.example.com/v1beta/files/abc-123",
    "gs://bucket/x.pdf",
    "files/abc",
    "https://www.youtube.com/watch?v=9hE5-98ZeCg",
    "https://youtu.be/9hE5-98ZeCg",
  ])(
    "DIA-208 drops %s, which nobody else can read, and puts a placeholder where nothing is left",
    (fileUri) => {
      const file = { fileData: { fileUri, mimeType: "application/pdf" } };
      const history = read(user(file), user(file, { text: "compare" }));
      expect(said(history)).toEqual([
        { kind: "user", parts: [{ kind: "text", text: "[content left out]" }] },
        { kind: "user", parts: [{ kind: "text", text: "compare" }] },
      ]);
      expect(reported(history)).toEqual([
        `dropped file-ref 0 parts[0] ${fileUri}`,
        "added placeholder 0",
        `dropped file-ref 1 parts[0] ${fileUri}`,
      ]);
    },
  );

  it("DIA-209 passes other addresses on, with the type they have or show", () => {
    const history = read(
      user(
        { fileData: { fileUri: "https://example.com/y", mimeType: "application/pdf", displayName: "y" } },
        { fileData: { fileUri: "https://example.com/photo.JPG?size=1" } },
        { fileData: { fileUri: "https://notyoutube.example/files/raw" } },
      ),
    );
    expect(said(history)).toEqual([
      {
        kind: "user",
        parts: [
          {
            kind: "media",
            mime_type: "application/pdf",
            source: { type: "url", url: "https://example.com/y" },
            name: "y",
          },
          {
            kind: "media",
            mime_type: "image/jpeg",
            source: { type: "url", url: "https://example.com/photo.JPG?size=1" },
          },
          {
            kind: "media",
            mime_type: "application/octet-stream",
            source: { type: "url", url: "https://notyoutube.example/files/raw" },
          },
        ],
      },
    ]);
    expect(history.report).toEqual([]);
  });
});
