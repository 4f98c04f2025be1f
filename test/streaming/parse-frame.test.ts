import { describe, expect, it } from "vitest";
import { parseFrame } from "../../src/connection/parse-frame.js";
import type { Frame } from "../../src/core/conversation/frame.js";
import { UsageError } from "../../src/core/errors/errors.js";
import { attemptStart, end, text } from "./frames.js";

const position = { turn: "t", attempt: 1, seq: 4 };

describe("the shape of a frame", () => {
  it.each<Frame>([
    attemptStart("t", 1),
    text("t", 1, 1),
    { ...position, type: "reasoning", text: "hm" },
    { ...position, type: "tool_call", call: 1, id: "a", name: "look", arguments: "{}" },
    { ...position, type: "tool_approval", call: 1, id: "a", approved: false, reason: "No." },
    { ...position, type: "tool_result", id: "a", output: "", is_error: false },
    { ...position, type: "retry", error_type: "overloaded", error: "busy", delay_ms: 200 },
    end("t", 1, 5),
    { ...position, type: "end", state: "interrupted", digest: null },
  ])("STR-8 takes a frame of type $type", (frame) => {
    expect(parseFrame(structuredClone(frame))).toEqual(frame);
  });

  it.each([
    ["nothing", null, "a JSON object"],
    ["a list", [], "a JSON object"],
    ["an unknown type", { ...position, type: "confetti" }, "confetti"],
    ["a type of the prototype", { ...position, type: "constructor" }, "constructor"],
    ["no turn", { attempt: 1, seq: 1, type: "text", text: "" }, "`turn`"],
    ["a negative place", { ...position, seq: -1, type: "text", text: "" }, "`seq`"],
    ["text that is none", { ...position, type: "text", text: 5 }, "`text`"],
    ["a decision that is none", { ...position, type: "tool_approval", call: 1, id: "a" }, "`approved`"],
    ["an unknown end", { ...position, type: "end", state: "lost", digest: null }, "`state`"],
  ])("STR-8 refuses %s, naming what is wrong", (_name, value, named) => {
    expect(() => parseFrame(value)).toThrow(UsageError);
    expect(() => parseFrame(value)).toThrow(named);
  });
});
