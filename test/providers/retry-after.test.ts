import { describe, expect, it } from "vitest";
import { durationMs, retryAfterMs } from "../../src/providers/retry-after.js";

const NOW = Date.parse("2026-11-05T12:00:00Z");
const read = (headers: Readonly<Record<string, string>>) =>
  retryAfterMs((name) => headers[name] ?? null, NOW);

describe("how long a provider asks to wait", () => {
  it.each([
    ["milliseconds", { "retry-after-ms": "1500" }, 1500],
    ["milliseconds before seconds", { "retry-after-ms": "1500", "retry-after": "9" }, 1500],
    ["seconds", { "retry-after": "2" }, 2000],
    ["parts of a second", { "retry-after": "0.25" }, 250],
    ["an HTTP date", { "retry-after": "Thu, 05 Nov 2026 12:00:30 GMT" }, 30_000],
    ["a date that has passed", { "retry-after": "Thu, 05 Nov 2026 11:00:00 GMT" }, 0],
    ["nothing", {}, undefined],
    ["nonsense", { "retry-after": "soon" }, undefined],
    ["a blank", { "retry-after": " " }, undefined],
    ["nonsense beside seconds", { "retry-after-ms": "soon", "retry-after": "3" }, 3000],
  ])("PRV-10 is read from %s", (_what, headers, expected) => {
    expect(read(headers)).toBe(expected);
  });

  it("PRV-10 is read from a protobuf duration", () => {
    expect(["12.5s", "0s", "12", "-1s", 3].map(durationMs)).toEqual([
      12_500,
      0,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
