import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isStart } from "../../../src/core/conversation/start-shape.js";
import { freshConversation } from "../../support/conversation-samples.js";
import { repositoryRoot } from "../../support/source-file.js";

const { head, tail } = freshConversation({ checkpoint: "/tmp/talk.json" });

/** Added since the first release wrote one, or read by nobody but a reader of the envelope. */
const OPTIONAL = [
  "layout",
  "converted_from",
  "conversions",
  "restored_from_schema_version",
  "closing",
  "continues",
  "signals_apart",
];

function recordedStarts(): readonly (readonly [name: string, args: readonly unknown[]])[] {
  const folder = join(repositoryRoot, "test/histories/0.1.0");
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return names.flatMap((name) => {
    const { events } = JSON.parse(readFileSync(join(folder, name), "utf8"));
    const { input, continuedExecutionRunId } = events[0].workflowExecutionStartedEventAttributes;
    if (continuedExecutionRunId) return [];
    const args: readonly object[] = input.payloads.map(({ data }: { data: string }) =>
      JSON.parse(Buffer.from(data, "base64").toString()),
    );
    // What lies outside of the event is replayed by WFL-80.
    return [[name, args.filter((part) => !("claimData" in part))] as const];
  });
}

describe("what a conversation starts from", () => {
  it("WFL-380 is the head that this release writes, and any that a recorded release wrote", () => {
    expect(isStart(head, [tail])).toBe(true);
    expect(isStart(head, [])).toBe(true);
    const starts = recordedStarts();
    expect(starts.length).toBeGreaterThan(20);
    for (const [name, [first, ...segments]] of starts)
      expect([name, isStart(first, segments)]).toEqual([name, true]);
  });

  it("WFL-380 may lack what came later", () => {
    const older = Object.fromEntries(Object.entries(head).filter(([key]) => !OPTIONAL.includes(key)));
    expect(isStart(older, [tail])).toBe(true);
  });

  it.each(Object.keys(head).filter((key) => !OPTIONAL.includes(key)))(
    "WFL-381 is no head without `%s`, or with nonsense there",
    (key) => {
      const { [key as "queue"]: _, ...without } = head;
      expect(isStart(without, [tail])).toBe(false);
      for (const nonsense of [undefined, true, [[]], [null]])
        expect(isStart({ ...head, [key]: nonsense }, [tail])).toBe(false);
    },
  );

  it.each([
    ["nothing else", { layout: 1 }, []],
    ["an agent and a queue of the wrong kind", { ...head, agent: {}, queue: "x" }, []],
    ["an agent without its tools", { ...head, agent: { ...head.agent, tools: undefined } }, []],
    ["a turn that waits without a message", { ...head, queue: [{ turn_id: "t" }] }, []],
    ["a segment without most of its lists", head, [{ messages: [], turn_index: [] }]],
    ["a segment that is none", head, [null]],
    ["no object", [head], []],
  ])("WFL-381 is no head with %s", (_what, given, segments) => {
    expect(isStart(given, segments)).toBe(false);
  });
});
