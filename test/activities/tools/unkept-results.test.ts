import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { callTool } from "../../../src/activities/tools/call-tool.js";
import { defineTool, type ToolDefinition } from "../../../src/activities/tools/define-tool.js";
import type { MediaStore } from "../../../src/core/media/media-store.js";
import { DirectoryMediaStore } from "../../../src/media-stores/directory-media-store.js";
import { MemoryMediaStore } from "../../../src/media-stores/memory-media-store.js";
import { activityStage, activityWorld } from "../../support/activity-world.js";
import { PIXEL } from "../../support/test-tools.js";

const png = Buffer.from(PIXEL, "base64");
const BROKEN = "The media store /srv/media cannot be written: it is not a folder.";

/** A memory store whose first puts fail; for ever, by default. */
class FailingStore extends MemoryMediaStore {
  puts = 0;
  readonly #failing: number;

  constructor(failing = Number.POSITIVE_INFINITY) {
    super();
    this.#failing = failing;
  }

  override async put(...call: Parameters<MediaStore["put"]>): Promise<void> {
    if (++this.puts <= this.#failing) throw new Error(BROKEN);
    return super.put(...call);
  }
}

async function play(value: unknown, mediaStore: MediaStore, definition: Partial<ToolDefinition> = {}) {
  let runs = 0;
  const execute = () => {
    runs++;
    return value;
  };
  const tool = defineTool({ name: "look", retry: { maximumAttempts: 3 }, execute, ...definition });
  const world = activityWorld(undefined, { tools: new Map([["look", tool]]), mediaStore });
  const call = { id: "call_1", name: "look", arguments: {} };
  const input = { conversation_id: "review", turn_id: "t", round: 1, position: 1, call, known: true };
  const said: string[] = [];
  const stage = activityStage({
    isLocal: tool.local === true,
    log: ({ level, message }) => void (level === "WARN" && said.push(message)),
  });
  const outcome = await stage.environment.run(() => callTool(world.dependencies, { ...input, attempt: 1 }));
  return { outcome, runs, said };
}

describe("the result of a tool that the media store does not take", () => {
  it("ACT-380 stays a success after one run, cut to what fits, and says so to the model and to the log", async () => {
    const store = new FailingStore();
    const { outcome, runs, said } = await play("ä".repeat(200_000), store);
    expect(outcome).toEqual({ output: expect.stringMatching(/^ä{131072}\n\[/), is_error: false });
    expect(outcome).toMatchObject({
      output: expect.stringMatching(
        /\n\[cut: the first 262144 of 400000 bytes of what look returned; the rest could not be kept\]$/,
      ),
    });
    expect(runs).toBe(1);
    expect(store.puts).toBe(4);
    expect(said).toEqual([`The media store did not take what tool look returned: ${BROKEN}`]);
  });

  it("ACT-380 names the files that are missing, and keeps what else was returned", async () => {
    const files = [{ name: "a.png", data: png }, { name: "b.txt", data: "two" }, png];
    const { outcome, runs } = await play({ text: "Here.", files }, new FailingStore());
    expect(outcome).toEqual({
      output: "Here.\n\nb.txt:\ntwo\n\n[could not be kept and is missing here: a.png, look-3]",
      is_error: false,
    });
    expect(runs).toBe(1);
    const many = await play({ files: Array.from({ length: 30 }, () => png) }, new FailingStore());
    expect(many.outcome).toMatchObject({ output: expect.stringMatching(/look-20 and 10 more\]$/) });
  });

  it("ACT-380 has the log name the folder that is none", async () => {
    const file = fileURLToPath(import.meta.url);
    const { outcome, said } = await play(png, new DirectoryMediaStore(file));
    expect(outcome).toMatchObject({ is_error: false });
    expect(said).toEqual([expect.stringContaining(file)]);
  });

  it("ACT-381 is offered again a few times, and kept where the store takes it then", async () => {
    const { outcome, runs, said } = await play({ name: "a.png", data: png }, new FailingStore(3));
    expect(outcome).toMatchObject({ output: "", is_error: false, files: [{ name: "a.png" }] });
    expect(runs).toBe(1);
    expect(said).toEqual([]);
  });

  it("ACT-381 waits for no store that is silent for longer than a call has time", async () => {
    const store = new MemoryMediaStore();
    store.put = () => new Promise(() => undefined);
    const { outcome, said } = await play(png, store, { local: true, idempotent: true });
    expect(outcome).toEqual({
      output: "[could not be kept and is missing here: look-1]",
      is_error: false,
    });
    expect(said).toEqual([
      "The media store did not take what tool look returned: it did not take it within 0.8 s",
    ]);
  });

  it.each([
    [
      "a getter that throws",
      Object.defineProperty({}, "files", {
        get: () => {
          throw new Error("Gone.");
        },
      }),
      "[The result of look cannot be read: Gone.]",
    ],
    [
      "a Blob that cannot be read",
      Object.assign(new Blob(["x"]), { bytes: () => Promise.reject(new Error("Gone.")) }),
      "[could not be kept and is missing here: look-1]",
    ],
  ])("ACT-380 stays a success also where it cannot be read: %s", async (_what, value, output) => {
    const { outcome, runs } = await play(value, new MemoryMediaStore());
    expect(outcome).toEqual({ output, is_error: false });
    expect(runs).toBe(1);
  });
});
