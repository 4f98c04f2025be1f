import { describe, expect, it } from "vitest";
import type { Conversation } from "../../src/client/conversation.js";
import { fileStack } from "../support/file-stack.js";
import { AGENT, startLongTurn } from "../support/long-turn.js";
import { type Outcome, runCommand } from "./run-command.js";

const { stack, conversations } = await fileStack({ workers: 0 });

/** In the middle of its answer, its worker killed. */
async function abandonedTurn(id: string): Promise<Conversation> {
  const worker = await stack.startWorker();
  const session = await conversations.start(AGENT, { id });
  await startLongTurn(stack, session, 20_000);
  await worker.kill();
  return session;
}

async function expectStoppedByNextWorker(session: Conversation): Promise<void> {
  const { length: paid } = stack.simulator.calls;
  const worker = await stack.startWorker();
  await expect(session.turn("t1").result()).rejects.toMatchObject({
    record: { error_type: "turn.cancelled" },
  });
  expect(stack.simulator.calls).toHaveLength(paid);
  await worker.kill();
}

const cancel = (...args: readonly string[]): Promise<Outcome> =>
  runCommand(["cancel", ...args], { cwd: stack.folder });

describe("holdfast cancel where no worker lives", () => {
  it("CMD-360 stops a turn once one comes, which calls nobody", async () => {
    const session = await abandonedTurn("dead");
    expect(await cancel("dead", "t1")).toEqual({
      code: 0,
      stdout: "",
      stderr:
        "The server keeps the stop of turn t1 of dead, but no worker has answered yet: it holds once one does (`holdfast worker`).\n",
    });
    await expectStoppedByNextWorker(session);
  });

  it("CMD-360 stops the turn that runs, which nobody could name", async () => {
    const session = await abandonedTurn("unnamed");
    const { code, stdout } = await cancel("unnamed", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ conversation_id: "unnamed", turn_id: null, state: null });
    await expectStoppedByNextWorker(session);
  });
});
