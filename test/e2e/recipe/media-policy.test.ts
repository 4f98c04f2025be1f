/** Saving without a store, which is the inline policy. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Agent } from "../../../src/core/agent.js";
import { repositoryRoot } from "../../support/source-file.js";
import { startTestStack, type TestStack } from "../../support/stack.js";

const INLINE = [
  { model: "claude-haiku-4-5", file: "examples/contract.pdf" },
  { model: "gpt-6-luna", file: "examples/contract.pdf" },
];

describe("media policy", () => {
  let here: TestStack;
  let elsewhere: TestStack;

  beforeAll(async () => {
    [here, elsewhere] = await Promise.all([startTestStack(), startTestStack()]);
  });
  afterAll(() => Promise.all([here.stop(), elsewhere.stop()]));

  it.each(INLINE)(
    "REC-11 continues on another server from a file alone: $model, $file",
    async ({ model, file }) => {
      const path = join(here.folder, `${model}.json`);
      const bytes = await readFile(join(repositoryRoot, file));
      const agent = new Agent({ model, instructions: "You describe media. Be brief." });
      const session = await (await here.conversations()).start(agent);
      const first = await session.run("What is this?", { files: [join(repositoryRoot, file)] });
      expect(first.mediaUploads).toEqual([]);
      await session.toJson({ path });
      expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ media_policy: "inline" });

      const restored = await (await elsewhere.conversations()).fromJson(path, { agent });
      await restored.run("And how long is it?");
      expect(JSON.stringify(elsewhere.simulator.calls.at(-1)?.body)).toContain(bytes.toString("base64"));
      expect(await restored.mediaReport()).toEqual([]);
      const [before, after] = [await session.toEnvelope(), await restored.toEnvelope()];
      expect(after.messages.slice(0, before.messages.length)).toEqual(before.messages);
    },
  );

  it("REC-11 continues on another server from a file alone where the file is an upload, made again from the file's own bytes", async () => {
    const path = join(here.folder, "clip.json");
    const clip = join(repositoryRoot, "examples/clip.wav");
    const agent = new Agent({
      model: "gemini-3.5-flash-lite",
      instructions: "You describe media. Be brief.",
    });
    const session = await (await here.conversations()).start(agent);
    const { mediaUploads } = await session.run("What is in this clip?", { files: [clip] });
    expect(mediaUploads).toMatchObject([{ name: "clip.wav", uri: expect.stringContaining("/files/") }]);
    await session.toJson({ path });
    const saved = JSON.parse(await readFile(path, "utf8"));
    expect(saved).toMatchObject({ media_policy: "inline" });
    expect(Object.values(saved.media)).toMatchObject([
      { uri: mediaUploads[0]?.uri, data: (await readFile(clip)).toString("base64") },
    ]);

    const restored = await (await elsewhere.conversations()).fromJson(path, { agent });
    const { mediaUploads: again } = await restored.run("And how long is it?");
    expect(JSON.stringify(elsewhere.simulator.calls.at(-1)?.body)).toContain(again[0]?.uri);
    // The other server is another service to the upload: it does not know it.
    expect(await restored.mediaReport()).toMatchObject([
      { reason: "dead_uri_reuploaded", uri: mediaUploads[0]?.uri },
    ]);
    expect((await restored.messages()).slice(0, 2)).toEqual(await session.messages());
  });
});
