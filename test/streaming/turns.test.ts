import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { InProcessHub } from "../../src/connection/frame-buffer.js";
import { SseFrameSource } from "../../src/connection/sse-frame-source.js";
import { startStreamHub } from "../../src/server/stream-hub.js";
import { end, take, text } from "./frames.js";

describe("the turns of a conversation", () => {
  it("STR-46 are told over HTTP to those with the token only", async () => {
    const hub = await startStreamHub();
    const answer = await fetch(`${hub.url}/conversations/c/turns`);
    expect(answer.status).toBe(401);
    const stop = new AbortController();
    const wrong = new SseFrameSource({ url: hub.url, token: "wrong" });
    await expect(wrong.turns("c", { signal: stop.signal }).next()).rejects.toMatchObject({
      code: "ServerUnreachableError",
    });
    await hub.stop();
  });

  it("STR-46 come to a follower whose connection was lost, also those that began and ended meanwhile, none twice", async () => {
    const kept = new InProcessHub();
    let hub = await startStreamHub({ hub: kept });
    const { port } = new URL(hub.url);
    for (const frame of [text("old", 1, 0), end("old", 1, 1), text("running", 1, 0)]) kept.push("c", frame);
    const stop = new AbortController();
    const told: string[] = [];
    const following = (async () => {
      for await (const turn of new SseFrameSource(hub).turns("c", { signal: stop.signal })) told.push(turn);
    })();
    await expect.poll(() => told).toEqual(["running"]);
    await hub.stop();
    for (const frame of [text("missed", 1, 0), end("missed", 1, 1)]) kept.push("c", frame);
    hub = await startStreamHub({ hub: kept, token: hub.token, port: Number(port) });
    await expect.poll(() => told).toContain("missed");
    kept.push("c", text("next", 1, 0));
    await expect.poll(() => told).toContain("next");
    expect(told.toSorted()).toEqual(["missed", "next", "running"]);
    stop.abort();
    await following;
    await hub.stop();
  });

  it("STR-46 leave nothing behind when a follower leaves, and are those of its own conversation", async () => {
    const hub = new InProcessHub();
    const stop = new AbortController();
    const turns = take(hub.turns("c", { signal: stop.signal }) as never);
    hub.push("other", text("elsewhere", 1, 0));
    hub.push("c", text("t", 1, 0));
    hub.push("c", text("t", 1, 1));
    await delay(1);
    stop.abort();
    expect(await turns).toEqual(["t"]);
    hub.push("c", text("later", 1, 0));
    expect(hub.kept.turns).toBe(3);
  });

  it("STR-39 of a turn that has ended, a reader at its end gets 204", async () => {
    const hub = await startStreamHub();
    for (const frame of [text("t", 1, 0), end("t", 1, 1)]) hub.hub.push("c", frame);
    const read = (from: string) =>
      fetch(`${hub.url}/conversations/c/turns/t/frames?from=${from}`, {
        headers: { authorization: `Bearer ${hub.token}` },
      });
    expect((await read("1.1")).status).toBe(204);
    expect(await (await read("1.0")).text()).toMatch(/^id: 1\.1\n/);
    await hub.stop();
  });
});
