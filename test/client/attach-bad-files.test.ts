import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFile, chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AttachedFile, attachFiles, inspectFiles } from "../../src/client/attach-files.js";
import type { FileReader } from "../../src/core/dialects/check-attachment.js";
import { TurnRefusedError, UsageError } from "../../src/core/errors/errors.js";
import type { MediaStore } from "../../src/core/media/media-store.js";
import { DirectoryMediaStore } from "../../src/media-stores/directory-media-store.js";
import { MediaStoreUnavailableError } from "../../src/media-stores/media-store-unavailable-error.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import * as sample from "../support/whole-files.js";

let cwd = "";
let mediaStore: MediaStore & MemoryMediaStore = new MemoryMediaStore();
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "holdfast-attach-"));
  mediaStore = new MemoryMediaStore();
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const attach = (file: AttachedFile, reader?: FileReader, store: MediaStore = mediaStore) =>
  attachFiles({ mediaStore: store, cwd }, [file], reader);
const errorOf = (attaching: Promise<unknown>): Promise<Error> =>
  attaching.then(
    () => new Error("nothing was thrown"),
    (error: Error) => error,
  );
async function storedKeys(store: MemoryMediaStore = mediaStore): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list()) keys.push(key);
  return keys;
}

describe("a damaged file", () => {
  it.each([
    ["photo.png", sample.PNG.subarray(0, -4), /^photo\.png \(image\/png\) is damaged: it is cut off/],
    ["photo.jpg", sample.JPEG.subarray(0, -2), /^photo\.jpg \(image\/jpeg\) is damaged/],
    [
      "contract.pdf",
      sample.smallPdf().subarray(0, 200),
      /^contract\.pdf \(application\/pdf\) is damaged: .*%%EOF/,
    ],
    ["clip.wav", sample.wav().subarray(0, 100), /^clip\.wav \(audio\/wav\) is damaged: .* bytes are missing/],
    ["film.mp4", sample.mp4().subarray(0, 200), /^film\.mp4 \(video\/mp4\) is damaged/],
    ["head.png", sample.PNG.subarray(0, 3), /^head\.png is not what it says: .*image\/png/],
    ["lies.pdf", Buffer.from([0, 1, 2, 3, 255, 254]), /^lies\.pdf is not what it says: .*application\/pdf/],
  ])("API-110 is refused in one line that names it and what is wrong: %s", async (name, data, message) => {
    await writeFile(join(cwd, name), data);
    for (const file of [name, { name, data }, new File([new Uint8Array(data)], name)]) {
      const error = await errorOf(attach(file));
      expect(error).toBeInstanceOf(UsageError);
      expect(error.message).toMatch(message);
      expect(error.message).not.toContain("\n");
    }
    expect(await storedKeys()).toEqual([]);
  });

  it("API-111 is told before any other file of the message is stored", async () => {
    const files = [
      { name: "good.png", data: sample.PNG },
      { name: "bad.png", data: sample.PNG.subarray(0, 40) },
    ];
    expect(await errorOf(attachFiles({ mediaStore, cwd }, files))).toBeInstanceOf(UsageError);
    expect(await storedKeys()).toEqual([]);
  });

  it("API-203 is one of too many: their number and the limit are told before any is looked at", async () => {
    const files = Array.from({ length: 1_501 }, (_, index) => `missing-${index}.txt`);
    for (const asked of [attachFiles({ mediaStore, cwd }, files), inspectFiles(files, { cwd })]) {
      const error = await errorOf(asked);
      expect(error).toBeInstanceOf(UsageError);
      expect(error.message).toBe(
        "The message has 1501 files: 1000 at most go with one. Attach fewer, or send them with several messages.",
      );
    }
    expect(await storedKeys()).toEqual([]);
  });

  it("API-112 is judged by its content: text under the name of a PDF is text, a picture is a picture", async () => {
    const [text] = await attach({ name: "notes.pdf", data: "Clause 4." });
    const [picture] = await attach({ name: "contract.pdf", data: sample.PNG, mime_type: "application/pdf" });
    expect([text?.mime_type, picture?.mime_type]).toEqual(["text/plain", "image/png"]);
  });

  it("API-124 has the usual name of its type, whichever one its detector gives", async () => {
    const brand = Buffer.concat([Buffer.from("M4A "), Buffer.alloc(4), Buffer.from("M4A isom")]);
    const song = Buffer.concat([sample.box("ftyp", brand), sample.box("moov"), sample.box("mdat")]);
    const [marker] = await attach({ name: "song.m4a", data: song });
    expect(marker).toMatchObject({ mime_type: "audio/mp4", marker: expect.stringMatching(/\.m4a$/) });
  });

  it("API-190 is text in another encoding than UTF-8: the refusal says what to do", async () => {
    const words = "Müller schuldet 5 €.";
    const files = [
      { name: "latin.txt", data: Buffer.from("M\u00fcller", "latin1") },
      { name: "utf16.csv", data: Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(words, "utf16le")]) },
      { name: "notes", data: Buffer.from("M\u00fcller", "latin1"), mime_type: "text/plain" },
    ];
    for (const file of files) {
      const error = await errorOf(attach(file));
      expect(error).toBeInstanceOf(UsageError);
      expect(error.message).toMatch(
        new RegExp(`^${file.name} is text in another encoding.*save it as UTF-8`),
      );
    }
  });

  it("API-113 is blank text, which every service refuses", async () => {
    expect((await errorOf(attach({ name: "notes.txt", data: " \n\t " }))).message).toContain("blank");
  });
});

