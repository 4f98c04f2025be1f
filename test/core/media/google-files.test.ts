import { describe, expect, it } from "vitest";
import { google } from "../../../src/core/dialects/google/index.js";
import type { MediaEntry, NativeMessage } from "../../../src/core/envelope/envelope.js";
import { fromFileData, toFileData } from "../../../src/core/media/google-files.js";
import type { ProviderName } from "../../../src/core/providers.js";
import { deepFreeze } from "../dialects/deep-freeze.js";

const sha = (digit: string): string => digit.repeat(64);
const uri = (name: string): string => `https://generativelanguage.googleapis.com/v1beta/files/${name}`;
const marker = (digit: string, extension: string): string => `$media:${sha(digit)}.${extension}`;
const expires = { expiration_time: "2026-02-01T00:00:00.000Z" };

const MEDIA: Readonly<Record<string, MediaEntry>> = {
  [sha("1")]: {
    mime_type: "audio/wav",
    size_bytes: 8,
    uri: uri("clip"),
    ...expires,
    ref: `${sha("1")}.wav`,
  },
  [sha("2")]: { mime_type: "application/pdf", size_bytes: 8, uri: uri("plan"), ...expires, data: "JVBERi0=" },
  [sha("3")]: { mime_type: "image/png", size_bytes: 8, ref: `${sha("3")}.png` },
  [sha("4")]: { mime_type: "video/mp4", size_bytes: 8, uri: uri("big"), ...expires },
};

const state: readonly NativeMessage[] = deepFreeze([
  {
    role: "user",
    parts: [
      { inlineData: { mimeType: "audio/wav", data: marker("1", "wav") } },
      {
        thought: false,
        inlineData: { data: marker("2", "pdf"), displayName: "a", mimeType: "application/pdf" },
      },
      { inlineData: { mimeType: "image/png", data: marker("3", "png") } },
      { fileData: { fileUri: uri("big"), mimeType: "video/mp4" } },
      { text: marker("1", "wav") },
    ],
  },
  { role: "model", parts: [{ inlineData: { mimeType: "audio/wav", data: marker("1", "wav") } }] },
  {
    role: "user",
    parts: [
      {
        functionResponse: {
          name: "shot",
          response: {},
          parts: [{ inlineData: { mimeType: "audio/wav", data: marker("1", "wav") } }],
        },
      },
    ],
  },
]);

function historyOf(messages: readonly NativeMessage[], provider: ProviderName = "google") {
  return { provider, messages, media: MEDIA };
}

function partsOf(message: NativeMessage | undefined): readonly object[] {
  return Array.isArray(message?.parts) ? message.parts : [];
}

describe("files that the service keeps", () => {
  it("MED-100 stand in a file by their address, in the state by their marker, and come back byte for byte", () => {
    const file = toFileData(historyOf(state));
    expect(file.messages[0]).toEqual({
      role: "user",
      parts: [
        { fileData: { mimeType: "audio/wav", fileUri: uri("clip") } },
        { thought: false, fileData: { fileUri: uri("plan"), displayName: "a", mimeType: "application/pdf" } },
        ...partsOf(state[0]).slice(2),
      ],
    });
    expect(JSON.stringify(fromFileData(file).messages)).toBe(JSON.stringify(state));
    expect(fromFileData(file).media).toBe(MEDIA);
  });

  it("MED-101 leave what the model made and what stands in a function's response as it is", () => {
    const { messages } = toFileData(historyOf(state));
    expect(messages.slice(1)).toEqual(state.slice(1));
    expect(messages[1]).toBe(state[1]);
  });

  it("MED-102 whose bytes nobody has keep their address, as do addresses that are none of the service's", () => {
    const parts = [
      { fileData: { fileUri: uri("big"), mimeType: "video/mp4" } },
      { fileData: { fileUri: uri("unknown"), mimeType: "video/mp4" } },
      { fileData: { fileUri: "https://www.youtube.com/watch?v=1" } },
      { fileData: { fileUri: uri("clip"), mimeType: "audio/wav" }, inlineData: null },
    ];
    const messages = deepFreeze([{ role: "user", parts }]);
    expect(fromFileData(historyOf(messages)).messages).toEqual(messages);
  });

  it("MED-103 take their type from the table where the part names none", () => {
    const messages = [{ role: "user", parts: [{ fileData: { fileUri: uri("plan") } }] }];
    expect(fromFileData(historyOf(messages)).messages).toEqual([
      { role: "user", parts: [{ inlineData: { data: marker("2", "pdf"), mimeType: "application/pdf" } }] },
    ]);
  });

  it("MED-104 are of one provider: a history of another is passed through", () => {
    const foreign = historyOf([{ role: "user", content: "Hi" }], "anthropic");
    expect(toFileData(foreign)).toBe(foreign);
    expect(fromFileData(foreign)).toBe(foreign);
  });

  it("MED-105 can be replaced by a text in a request, in their place", () => {
    const [message = {}] = state;
    const changed = google.mapFiles?.(message, ({ uri: address }) =>
      address === undefined ? undefined : { text: "[gone]" },
    );
    expect(partsOf(changed)[3]).toEqual({ text: "[gone]" });
  });
});
