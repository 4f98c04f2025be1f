import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Conversations } from "../../src/client/conversations.js";
import { AGENT } from "../support/long-turn.js";
import { startTestStack, type TestStack } from "../support/stack.js";
import { runCommand } from "./run-command.js";

let stack: TestStack;
let conversations: Conversations;
beforeAll(async () => {
  stack = await startTestStack({ workers: 0 });
  conversations = await stack.conversations();
});
afterAll(() => stack.stop());

describe("holdfast send where no worker lives", () => {
  it("CMD-390 names the turn that waits at the server, and the option under which it is sent again and runs once", async () => {
    const session = await conversations.start(AGENT, { id: "waiting" });
    const send = (...more: readonly string[]) =>
      runCommand(["send", session.id, "Does this wait?", "--json", ...more], { cwd: stack.folder });
    const { code, stdout, stderr } = await send();
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^holdfast: No worker takes [^\n]*`holdfast send --turn-id`\) it runs once\.\n$/);
    const turnId = /as turn (\S+) and is answered once one does/.exec(stderr)?.[1] ?? "none";
    const worker = await stack.startWorker();
    const again = await send("--turn-id", turnId);
    expect(JSON.parse(again.stdout)).toMatchObject({ turnId, output: expect.stringContaining("wait") });
    expect((await session.status()).run_count).toBe(1);
    expect(stack.simulator.calls).toHaveLength(1);
    await worker.kill();
  });
});
