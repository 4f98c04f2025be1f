import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { type IncomingMessage, request } from "node:http";
import { Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { InProcessHub } from "../../src/connection/frame-buffer.js";
import { SseFrameSink } from "../../src/connection/sse-frame-sink.js";
import { SseFrameSource } from "../../src/connection/sse-frame-source.js";
import type { StreamAddress } from "../../src/connection/stream-address.js";
import { sendFrames } from "../../src/server/send-events.js";
import { type StreamHub, type StreamHubOptions, startStreamHub } from "../../src/server/stream-hub.js";
import { attemptStart, end, places, take, text } from "./frames.js";

/** A connection whose other side takes nothing. */
class StalledResponse extends Writable {
  writes = 0;
  override _write(): void {
    this.writes += 1;
  }
  writeHead(): this {
    return this;
  }
  flushHeaders(): void {}
}

const never = new AbortController().signal;
const hubs: StreamHub[] = [];

async function hubOf(options: StreamHubOptions = {}): Promise<StreamHub> {
  const hub = await startStreamHub(options);
  hubs.push(hub);
  return hub;
}

afterEach(async () => {
  await Promise.all(hubs.splice(0).map((hub) => hub.stop()));
});

const ndjson = (frames: readonly unknown[]): string =>
  frames.map((frame) => JSON.stringify(frame)).join("\n");

function post(hub: StreamHub, body: string, token = hub.token): Promise<Response> {
  return fetch(`${hub.url}/conversations/c/frames`, {
    method: "POST",
    body,
    headers: { authorization: `Bearer ${token}` },
  });
}

function get(hub: StreamHub, query = "", headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${hub.url}/conversations/c/turns/t/frames${query}`, {
    headers: { authorization: `Bearer ${hub.token}`, ...headers },
  });
}

describe("the stream hub", () => {
  it("STR-9 listens on loopback only and gives out a token that cannot be guessed", async () => {
    const [one, two] = [await hubOf(), await hubOf()];
    expect(one.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(one.token).toMatch(/^[\w-]{40,}$/);
    expect(two.token).not.toBe(one.token);
  });

  it("STR-9 refuses a missing or wrong token on both sides with 401", async () => {
    const hub = await hubOf();
    const { status } = await post(hub, ndjson([text("t", 1, 0)]), `${hub.token}x`);
    const read = await fetch(`${hub.url}/conversations/c/turns/t/frames`);
    expect([status, read.status, hub.hub.kept.turns]).toEqual([401, 401, 0]);
    await read.body?.cancel();
  });

  it("STR-8 refuses a batch with an unknown frame with 400, naming its line, and takes none of it", async () => {
    const hub = await hubOf();
    const response = await post(hub, ndjson([text("t", 1, 0), { type: "confetti" }]));
    expect(response.status).toBe(400);
    expect(((await response.json()) as { error: string }).error).toContain("Line 2");
    expect(hub.hub.kept.turns).toBe(0);
  });

  it("STR-8 refuses text that is no JSON with 400, a batch above 4 MiB with 413 and another address with 404", async () => {
    const hub = await hubOf();
    const large = ndjson([text("t", 1, 0, "x".repeat(5 * 1024 * 1024))]);
    const other = await fetch(`${hub.url}/turns`, { headers: { authorization: `Bearer ${hub.token}` } });
    const statuses = [(await post(hub, "{")).status, (await post(hub, large)).status, other.status];
    expect(statuses).toEqual([400, 413, 404]);
  });

  it("STR-8 refuses JSON that is nested too deep, and an address that is none, with 400", async () => {
    const hub = await hubOf();
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const batch = `{"turn":"t","attempt":1,"seq":0,"type":"end","state":"committed","digest":null,"result":${deep}}`;
    const refused = await post(hub, batch);
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain("Line 1: it is nested deeper than 1000 levels");
    expect((await post(hub, ndjson([text("t", 1, 0, "[".repeat(5_000))]))).status).toBe(204);
    const headers = { authorization: `Bearer ${hub.token}` };
    const asked = request(hub.url, { path: "//", headers }).end();
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(400);
  });

  it("STR-10 streams frames as server-sent events whose ids are cursors, and ends after the end frame", async () => {
    const hub = await hubOf();
    await post(hub, ndjson([attemptStart("t", 1), text("t", 1, 1, "Hi\nthere"), end("t", 1, 2)]));
    const response = await get(hub);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const events = (await response.text()).trimEnd().split("\n\n");
    expect(events.map((event) => event.split("\n")[0])).toEqual(["id: 1.0", "id: 1.1", "id: 1.2"]);
    expect(JSON.parse(events[1]?.split("\n")[1]?.replace("data: ", "") ?? "")).toEqual(
      text("t", 1, 1, "Hi\nthere"),
    );
  });

  it("STR-4 goes on after Last-Event-ID or ?from=, and refuses what is no cursor with 400", async () => {
    const hub = await hubOf();
    await post(hub, ndjson([text("t", 1, 0), text("t", 1, 1), end("t", 1, 2)]));
    const byHeader = await (await get(hub, "", { "last-event-id": "1.0" })).text();
    const byQuery = await (await get(hub, "?from=1.1")).text();
    expect(byHeader.match(/^id: .*$/gm)).toEqual(["id: 1.1", "id: 1.2"]);
    expect(byQuery.match(/^id: .*$/gm)).toEqual(["id: 1.2"]);
    expect((await get(hub, "?from=soon")).status).toBe(400);
  });

  it("STR-11 keeps a quiet connection alive with comments, which no reader takes for frames", async () => {
    const hub = await hubOf({ keepAliveMs: 5 });
    const response = await get(hub);
    const reader = response.body?.getReader();
    const first = await reader?.read();
    expect(new TextDecoder().decode(first?.value)).toMatch(/^: .*\n\n/);
    await reader?.cancel();
  });

  it("STR-11 cuts off a reader that takes nothing, without keeping anything for it", async () => {
    const hub = new InProcessHub();
    const response = new StalledResponse();
    const closed = once(response, "close");
    const stopping = new AbortController().signal;
    const options = { stopping, keepAliveMs: 1_000, stalledMs: 20 };
    const frames = { hub, conversationId: "c", turnId: "t", from: null };
    const sending = sendFrames(response as unknown as ServerResponse, options, frames);
    for (let seq = 0; seq < 100; seq += 1) hub.push("c", text("t", 1, seq, "x".repeat(10_000)));
    await Promise.all([sending, closed]);
    expect(response.writableFinished).toBe(false);
    expect(response.writes).toBe(1);
  });

  it("STR-9 says in one line that a port is taken", async () => {
    const hub = await hubOf();
    const port = Number(new URL(hub.url).port);
    await expect(startStreamHub({ port })).rejects.toMatchObject({ code: "UsageError" });
  });
});

describe("worker and reader across the hub", () => {
  it("STR-12 carries frames from a worker's sink to a reader, in order, several conversations side by side", async () => {
    const hub = await hubOf();
    const sink = new SseFrameSink(hub);
    const source = new SseFrameSource(hub);
    const ids = ["a", "b/ü", "c d"];
    const reading = ids.map((id) => take(source.subscribe(id, "t?", { signal: never })));
    for (let seq = 0; seq < 200; seq += 1)
      for (const id of ids) sink.push(id, text("t?", 1, seq, `${id}${seq}`));
    for (const id of ids) sink.push(id, end("t?", 1, 200));
    for (const [index, frames] of (await Promise.all(reading)).entries()) {
      expect(frames).toHaveLength(201);
      expect(frames[199]).toEqual(text("t?", 1, 199, `${ids[index]}199`));
    }
    expect(sink.dropped).toBe(0);
    await sink.close();
  });

  it("STR-13 has sent everything when flush resolves", async () => {
    const hub = await hubOf();
    const sink = new SseFrameSink(hub);
    for (let seq = 0; seq < 150; seq += 1) sink.push("c", text("t", 1, seq));
    await sink.flush();
    const kept = await take(hub.hub.subscribe("c", "t", { signal: never }), 150);
    expect(kept).toHaveLength(150);
    await sink.close();
  });

  it("STR-13 neither throws nor waits for ever when the hub is away, and delivers once it is back", async () => {
    const first = await hubOf({ token: "secret" });
    const port = Number(new URL(first.url).port);
    await first.stop();
    const sink = new SseFrameSink(first);
    sink.push("c", text("t", 1, 0));
    const again = await hubOf({ token: "secret", port });
    sink.push("c", end("t", 1, 1));
    expect(places(await take(again.hub.subscribe("c", "t", { signal: never })))).toEqual(["1.0", "end"]);
    await sink.close();
  });

  it("STR-13 does not wait again and again for a hub that has been away for longer than a flush waits", async () => {
    const hub = await hubOf();
    await hub.stop();
    vi.useFakeTimers({ toFake: ["Date"] });
    const sink = new SseFrameSink(hub);
    sink.push("c", text("t", 1, 0));
    const flushed = (): Promise<string> =>
      Promise.race([sink.flush().then(() => "at once"), delay(500).then(() => "waits")]);
    expect(await flushed()).toBe("waits");
    vi.setSystemTime(Date.now() + 3_000);
    expect(await flushed()).toBe("at once");
    await sink.close();
    vi.useRealTimers();
  });

  it("STR-13 counts what it drops, says so once, and takes no frame after its close", async () => {
    const hub = await hubOf();
    const problems: string[] = [];
    const sink = new SseFrameSink({ ...hub, token: "wrong", onProblem: (message) => problems.push(message) });
    for (let seq = 0; seq < 3; seq += 1) {
      sink.push("c", text("t", 1, seq));
      await sink.flush();
    }
    expect(sink.dropped).toBe(3);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain("401");
    await sink.close();
    sink.push("c", text("t", 1, 9));
    expect(sink.dropped).toBe(4);
  });

  it("STR-13 keeps only the newest frames while the hub is away", async () => {
    const hub = await hubOf({ token: "secret" });
    const port = Number(new URL(hub.url).port);
    await hub.stop();
    const sink = new SseFrameSink(hub);
    for (let seq = 0; seq < 5_000; seq += 1) sink.push("c", text("t", 1, seq));
    sink.push("c", end("t", 1, 5_000));
    expect(sink.dropped).toBeGreaterThan(0);
    const again = await hubOf({ token: "secret", port });
    const frames = await take(again.hub.subscribe("c", "t", { signal: never }));
    expect(places(frames).slice(-2)).toEqual(["1.4999", "end"]);
    expect(frames.length).toBe(5_001 - sink.dropped);
    await sink.close();
  });

  it("STR-14 takes up a lost connection after the last frame that was seen, nothing twice and nothing left out", async () => {
    const hub = await hubOf({ token: "secret" });
    const port = Number(new URL(hub.url).port);
    const source = new SseFrameSource(hub);
    const frames: string[] = [];
    let arrived = (): void => undefined;
    const reading = (async () => {
      for await (const frame of source.subscribe("c", "t", { signal: never })) {
        frames.push(...places([frame]));
        arrived();
      }
    })();
    const two = new Promise<void>((resolve) => {
      arrived = () => frames.length === 2 && resolve();
    });
    hub.hub.push("c", text("t", 1, 0));
    hub.hub.push("c", text("t", 1, 1));
    await two;
    await hub.stop();
    await hubOf({ token: "secret", port, hub: hub.hub });
    hub.hub.push("c", text("t", 1, 2));
    hub.hub.push("c", end("t", 1, 3));
    await reading;
    expect(frames).toEqual(["1.0", "1.1", "1.2", "end"]);
  });

  it("STR-51 looks up where the hub is at each connection: another port, another token", async () => {
    const first = await hubOf({ token: "secret" });
    let address: StreamAddress = first;
    const reading = take(new SseFrameSource(() => address).subscribe("c", "t", { signal: never }));
    first.hub.push("c", text("t", 1, 0));
    await first.stop();
    const second = await hubOf({ token: "other" });
    address = second;
    second.hub.push("c", text("t", 1, 1));
    second.hub.push("c", end("t", 1, 2));
    expect(places(await reading).slice(-2)).toEqual(["1.1", "end"]);
  });

  it("STR-340 sends frames to where the hub is when the one that was there is gone: another port, another token", async () => {
    const first = await hubOf({ token: "secret" });
    let address: StreamAddress = first;
    const sink = new SseFrameSink(() => address);
    sink.push("c", text("t", 1, 0));
    await sink.flush();
    await first.stop();
    const second = await hubOf({ token: "other" });
    address = second;
    sink.push("c", text("t", 1, 1));
    sink.push("c", end("t", 1, 2));
    await sink.flush();
    expect(places(await take(second.hub.subscribe("c", "t", { signal: never }))).slice(-2)).toEqual([
      "1.1",
      "end",
    ]);
    expect(sink.dropped).toBe(0);
    await sink.close();
  });

  it("STR-14 ends reading at the abort, also while the hub is away, and throws only for a refused token", async () => {
    const hub = await hubOf();
    const refused = new SseFrameSource({ url: hub.url, token: "wrong" });
    await expect(take(refused.subscribe("c", "t", { signal: never }))).rejects.toMatchObject({
      code: "ServerUnreachableError",
    });
    await hub.stop();
    const stop = new AbortController();
    const reading = take(new SseFrameSource(hub).subscribe("c", "t", { signal: stop.signal }));
    setTimeout(() => stop.abort(), 20);
    expect(await reading).toEqual([]);
  });

  it("STR-15 serves readers in the hub's own process and across HTTP alike", async () => {
    const hub = await hubOf();
    const inside = take(hub.hub.subscribe("c", "t", { signal: never }));
    const outside = take(new SseFrameSource(hub).subscribe("c", "t", { signal: never }));
    const sink = new SseFrameSink(hub);
    sink.push("c", attemptStart("t", 1));
    sink.push("c", end("t", 1, 1));
    expect(await inside).toEqual(await outside);
    await sink.close();
  });
});
