import { describe, expect, it } from "vitest";
import type { PivotMedia } from "../../../../src/core/dialects/pivot.js";
import {
  address,
  assistant,
  call,
  contentsOf,
  media,
  reported,
  result,
  results,
  said,
  text,
  user,
  write,
} from "./written.js";

describe("media written for Gemini", () => {
  it("DIA-231 moves a result's media into a content after the round, each behind the id of its call", () => {
    const written = write([
      user(0, "shoot"),
      assistant(1, call(1, "t1", "shot"), call(1, "t2", "shot"), call(1, "t3", "shot")),
      results(
        2,
        result(2, "t1", "shot", text(2, "done"), media(2, "image/png")),
        result(2, "t2", "shot", media(2, "application/pdf"), media(2, "audio/wav")),
        result(2, "t3", "shot", media(2, "image/gif")),
      ),
      user(3, "well?"),
    ]);
    expect(contentsOf(written).slice(2)).toEqual([
      {
        role: "user",
        parts: [
          { functionResponse: { id: "t1", name: "shot", response: { output: "done" } } },
          {
            functionResponse: {
              id: "t2",
              name: "shot",
              response: { output: "[document in the next user message]\n[audio in the next user message]" },
            },
          },
          { functionResponse: { id: "t3", name: "shot", response: { output: "[content left out]" } } },
        ],
      },
      {
        role: "user",
        parts: [
          { text: "Image from tool call t1" },
          { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } },
          { text: "Document from tool call t2" },
          { inlineData: { mimeType: "application/pdf", data: "iVBORw0KGgo=" } },
          { text: "Audio from tool call t2" },
          { inlineData: { mimeType: "audio/wav", data: "iVBORw0KGgo=" } },
        ],
      },
      said("user", "well?"),
    ]);
    expect(reported(written).slice(1)).toEqual([
      "moved media 2 content[0] to a user message after the round",
      "moved media 2 content[0] to a user message after the round",
      "moved media 2 content[0] to a user message after the round",
      "dropped media 2 content[0] image/gif",
      "added placeholder 2 content[t3]",
    ]);
  });

  it.each([
    "image/png",
    "image/jpeg",
    "image/webp",
    "image/heic",
    "image/heif",
    "application/pdf",
    "audio/wav",
    "video/mp4",
  ])("DIA-232 sends %s as inlineData, or by its address", (mimeType) => {
    const marker = `$media:${"0".repeat(64)}.bin`;
    const inline = write([user(0, media(0, mimeType, { source: { type: "data", data: marker } }))]);
    const remote = write([user(0, address(0, mimeType, "https://example.com/a"))]);
    expect(contentsOf(inline)).toEqual([
      { role: "user", parts: [{ inlineData: { mimeType, data: marker } }] },
    ]);
    expect(contentsOf(remote)).toEqual([
      { role: "user", parts: [{ fileData: { fileUri: "https://example.com/a", mimeType } }] },
    ]);
    expect([...inline.report, ...remote.report]).toEqual([]);
  });

  it("DIA-233 guesses the type of an address, and drops what shows none", () => {
    const written = write([
      user(
        0,
        address(0, null, "https://example.com/a.png?x=1"),
        address(0, null, "https://example.com/a"),
        "see",
      ),
    ]);
    expect(contentsOf(written)).toEqual([
      {
        role: "user",
        parts: [
          { fileData: { fileUri: "https://example.com/a.png?x=1", mimeType: "image/png" } },
          { text: "see" },
        ],
      },
    ]);
    expect(reported(written)).toEqual(["dropped media 0 content[0] of unknown type https://example.com/a"]);
  });

  it.each(["image/gif", "image/bmp", "image/avif", "application/msword", "application/octet-stream"])(
    "DIA-234 drops %s, with a placeholder where nothing is left",
    (mimeType) => {
      const written = write([
        user(0, media(0, mimeType)),
        user(1, address(1, mimeType, "https://e.com/a"), "see"),
      ]);
      expect(contentsOf(written)).toEqual([said("user", "[content left out]"), said("user", "see")]);
      expect(reported(written)).toEqual([
        `dropped media 0 content[0] ${mimeType}`,
        "added placeholder 0",
        `dropped media 1 content[0] ${mimeType} https://e.com/a`,
      ]);
    },
  );

  it("DIA-235 writes text media as text under their names, and drops those whose bytes are elsewhere", () => {
    const body = (data: string): Partial<PivotMedia> => ({ source: { type: "data", data } });
    const written = write([
      user(
        0,
        media(0, "text/markdown", { ...body("YsO2ZHk="), name: "notes.md" }),
        media(0, "application/json", body("e30=")),
        media(0, "image/svg+xml", body("PHN2Zy8+")),
        media(0, "text/csv", body(`$media:${"0".repeat(64)}.csv`)),
      ),
    ]);
    expect(contentsOf(written)).toEqual([said("user", "notes.md\nbödy", "{}", "<svg/>")]);
    expect(reported(written)).toEqual([
      "textified document 0 content[0] text/markdown",
      "textified document 0 content[0] application/json",
      "textified media 0 content[0] image/svg+xml",
      "dropped media 0 content[0] text/csv",
    ]);
  });

  it("DIA-236 drops the detail of an image that crosses", () => {
    const written = write([
      user(0, media(0, "image/png", { detail: "high" }), media(0, "image/gif", { detail: "low" })),
    ]);
    expect(reported(written)).toEqual([
      "dropped metadata 0 content[0].detail high",
      "dropped media 0 content[0] image/gif",
    ]);
  });

  it("DIA-237 drops media of the assistant, and the turn with them where nothing else is in it", () => {
    const written = write([user(0, "draw"), assistant(1, media(1, "image/png")), user(2, "well?")]);
    expect(contentsOf(written)).toEqual([said("user", "draw"), said("user", "well?")]);
    expect(reported(written)).toEqual(["dropped media 1 content[0] image/png in an assistant turn"]);
  });
});
