import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { lifeOf, thisProcess } from "../../src/connection/process-owner.js";

const here = thisProcess();

describe("whose an entry of the journal is", () => {
  it("JRN-11 is known to live or to be dead by pid and start, on one machine and in one PID namespace", async () => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => 0, 1000)"]);
    const owner = { ...here, pid: child.pid ?? 0, process_started: null };
    expect(lifeOf(here, here)).toBe("alive");
    expect(lifeOf(owner, here)).toBe("alive");
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(lifeOf(owner, here)).toBe("dead");
  });

  it.runIf(here.process_started !== null)("JRN-11 is dead where its pid has been given out again", () => {
    expect(lifeOf({ ...here, process_started: "1" }, here)).toBe("dead");
  });

  it("JRN-11 is not known of another boot, PID namespace or machine", () => {
    const known = { ...here, boot_id: "a", pid_namespace: "pid:[1]", process_started: null };
    expect(lifeOf({ ...known, boot_id: "b" }, known)).toBe("unknown");
    expect(lifeOf({ ...known, pid_namespace: "pid:[2]" }, known)).toBe("unknown");
    expect(lifeOf({ ...known, host: "renamed" }, known)).toBe("alive");
    const vague = { ...known, boot_id: null, pid_namespace: null };
    expect(lifeOf(vague, vague)).toBe("alive");
    expect(lifeOf({ ...vague, host: "another" }, vague)).toBe("unknown");
  });
});