describe("what is no file to attach", () => {
  it("API-114 is a pipe, a socket, a device, a folder or a link to one: one line each, nothing waits and nothing is stored", async () => {
    await promisify(execFile)("mkfifo", [join(cwd, "pipe.pdf")]);
    await mkdir(join(cwd, "folder.pdf"));
    await symlink(join(cwd, "folder.pdf"), join(cwd, "link.pdf"));
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(cwd, "socket.pdf"), resolve));
    try {
      for (const file of ["pipe.pdf", "folder.pdf", "link.pdf", "socket.pdf", "/dev/null", "/dev/zero"]) {
        const error = await errorOf(attach(file));
        expect(error, file).toBeInstanceOf(UsageError);
        const isFolder = /folder|link/.test(file);
        const what = isFolder
          ? "a folder: attach the files in it, one by one"
          : "not a regular file: attach a file";
        expect(error.message).toBe(`${JSON.stringify(file)} is ${what}.`);
      }
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
    expect(await storedKeys()).toEqual([]);
  });

  it("API-115 is a file that may not be read", async () => {
    await writeFile(join(cwd, "secret.pdf"), sample.smallPdf());
    await chmod(join(cwd, "secret.pdf"), 0);
    await chmod(cwd, 0o755);
    const refused = await asNobody(() => errorOf(attach("secret.pdf")));
    expect(refused.message).toMatch(/secret\.pdf may not be read/);
  });

  it("API-115 is a file whose folder is no folder", async () => {
    await writeFile(join(cwd, "file"), "A file.");
    expect((await errorOf(attach("file/inside.pdf"))).message).toMatch(/cannot be read \(ENOTDIR\)/);
  });
});

/** Root may read everything, and tests may run as root. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

/** Changes the file when it is asked to keep it: it has been looked at by then. */
function changingStore(change: () => Promise<void>): MediaStore {
  const store = new MemoryMediaStore();
  return {
    get: (key) => store.get(key),
    put: (key, bytes) => store.put(key, bytes),
    putStream: async (key, source, options) => {
      await change();
      await store.putStream(key, source, options);
    },
  };
}

describe("a file that changes while it is attached", () => {
  it("API-116 is refused: growing, shrinking, rewritten or gone", async () => {
    const path = join(cwd, "log.txt");
    const changes: readonly (() => Promise<void>)[] = [
      () => appendFile(path, "And more."),
      () => writeFile(path, "Less."),
      () => writeFile(path, "clause 4."),
    ];
    for (const change of changes) {
      await writeFile(path, "Clause 4.");
      const error = await errorOf(attach("log.txt", undefined, changingStore(change)));
      expect(error).toBeInstanceOf(UsageError);
      expect(error.message).toMatch(/log\.txt changed while it was read: .* Nothing was sent\.$/);
    }
  });

  it("API-116 is refused where its bytes are changed in memory", async () => {
    const data = new TextEncoder().encode("Clause 4.");
    const change = async (): Promise<void> => void data.set([65]);
    const error = await errorOf(attach({ name: "note.txt", data }, undefined, changingStore(change)));
    expect(error.message).toContain("note.txt changed while it was read");
  });
});

