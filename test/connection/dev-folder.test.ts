import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createDevFolder,
  type DevStateInput,
  findDevFolder,
  removeDevState,
  writeDevState,
} from "../../src/connection/dev-folder.js";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "holdfast-dev-folder-"));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const STATE: DevStateInput = {
  pid: process.pid,
  address: "127.0.0.1:4711",
  namespace: "holdfast",
  task_queue: "holdfast",
  ui_url: null,
  stream: { url: "http://127.0.0.1:4712", token: "secret" },
  started_at: "2026-11-29T12:00:00.000Z",
};
/** No process has it: Linux and macOS give out smaller ones. */
const NO_PID = 2 ** 30;

describe("the .holdfast folder", () => {
  it("CON-1 is found from the folder it lies in and from any folder below", () => {
    const path = createDevFolder(root);
    writeDevState(path, STATE);
    const below = join(root, "a", "b");
    mkdirSync(below, { recursive: true });
    for (const from of [root, below]) expect(findDevFolder(from)).toMatchObject({ root, path, state: STATE });
    expect(findDevFolder(root)?.problem).toBeNull();
  });

  it("CON-1 is found without a running `holdfast dev`, and then has no state", () => {
    createDevFolder(root);
    expect(findDevFolder(root)).toMatchObject({ root, state: null, problem: null });
  });

  it("CON-2 keeps its token from other users and its content out of version control", () => {
    const path = createDevFolder(root);
    writeDevState(path, STATE);
    expect(statSync(join(path, "dev.json")).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(path, ".gitignore"), "utf8")).toBe("*\n");
  });

  it("CON-2 leaves a .gitignore that is there as it is", () => {
    const path = createDevFolder(root);
    writeFileSync(join(path, ".gitignore"), "mine\n");
    createDevFolder(root);
    expect(readFileSync(join(path, ".gitignore"), "utf8")).toBe("mine\n");
  });

  it("CON-3 says that the `holdfast dev` of a left-over state no longer runs", () => {
    const path = createDevFolder(root);
    writeDevState(path, { ...STATE, pid: NO_PID });
    expect(findDevFolder(root)?.state).toBeNull();
    expect(findDevFolder(root)?.problem).toMatch(/`holdfast dev`.*\(pid 1073741824\) no longer runs$/);
  });

  it.runIf(process.platform === "linux")("CON-3 does not take another process of the same pid for it", () => {
    const path = createDevFolder(root);
    writeDevState(path, STATE);
    const file = join(path, "dev.json");
    const state = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
    writeFileSync(file, JSON.stringify({ ...state, process_started: "1" }));
    expect(findDevFolder(root)?.problem).toContain("no longer runs");
  });

  it.each(["", "{", "[]", "{}", JSON.stringify({ ...STATE, version: 1, address: 5 })])(
    "CON-3 says that a damaged state (%j) cannot be read",
    (text) => {
      const path = createDevFolder(root);
      writeFileSync(join(path, "dev.json"), text);
      expect(findDevFolder(root)).toMatchObject({ state: null });
      expect(findDevFolder(root)?.problem).toMatch(/dev\.json cannot be read$/);
    },
  );

  it.runIf(process.getuid?.() === 0)("CON-3 does not follow a state that another user wrote", () => {
    const path = createDevFolder(root);
    writeDevState(path, STATE);
    chownSync(join(path, "dev.json"), 12_345, 12_345);
    expect(findDevFolder(root)?.state).toBeNull();
    expect(findDevFolder(root)?.problem).toContain("another user");
  });

  it("CON-4 is taken back by the process that wrote it only", () => {
    const path = createDevFolder(root);
    writeDevState(path, STATE);
    removeDevState(path, NO_PID);
    expect(findDevFolder(root)?.state).not.toBeNull();
    removeDevState(path, process.pid);
    expect(findDevFolder(root)).toMatchObject({ state: null, problem: null });
    removeDevState(path, process.pid);
  });

  it("CON-2 replaces an older state in one step, whatever its mode was", () => {
    const path = createDevFolder(root);
    writeFileSync(join(path, "dev.json"), "old", { mode: 0o644 });
    chmodSync(join(path, "dev.json"), 0o644);
    writeDevState(path, STATE);
    expect(statSync(join(path, "dev.json")).mode & 0o777).toBe(0o600);
    expect(findDevFolder(root)?.state?.address).toBe(STATE.address);
  });
});
