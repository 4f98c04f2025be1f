import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AttachedFile, attachFiles } from "../../src/client/attach-files.js";
import { submissionIssue } from "../../src/core/conversation/admit.js";
import type { FileMarker } from "../../src/core/envelope/envelope.js";
import { TurnRefusedError, UsageError } from "../../src/core/errors/errors.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import { PNG, smallPdf } from "../support/whole-files.js";

const pdf = new Uint8Array(smallPdf());
const png = PNG;
const digestOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
const pdfMarker: FileMarker = {
  marker: `$media:${digestOf(pdf)}.pdf`,
  mime_type: "application/pdf",
  size_bytes: pdf.length,
  name: "contract.pdf",
};

let cwd = "";
let mediaStore = new MemoryMediaStore();
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "holdfast-attach-"));
  mediaStore = new MemoryMediaStore();
  await writeFile(join(cwd, "contract.pdf"), pdf);
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const attach = (...files: readonly (AttachedFile | FileMarker)[]) => attachFiles({ mediaStore, cwd }, files);

/** The one marker of one file. */
async function markerOf(file: AttachedFile | FileMarker): Promise<FileMarker> {
  const [marker] = await attach(file);
  if (marker === undefined) throw new Error("No marker came back.");
  return marker;
}

describe("attaching a file", () => {
  it("API-1 takes a path of the client's folder, an absolute one, and a file: URL in either form", async () => {
    const absolute = join(cwd, "contract.pdf");
    const url = pathToFileURL(absolute);
    for (const file of ["contract.pdf", "./contract.pdf", absolute, url, url.href]) {
      expect(await markerOf(file)).toMatchObject(pdfMarker);
    }
  });

  it("API-2 takes bytes, a Blob, a File and bytes or text with a name", async () => {
    expect(await markerOf(pdf)).toMatchObject({ ...pdfMarker, name: "attachment" });
    expect(await markerOf(Buffer.from(pdf))).toMatchObject({ ...pdfMarker, name: "attachment" });
    expect(await markerOf(new Blob([pdf]))).toMatchObject({ ...pdfMarker, name: "attachment" });
    expect(await markerOf(new File([pdf], "contract.pdf"))).toMatchObject(pdfMarker);
    expect(await markerOf({ name: "contract.pdf", data: pdf })).toMatchObject(pdfMarker);
    expect(await markerOf({ name: "note.md", data: "# Clause 4" })).toMatchObject({
      mime_type: "text/markdown",
      size_bytes: 10,
    });
  });

  it("API-3 puts the bytes into the working store before anything is sent, under their SHA-256", async () => {
    const [marker] = await attach("contract.pdf");
    expect(await mediaStore.get(marker?.marker.slice("$media:".length) ?? "")).toEqual(pdf);
    expect(submissionIssue({ message: "", files: [marker] })).toBeUndefined();
  });

  it("API-4 keeps the same bytes under two names once, and both names", async () => {
    await writeFile(join(cwd, "copy.pdf"), pdf);
    const [one, two] = await attach("contract.pdf", "copy.pdf");
    expect(one?.marker).toBe(two?.marker);
    expect([one?.name, two?.name]).toEqual(["contract.pdf", "copy.pdf"]);
  });

  it("API-5 passes a marker through, so that a turn can be sent again", async () => {
    expect(await attach(pdfMarker, "contract.pdf")).toEqual([pdfMarker, expect.objectContaining(pdfMarker)]);
    expect(await markerOf(pdfMarker)).toBe(pdfMarker);
  });
});