describe("attaching a large file", () => {
  it("API-117 streams it into the store: never more than a chunk at a time", async () => {
    const data = sample.pngOfSize(5_000_000);
    await writeFile(join(cwd, "large.png"), data);
    const sizes: number[] = [];
    const store: MediaStore = {
      get: async () => undefined,
      put: () => Promise.reject(new Error("put whole")),
      putStream: async (_key, source) => {
        for await (const { byteLength } of source) sizes.push(byteLength);
      },
    };
    const [marker] = await attach("large.png", undefined, store);
    expect(marker).toMatchObject({
      marker: `$media:${createHash("sha256").update(data).digest("hex")}.png`,
      size_bytes: 5_000_000,
    });
    expect(sizes.reduce((sum, size) => sum + size)).toBe(5_000_000);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1024 * 1024);
  });

  it("API-118 gives text its length inside JSON, wherever the chunks cut it", async () => {
    const data = `${"ü".repeat(700_000)}"\n${"𝄞".repeat(200_000)}`;
    const [marker] = await attach({ name: "long.txt", data });
    expect(marker?.json_bytes).toBe(Buffer.byteLength(JSON.stringify(data)) - 2);
  });
});

describe("a store that does not take a file", () => {
  it("API-119 is told in one line, whatever it throws", async () => {
    const refusing = (error: unknown): MediaStore => ({
      get: async () => undefined,
      put: () => Promise.reject(error),
    });
    const error = await errorOf(
      attach({ name: "note.txt", data: "A note." }, undefined, refusing(new Error("no\nroom"))),
    );
    expect(error).toBeInstanceOf(MediaStoreUnavailableError);
    expect(error.message).toBe("The working media store did not take note.txt: no room. Nothing was sent.");
    const own = new MediaStoreUnavailableError("s3://bucket", "The bucket is gone.");
    expect(await errorOf(attach({ name: "note.txt", data: "A note." }, undefined, refusing(own)))).toBe(own);
  });

  it("API-119 is told where the folder is a file", async () => {
    await writeFile(join(cwd, "media"), "A file.");
    const error = await errorOf(
      attach({ name: "note.txt", data: "A note." }, undefined, new DirectoryMediaStore(join(cwd, "media"))),
    );
    expect(error.message).toMatch(/^Cannot [^\n]+$/);
  });
});

describe("what the reader does not take", () => {
  const cases: readonly (readonly [
    model: FileReader,
    file: AttachedFile,
    reason: string,
    message: RegExp,
  ])[] = [
    [
      { provider: "anthropic", model: "claude-haiku-4-5" },
      { name: "clip.wav", data: sample.wav() },
      "attachment",
      /^claude-haiku-4-5 does not take clip\.wav \(audio\/wav\): .* audio\/wav is taken by google\./,
    ],
    [
      { provider: "fireworks", model: "accounts/fireworks/models/kimi-k3" },
      { name: "contract.pdf", data: sample.smallPdf() },
      "attachment",
      /contract\.pdf \(application\/pdf\).*taken by anthropic, openai, google\./,
    ],
    [
      { provider: "anthropic", model: "claude-haiku-4-5" },
      { name: "wide.png", data: sample.pngOf(8_001, 10) },
      "too_large",
      /^wide\.png \(image\/png\) has a side of 8001 pixels, and claude-haiku-4-5 \(anthropic\) takes at most 8000 pixels\./,
    ],
    [
      { provider: "anthropic", model: "claude-haiku-4-5" },
      { name: "long.pdf", data: sample.smallPdf(101) },
      "too_large",
      /^long\.pdf \(application\/pdf\) has 101 pages, .* at most 100 pages\./,
    ],
    [
      { provider: "fireworks", model: "accounts/fireworks/models/kimi-k3" },
      { name: "large.png", data: sample.pngOfSize(3_800_000) },
      "too_large",
      /^large\.png \(image\/png\) has 5\.1 MB/,
    ],
  ];
  it.each(cases)("API-120 %j is refused before anything is stored", async (reader, file, reason, message) => {
    const error = await errorOf(attach(file, reader));
    expect(error).toBeInstanceOf(TurnRefusedError);
    expect(error).toMatchObject({ reason, message: expect.stringMatching(message) });
    expect(await storedKeys()).toEqual([]);
    expect(await errorOf(inspectFiles([file], { cwd, reader }))).toMatchObject({ reason });
  });

  it("API-121 is known of a marker too, and of the types that an endpoint takes besides", async () => {
    const [marker] = await attach({ name: "contract.pdf", data: sample.smallPdf() });
    const reader: FileReader = { provider: "compatible", model: "local" };
    if (marker === undefined) throw new Error("no marker");
    await expect(attachFiles({ mediaStore, cwd }, [marker], reader)).rejects.toMatchObject({
      reason: "attachment",
    });
    const endpoints = { compatible: ["application/pdf"] };
    expect(await attachFiles({ mediaStore, cwd }, [marker], { ...reader, endpoints })).toEqual([marker]);
  });
});
