import { describe, expect, it } from "vitest";
import { Cleanup } from "../../src/connection/cleanup.js";

describe("Cleanup", () => {
  it("CON-70 stops what was started, newest first, all of it even when a step fails, and each once", async () => {
    const done: string[] = [];
    const cleanup = new Cleanup();
    cleanup.defer(() => void done.push("first"));
    cleanup.defer(() => Promise.reject(new Error("stuck")));
    cleanup.use({ [Symbol.asyncDispose]: async () => void done.push("last") });
    await expect(cleanup.disposeAsync()).rejects.toThrow("stuck");
    expect(done).toEqual(["last", "first"]);
    await cleanup.disposeAsync();
    expect(done).toHaveLength(2);
  });

  it("CON-71 hands over what it would stop", async () => {
    const done: string[] = [];
    const cleanup = new Cleanup();
    cleanup.defer(() => void done.push("moved"));
    const moved = cleanup.move();
    await cleanup.disposeAsync();
    expect(done).toEqual([]);
    await moved.disposeAsync();
    expect(done).toEqual(["moved"]);
  });
});
