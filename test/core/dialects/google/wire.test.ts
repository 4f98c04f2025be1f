import { describe, expect, it } from "vitest";
import type { MediaSlot } from "../../../../src/core/dialects/dialect.js";
import { google } from "../../../../src/core/dialects/google/index.js";
import { deepFreeze } from "../deep-freeze.js";

const history = deepFreeze({
  role: "user",
  parts: [
    { inlineData: { mimeType: "application/pdf", data: "JVBERi0=" } },
    { fileData: { fileUri: "https://example.com/a.pdf", mimeType: "application/pdf" } },
    {
      functionResponse: {
        name: "draw",
        response: { output: "done" },
        parts: [{ inlineData: { mimeType: "image/png", data: "iVBORw==" } }],
      },
    },
    { text: "$media:typed by the user" },
  ],
});

describe("checkMessage", () => {
  it("DIA-52 takes contents of both roles, null for an absent field, and part kinds of newer SDKs", () => {
    const model = {
      role: "model",
      parts: [
        { text: "hm", thought: true, thoughtSignature: "AQID", inlineData: null },
        { functionCall: { name: "f", args: {} } },
        { holodeck: { program: 7 } },
      ],
    };
    expect(google.checkMessage(history, 0)).toEqual([]);
    expect(google.checkMessage(model, 1)).toEqual([]);
  });

  it.each([
    ["text", "", "a content object {role, parts}"],
    [null, "", "a content object {role, parts}"],
    [[], "", "a content object {role, parts}"],
    [{ role: "assistant", parts: [] }, "role", '"user" or "model"'],
    [{ role: "user" }, "parts", "a list of parts"],
    [{ role: "user", parts: ["hi"] }, "parts.0", "a part object"],
    [{ role: "user", parts: [{ text: 7 }] }, "parts.0.text", "a string"],
    [{ role: "user", parts: [{ inlineData: "AA==" }] }, "parts.0.inlineData", "an object"],
    [{ role: "user", parts: [{}, { inlineData: { data: 1 } }] }, "parts.1.inlineData.data", "a string"],
    [{ role: "model", parts: [{ functionCall: { name: 1 } }] }, "parts.0.functionCall.name", "a string"],
    [
      { role: "user", parts: [{ functionResponse: { name: "f", parts: {} } }] },
      "parts.0.functionResponse.parts",
      "a list",
    ],
  ])("DIA-53 names what is wrong in %j", (message, path, expected) => {
    expect(google.checkMessage(message, 4)).toEqual([{ index: 4, path, expected }]);
  });
});

describe("mapMedia", () => {
  it("DIA-54 visits inlineData of parts and of the parts inside a function response", () => {
    const slots: MediaSlot[] = [];
    const mapped = google.mapMedia(history, (slot) => {
      slots.push(slot);
      return `$media:${slot.kind}`;
    });
    expect(slots).toEqual([
      {
        kind: "document",
        mime_type: "application/pdf",
        data: "JVBERi0=",
        path: "parts.0.inlineData.data",
      },
      {
        kind: "image",
        mime_type: "image/png",
        data: "iVBORw==",
        path: "parts.2.functionResponse.parts.0.inlineData.data",
      },
    ]);
    expect(mapped).toEqual({
      role: "user",
      parts: [
        { inlineData: { mimeType: "application/pdf", data: "$media:document" } },
        history.parts[1],
        {
          functionResponse: {
            name: "draw",
            response: { output: "done" },
            parts: [{ inlineData: { mimeType: "image/png", data: "$media:image" } }],
          },
        },
        history.parts[3],
      ],
    });
  });

  it("DIA-54 gives back the very same object when nothing changes", () => {
    expect(google.mapMedia(history, ({ data }) => data)).toBe(history);
  });

  it("DIA-54 leaves alone what is no message of the dialect", () => {
    const foreign = deepFreeze({ role: "assistant", parts: history.parts });
    expect(google.mapMedia(foreign, () => "changed")).toBe(foreign);
  });
});
