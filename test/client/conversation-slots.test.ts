import { describe, expect, it } from "vitest";
import { ConversationSlots, QUERIES_AT_ONCE, UPDATES_AT_ONCE } from "../../src/client/conversation-slots.js";

/** Calls that are open until they are told to end. */
function openCalls() {
  const started: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<string>>();
  return {
    started,
    call: (name: string) => () => {
      started.push(name);
      const end = Promise.withResolvers<string>();
      ends.set(name, end);
      return end.promise;
    },
    end: (name: string) => ends.get(name)?.resolve(name),
    fail: (name: string) => ends.get(name)?.reject(new Error(name)),
  };
}

/** Lets everything that is ready to go on do so. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("ConversationSlots", () => {
  it("API-19 lets so many callers of a conversation in at once, the others in the order in which they came", async () => {
    const calls = openCalls();
    const slots = new ConversationSlots(2);
    const names = ["a", "b", "c", "d"];
    const answers = names.map((name) => slots.run("review", calls.call(name)));
    await settle();
    expect(calls.started).toEqual(["a", "b"]);
    calls.end("b");
    await settle();
    expect(calls.started).toEqual(["a", "b", "c"]);
    calls.end("a");
    await settle();
    for (const name of ["c", "d"]) calls.end(name);
    expect(await Promise.all(answers)).toEqual(names);
  });

  it("API-20 gives a slot back where a call fails, and tells its caller", async () => {
    const calls = openCalls();
    const slots = new ConversationSlots(1);
    const failed = slots.run("review", calls.call("a"));
    const next = slots.run("review", calls.call("b"));
    await settle();
    calls.fail("a");
    await expect(failed).rejects.toThrow("a");
    await settle();
    calls.end("b");
    expect(await next).toBe("b");
  });

  it("API-21 keeps conversations apart, and leaves room below Temporal's ten updates", async () => {
    const calls = openCalls();
    const slots = new ConversationSlots(1);
    const answers = ["a", "b"].map((id) => slots.run(id, calls.call(id)));
    await settle();
    expect(calls.started).toEqual(["a", "b"]);
    for (const id of ["a", "b"]) calls.end(id);
    await Promise.all(answers);
    expect(UPDATES_AT_ONCE).toBeLessThan(10 - 1);
    expect(QUERIES_AT_ONCE).toBeGreaterThan(0);
  });
});
