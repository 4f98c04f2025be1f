import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ClientContext } from "../../src/client/client-context.js";
import { listConversations } from "../../src/client/list-conversations.js";
import { statusOf } from "../../src/core/conversation/views.js";
import { UsageError } from "../../src/core/errors/errors.js";
import { freshConversation, running } from "../support/conversation-samples.js";

const idle = statusOf(freshConversation(), false);
const busy = statusOf(running(freshConversation(), "t"), false);

/** A server with so many open conversations, of which each answers as told. */
function serverOf(count: number, query: (id: string) => Promise<unknown>) {
  const asked: string[] = [];
  const workflow = {
    async *list() {
      for (let index = 0; index < count; index++) yield { workflowId: `${index}`, startTime: new Date(0) };
    },
    getHandle: (id: string) => ({
      query: () => {
        asked.push(id);
        return query(id);
      },
    }),
  };
  const context = { client: { workflow }, settings: { taskQueue: "holdfast" } } as unknown as ClientContext;
  const states = async (activity?: number) => {
    const options = activity === undefined ? {} : { activity };
    return (await listConversations(context, options)).map(({ state }) => state);
  };
  return { asked, context, states };
}

describe("what open conversations do", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("CMD-302 is asked of as many as wanted, the newest, and of nobody by default", async () => {
    const { asked, states } = serverOf(5, async (id) => (id === "1" ? busy : idle));
    expect(await states()).toEqual(["open", "open", "open", "open", "open"]);
    expect(asked).toEqual([]);
    expect(await states(3)).toEqual(["idle", "running", "idle", "open", "open"]);
    expect(asked).toEqual(["0", "1", "2"]);
  });

  it("CMD-302 stays open of one that fails, and of all once none has answered for three seconds", async () => {
    const failing = serverOf(2, async (id) => (id === "0" ? Promise.reject(new Error("No.")) : idle));
    expect(await failing.states(2)).toEqual(["open", "idle"]);
    const never = new Promise(() => undefined);
    const silent = serverOf(100, (id) => (id === "0" ? Promise.resolve(idle) : never));
    const listing = silent.states(100);
    await vi.advanceTimersByTimeAsync(3_000);
    expect((await listing).filter((state) => state === "open")).toHaveLength(99);
    expect(silent.asked).toHaveLength(9);
  });

  it("CMD-302 is a UsageError for a number that is none", async () => {
    const { context } = serverOf(0, async () => idle);
    for (const activity of [-1, Number.NaN, "all"])
      await expect(listConversations(context, { activity } as never)).rejects.toThrow(UsageError);
  });
});