describe("the type of an attached file", () => {
  it.each([
    ["picture.pdf", png, undefined, "image/png"],
    ["contract.txt", pdf, undefined, "application/pdf"],
    ["contract.png", pdf, "image/png", "application/pdf"],
    ["noextension", png, undefined, "image/png"],
  ])("API-6 of %s is what its content shows", async (name, data, mime_type, expected) => {
    const file = { name, data, ...(mime_type === undefined ? {} : { mime_type }) };
    expect((await markerOf(file)).mime_type).toBe(expected);
  });

  it.each([
    ["notes.txt", undefined, "text/plain"],
    ["notes.MD", undefined, "text/markdown"],
    ["table.csv", undefined, "text/csv"],
    ["data.json", undefined, "application/json"],
    ["page.htm", undefined, "text/html"],
    ["notes", undefined, "text/plain"],
    ["program.rs", undefined, "text/plain"],
    ["lies.png", undefined, "text/plain"],
    ["table", "text/csv; charset=utf-8", "text/csv"],
    ["lies", "image/png", "text/plain"],
    ["odd", "no type at all", "text/plain"],
  ])("API-7 of the text %s declared as %s is %s", async (name, mime_type, expected) => {
    const file = { name, data: "Clause 4, ünïcödé", ...(mime_type === undefined ? {} : { mime_type }) };
    const marker = await markerOf(file);
    expect(marker.mime_type).toBe(expected);
    expect(marker.json_bytes).toBe(Buffer.byteLength("Clause 4, ünïcödé"));
  });

  it.each([
    [undefined, "application/octet-stream"],
    ["", "application/octet-stream"],
    ["nonsense", "application/octet-stream"],
    ["application/x-own; v=1", "application/x-own"],
  ])("API-8 of bytes that show nothing, declared as %s, is %s", async (mime_type, expected) => {
    const data = new Uint8Array([0, 1, 2, 3, 255, 254]);
    const file = { name: "blob", data, ...(mime_type === undefined ? {} : { mime_type }) };
    const marker = await markerOf(file);
    expect(marker.mime_type).toBe(expected);
    expect(marker).not.toHaveProperty("json_bytes");
  });
});

describe("a file that cannot be attached", () => {
  const refusalOf = (file: unknown): Promise<unknown> =>
    attach(file as AttachedFile).then(
      () => undefined,
      (error: unknown) => error,
    );

  it("API-9 is named in one line: missing, empty, a folder, a device, an address of the web", async () => {
    await writeFile(join(cwd, "empty.pdf"), "");
    await mkdir(join(cwd, "folder"));
    await symlink(join(cwd, "nowhere"), join(cwd, "dangling.pdf"));
    const cases: readonly (readonly [unknown, RegExp])[] = [
      ["missing.pdf", /missing\.pdf does not exist: check the path \/.*missing\.pdf and its permissions/],
      ["dangling.pdf", /dangling\.pdf does not exist/],
      ["empty.pdf", /empty\.pdf is empty/],
      ["contract.pdf/inside.pdf", /cannot be read \(ENOTDIR\)/],
      ["folder", /"folder" is a folder: attach the files in it/],
      ["", /"" is a folder/],
      ["/dev/zero", /not a regular file/],
      [new URL("https://example.test/contract.pdf"), /example\.test.*fetch it first/],
      ["http://example.test/contract.pdf", /example\.test.*fetch it first/],
      [new URL("file://elsewhere/contract.pdf"), /elsewhere/],
      ["has\u0000null", /^The file has ?null has a NUL in its path: check the path/],
      [new Uint8Array(), /is empty/],
      [new Blob([]), /is empty/],
    ];
    for (const [file, message] of cases) {
      const error = await refusalOf(file);
      expect(error, String(file)).toBeInstanceOf(UsageError);
      expect((error as Error).message).toMatch(message);
      expect((error as Error).message).not.toContain("\n");
    }
  });

  it.each([[null], [undefined], [7], [{}], [{ name: "a" }], [{ name: "a", data: 7 }], [[]]])(
    "API-10 is refused where it is %j and no file at all",
    async (file) => {
      expect(await refusalOf(file)).toMatchObject({
        code: "UsageError",
        message: expect.stringContaining("A file is a path"),
      });
    },
  );

  it("API-11 is refused above 2 GB without being read", async () => {
    await writeFile(join(cwd, "huge.pdf"), pdf);
    await truncate(join(cwd, "huge.pdf"), 2 * 1024 * 1024 * 1024);
    const error = await refusalOf("huge.pdf");
    expect(error).toBeInstanceOf(TurnRefusedError);
    expect(error).toMatchObject({ reason: "too_large", message: expect.stringContaining("2147 MB") });
  });
});
