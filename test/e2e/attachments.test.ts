import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Conversations } from "../../src/client/conversations.js";
import { Agent } from "../../src/core/agent.js";
import { parseEnvelope } from "../../src/core/envelope/parse-envelope.js";
import { TurnRefusedError, UsageError } from "../../src/core/errors/errors.js";
import { pdfOf } from "../support/pdf.js";
import { startTestStack, type TestStack } from "../support/stack.js";
import { eventsOf, eventText } from "../support/temporal-view.js";

/** One pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const TEXT = "Clause 4. Payment is due in thirty days.";
const PROVIDERS = [
  { model: "claude-haiku-4-5", other: "claude-sonnet-5", takesPdf: true },
  { model: "gpt-6-luna", other: "gpt-6-sol", takesPdf: true },
  { model: "gemini-3.5-flash", other: "gemini-3.5-pro", takesPdf: true, keepsFiles: true },
  { model: "accounts/fireworks/models/kimi-k3", other: "accounts/fireworks/models/glm-6", takesPdf: false },
  { model: "compatible:local-model", other: "compatible:other-model", takesPdf: false },
];

let stack: TestStack;
let conversations: Conversations;
/** Another machine: the same server, stores of its own. */
let elsewhere: Conversations;
let pdf: Uint8Array;

beforeAll(async () => {
  stack = await startTestStack();
  conversations = await stack.conversations();
  elsewhere = await stack.conversations({ mediaStore: join(stack.folder, "other-media") });
  pdf = await pdfOf(TEXT);
  await writeFile(join(stack.folder, "contract.pdf"), pdf);
});
afterAll(() => stack.stop());
beforeEach(() => stack.simulator.reset());

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
const lastRequest = (): string => JSON.stringify(stack.simulator.calls.at(-1)?.body);

describe("attached files", () => {
  it("WFL-60 reach the provider as bytes, from a path, a URL, bytes, a Blob or named data, and stand in the state as markers", async () => {
    const session = await conversations.start(new Agent({ model: "claude-haiku-4-5" }));
    await session.run("What are these?", {
      files: [
        "contract.pdf",
        pathToFileURL(join(stack.folder, "contract.pdf")),
        new Uint8Array(PNG),
        new Blob([TEXT], { type: "text/markdown" }),
        { name: "notes.txt", data: "Call them on Monday." },
      ],
    });
    for (const bytes of [base64(pdf), base64(PNG), TEXT, "Call them on Monday."]) {
      expect(lastRequest()).toContain(bytes);
    }
    const state = JSON.stringify(await session.messages());
    expect(state.match(/"\$media:[0-9a-f]{64}\.(pdf|png|txt|md)"/g)).toHaveLength(5);
    const events = (await eventsOf(conversations, session.id)).map(eventText).join();
    for (const bytes of [base64(pdf), base64(PNG), TEXT]) {
      expect(state).not.toContain(bytes);
      expect(events).not.toContain(bytes);
    }
    expect((await session.inspect()).media).toMatchObject(
      Object.fromEntries(
        [...state.matchAll(/\$media:([0-9a-f]{64})\.pdf/g)].map(([, sha256 = ""]) => [
          sha256,
          { mime_type: "application/pdf", size_bytes: pdf.byteLength, name: "contract.pdf" },
        ]),
      ),
    );
  });

  it("WFL-61 are sent again with every later turn, also by a worker that has never seen them", async () => {
    const session = await conversations.start(new Agent({ model: "claude-haiku-4-5" }));
    await session.run("What is this?", { files: ["contract.pdf"] });
    await session.status();
    await stack.workers.at(-1)?.kill();
    await stack.startWorker();
    await session.run("And clause 5?");
    expect(lastRequest()).toContain(base64(pdf));
    expect(lastRequest()).not.toContain("$media:");
  });

  it("WFL-62 that the model does not take refuse the turn before any call, and the history stays as it is", async () => {
    const session = await conversations.start(new Agent({ model: "claude-haiku-4-5" }));
    const gzip = new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    const archive = { name: "archive.gz", data: gzip };
    const refused = await session.run("What is this?", { files: [archive] }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(TurnRefusedError);
    expect(refused).toMatchObject({ reason: "attachment", message: expect.stringContaining("archive.gz") });
    // A caller in another language has no such client: there the worker refuses.
    const marker = `$media:${"0".repeat(64)}.gz`;
    const file = { marker, mime_type: "application/gzip", size_bytes: gzip.length, name: "archive.gz" };
    await conversations.temporal.workflow
      .getHandle(session.id)
      .executeUpdate("submit_turn", { args: [{ turn_id: "t1", message: "What is this?", files: [file] }] });
    const turn = session.turn("t1");
    await expect(turn.result()).rejects.toMatchObject({ reason: "attachment" });
    expect(stack.simulator.calls).toHaveLength(0);
    expect(await session.messages()).toEqual([]);
    expect(await turn.view()).toMatchObject({ state: "refused", reason: "attachment" });
    expect((await session.toEnvelope()).turn_index).toMatchObject([{ turn_id: "t1", state: "refused" }]);
    expect((await session.run("Without it?")).messages).toEqual({ from: 0, to: 2 });
  });

  it("WFL-63 that are missing, empty, a folder or no file at all are refused with one line, and nothing is sent", async () => {
    const session = await conversations.start(new Agent({ model: "claude-haiku-4-5" }));
    const bad = [
      "missing.pdf",
      ".",
      new Uint8Array(),
      new URL("https://example.org/contract.pdf"),
      7 as never,
    ];
    for (const file of bad) {
      const refused = await session.run("What?", { files: [file] }).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(UsageError);
      expect((refused as Error).message).toMatch(/^[^\n]+$/);
    }
    expect(await session.status()).toMatchObject({ message_count: 0, queued: [] });
  });
});

describe.each(PROVIDERS)("on $model", ({ model, other, takesPdf, keepsFiles = false }) => {
  /** How the request has the file: as bytes, or by the address of an upload. */
  const expectSent = (data: Uint8Array): void => {
    expect(lastRequest()).toContain(keepsFiles ? '"fileUri":"http' : base64(data));
    expect(lastRequest()).not.toContain("$media:");
  };

  it("WFL-64 a conversation with a file is saved whole and continues byte for byte where nobody has its media", async () => {
    const session = await conversations.start(new Agent({ model, instructions: "Be brief." }));
    const file = takesPdf ? { name: "contract.pdf", data: pdf } : { name: "dot.png", data: PNG };
    const first = await session.run("What is this?", { files: [file] });
    expect(first).toMatchObject({ simulated: true, providerCalls: 1 });
    expect((await session.run("And again?")).output).not.toBe("");
    expectSent(file.data);
    expect(stack.simulator.calls.flatMap(({ issues }) => issues)).toEqual([]);

    const text = await session.toJson();
    const saved = parseEnvelope(text).envelope;
    expect(text).toContain(base64(file.data));
    expect(text).not.toContain("$media:");
    expect(await session.persistenceReport()).toMatchObject({
      size_bytes: Buffer.byteLength(text),
      media: [{ message_index: 0, size_bytes: file.data.byteLength }],
    });

    const restored = await elsewhere.fromJson(text, {
      id: `${session.id}-elsewhere`,
      agent: new Agent({ model: other }),
    });
    const again = await restored.toEnvelope();
    expect(again.messages).toEqual(saved.messages);
    expect(JSON.stringify(await restored.messages())).toContain("$media:");
    expect(await restored.mediaReport()).toEqual([]);
    expect((await restored.run("Still there?")).model).toBe(other.replace("compatible:", ""));
    expectSent(file.data);
  });
});
