import { mkdtempSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { openBoundedLog } from "../../src/server/bounded-log.js";

describe("the server's log", () => {
  it("SRV-13 moves to temporal.log.1 above its bound and goes on", async () => {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-log-"));
    const path = join(folder, "temporal.log");
    const log = openBoundedLog(path, { bytes: 100, checkIntervalMs: 5 });
    try {
      writeSync(log.descriptor, `${"a".repeat(200)}\n`);
      await vi.waitFor(() => expect(readFileSync(`${path}.1`, "utf8")).toMatch(/^a{200}\n$/));
      writeSync(log.descriptor, "next\n");
      expect(readFileSync(path, "utf8")).toBe("next\n");
    } finally {
      log.close();
      rmSync(folder, { recursive: true });
    }
  });
});
