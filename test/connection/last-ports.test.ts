import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readLastPorts, writeLastPorts } from "../../src/connection/last-ports.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-last-ports-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe("the last ports of a folder", () => {
  it("CMD-211 are known after the `holdfast dev` has ended, the simulator's also after one without", () => {
    expect(readLastPorts(folder)).toEqual({});
    writeLastPorts(folder, { server: 7399, ui: 7400, simulator: 7401 });
    writeLastPorts(folder, { server: 7402, ui: 7400, simulator: undefined });
    expect(readLastPorts(folder)).toEqual({ server: 7402, ui: 7400, simulator: 7401 });
  });

  it.each(["", "[]", "null", '{"server":80,"ui":"7400","simulator":70000}'])(
    "CMD-211 are not taken from a file that holds none (%j)",
    (text) => {
      writeFileSync(join(folder, "dev.ports"), text);
      expect(readLastPorts(folder)).toEqual({});
    },
  );
});
