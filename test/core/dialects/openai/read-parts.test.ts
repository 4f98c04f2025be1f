import { describe, expect, it } from "vitest";
import { PLACEHOLDER } from "../../../../src/core/dialects/placeholder.js";
import { EVERY_ITEM, EVERY_PART } from "./every-item.js";
import { read, said, texts, user } from "./reading.js";

const PNG = "iVBORw0KGgo=";
const MARKER = `$media:${"a".repeat(64)}.pdf`;

const fileOf = (part: object): unknown => {
  const [entry] = read(user(part)).entries;
  return entry?.kind === "user" ? entry.parts[0] : undefined;
};

describe("reading media", () => {
  const origin = { index: 0, path: "content[0]" };
  const media = (mime_type: string | null, source: object, more: object = {}): object => ({
    kind: "media",
    origin,
    mime_type,
    source,
    ...more,
  });
  const url = "https://example.org/a";
  const text = "YSxi";

  it.each([
    ["a data URL", EVERY_PART.input_image, media("image/png", { type: "data", data: PNG })],
    [
      "an image's address",
      { type: "input_image", image_url: `${url}.webp?x=1`, detail: "high" },
      media("image/webp", { type: "url", url: `${url}.webp?x=1` }, { detail: "high" }),
    ],
    [
      "an address that says nothing",
      { type: "input_image", image_url: url },
      media(null, { type: "url", url }),
    ],
    [
      "a file's address",
      { type: "input_file", file_url: `${url}.pdf` },
      media("application/pdf", { type: "url", url: `${url}.pdf` }),
    ],
    [
      "a file's address that says nothing",
      { type: "input_file", file_url: url },
      media("application/octet-stream", { type: "url", url }),
    ],
    [
      "bare base64 with a name",
      { type: "input_file", filename: "Plan.CSV", file_data: text },
      media("text/csv", { type: "data", data: text }, { name: "Plan.CSV" }),
    ],
    [
      "a marker without a name",
      { type: "input_file", file_data: MARKER },
      media("application/pdf", { type: "data", data: MARKER }),
    ],
    [
      "a data URL without a type",
      { type: "input_file", filename: "a.md", file_data: `data:;base64,${text}` },
      media("text/markdown", { type: "data", data: text }, { name: "a.md" }),
    ],
    ["audio", EVERY_PART.input_audio, media("audio/mpeg", { type: "data", data: "SUQz" })],
  ])("DIA-164 carries %s with its type", (_what, part, expected) => {
    expect(fileOf(part)).toEqual(expected);
  });

  it("DIA-165 corrects the type of an image, and reports it", () => {
    const part = { type: "input_image", detail: "auto", image_url: `data:image/JPG;base64,${PNG}` };
    expect(fileOf(part)).toMatchObject({ mime_type: "image/jpeg" });
    expect(said(read(user(part)))).toEqual(["changed media 0 content[0] image/JPG -> image/jpeg"]);
  });

  it.each([
    [{ type: "input_image", detail: "auto", file_id: "file_1" }, "file-ref 0 content[0] file_1"],
    [{ type: "input_file", file_id: "file_1" }, "file-ref 0 content[0] file_1"],
    [
      { type: "input_file", file_url: "https://api.openai.com/v1/files/a/content" },
      "file-ref 0 content[0] https://api.openai.com/v1/files/a/content",
    ],
    [
      { type: "input_image", image_url: "data:image/svg+xml,<svg/>" },
      "media 0 content[0] a data URL that is not base64",
    ],
    [{ type: "input_file", filename: "a.pdf" }, "media 0 content[0] without bytes or address"],
  ])("DIA-166 drops %j, which others cannot read, and fills the message that it emptied", (part, entry) => {
    const alone = read(user(part));
    expect(said(alone)).toEqual([`dropped ${entry}`, "added placeholder 0"]);
    expect(texts(alone.entries[0])).toEqual([PLACEHOLDER]);
    const accompanied = read(user(part, { type: "input_text", text: "look" }));
    expect(said(accompanied)).toEqual([`dropped ${entry}`]);
    expect(texts(accompanied.entries[0])).toEqual(["look"]);
  });

  it("DIA-166 fills an output that it emptied", () => {
    const screenshot = {
      ...EVERY_ITEM.computer_call_output,
      output: { type: "computer_screenshot", file_id: "file_1" },
    };
    const { entries, report } = read(screenshot);
    expect(report).toMatchObject([{ artefact: "file-ref" }, { kind: "added", artefact: "placeholder" }]);
    expect(entries).toMatchObject([{ results: [{ parts: [{ text: PLACEHOLDER }] }] }]);
  });
});
