import { describe, expect, it } from "vitest";
import { countMediaTokens } from "../../src/simulator/token-estimate.js";

const MIB = 1024 * 1024;

describe("what media count for in the simulator", () => {
  it("SIM-190 is sound by the second, film and pictures by their kind, and text alone by its bytes", () => {
    expect(countMediaTokens("audio/wav", 16_000 * 60)).toBe(32 * 60);
    expect(countMediaTokens("audio/mpeg", 1)).toBe(32);
    expect(countMediaTokens("video/mp4", 100 * MIB)).toBeLessThan(300_000);
    expect(countMediaTokens("image/png", 5 * MIB)).toBe(countMediaTokens("image/png", 5));
    expect(countMediaTokens("application/zip", 5 * MIB)).toBe(1_000);
    expect(countMediaTokens("text/csv", 4_000)).toBe(1_000);
  });
});
