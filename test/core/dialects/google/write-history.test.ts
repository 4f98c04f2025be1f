import { describe, expect, it } from "vitest";
import { conversion } from "../../../../src/core/dialects/google/conversion.js";
import type { PivotArguments, PivotPart } from "../../../../src/core/dialects/pivot.js";
import {
  assistant,
  call,
  contentsOf,
  reported,
  result,
  results,
  SIGNED,
  said,
  system,
  text,
  user,
  write,
} from "./written.js";

describe("a history written for Gemini", () => {
  it("DIA-225 writes text of both sides, one part each, no blank one, half characters as U+FFFD", () => {
    const written = write([user(0, "a\ud800", " ", "b"), assistant(1, "hi", "\n"), user(2, "c")]);
    expect(contentsOf(written)).toEqual([
      said("user", "a\ufffd", "b"),
      said("model", "hi"),
      said("user", "c"),
    ]);
    expect(written.report).toEqual([]);
    expect(written.messages.map(({ from }) => from)).toEqual([[0], [1], [2]]);
  });

  it("DIA-226 opens with a user's content where the assistant spoke first", () => {
    const written = write([assistant(3, "welcome"), user(4, "hi")]);
    expect(contentsOf(written)).toEqual([
      said("user", "[conversation start]"),
      said("model", "welcome"),
      said("user", "hi"),
    ]);
    expect(reported(written)).toEqual(["added user-turn 3"]);
    expect(written.messages[0]?.from).toEqual([]);
    expect(write([]).messages).toEqual([]);
  });

  it("DIA-227 joins all system text into one, and reports what left the list", () => {
    const written = write(
      [system(0, "be kind"), user(1, "hi"), system(2, " "), system(3, "now be brief")],
      "base",
    );
    expect(written.system).toBe("base\n\nbe kind\n\nnow be brief");
    expect(contentsOf(written)).toEqual([said("user", "hi")]);
    expect(reported(written)).toEqual([
      "moved system 0 to systemInstruction",
      "moved system 2 to systemInstruction",
      "moved system 3 to systemInstruction",
    ]);
    expect(write([user(0, "hi")]).system).toBeNull();
    expect(write([user(0, "hi")], "only").system).toBe("only");
  });

  it("DIA-228 signs the first call of each content and answers all in one content, in order", () => {
    const written = write([
      user(0, "go"),
      assistant(1, "ok", call(1, "t1", "a"), call(2, "t2", "b")),
      results(3, result(3, "t1", "a", text(3, "A")), result(4, "t2", "b", text(4, "one"), text(4, "two"))),
      assistant(5, call(5, "t3", "a")),
      results(6, { ...result(6, "t3", "a", text(6, "no such file")), isError: true }),
      user(7, "be brief"),
    ]);
    expect(contentsOf(written)).toEqual([
      said("user", "go"),
      {
        role: "model",
        parts: [
          { text: "ok" },
          { functionCall: { id: "t1", name: "a", args: {} }, ...SIGNED },
          { functionCall: { id: "t2", name: "b", args: {} } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "t1", name: "a", response: { output: "A" } } },
          { functionResponse: { id: "t2", name: "b", response: { output: "one\ntwo" } } },
        ],
      },
      { role: "model", parts: [{ functionCall: { id: "t3", name: "a", args: {} }, ...SIGNED }] },
      {
        role: "user",
        parts: [{ functionResponse: { id: "t3", name: "a", response: { error: "no such file" } } }],
      },
      said("user", "be brief"),
    ]);
    expect(reported(written)).toEqual([
      "added sentinel 1 parts[1].thoughtSignature",
      "added sentinel 5 parts[0].thoughtSignature",
    ]);
    expect(written.messages.map(({ from }) => from)).toEqual([[0], [1, 2], [3, 4], [5], [6], [7]]);
  });

  it("DIA-228 leaves a result empty that was empty, and joins a text that goes on without a break", () => {
    const cut: PivotPart = { ...text(2, "out."), continues: true };
    const written = write([
      user(0, "go"),
      assistant(1, call(1, "t1", "a"), call(1, "t2", "a")),
      results(2, result(2, "t1", "a"), result(2, "t2", "a", text(2, "ab"), cut)),
    ]);
    expect(contentsOf(written)[2]).toEqual({
      role: "user",
      parts: [
        { functionResponse: { id: "t1", name: "a", response: { output: "" } } },
        { functionResponse: { id: "t2", name: "a", response: { output: "about." } } },
      ],
    });
  });

  it("DIA-229 puts calls into the content of the text before them, also over system text that left", () => {
    const written = write([
      user(0, "go"),
      assistant(1, "I will look"),
      system(2, "be brief"),
      assistant(3, call(3, "t1", "a")),
      results(4, result(4, "t1", "a", text(4, "A"))),
    ]);
    expect(contentsOf(written)[1]).toEqual({
      role: "model",
      parts: [{ text: "I will look" }, { functionCall: { id: "t1", name: "a", args: {} }, ...SIGNED }],
    });
    expect(written.messages[1]?.from).toEqual([1, 3]);
  });

  it.each<[PivotArguments, unknown, boolean]>([
    [
      { type: "object", value: { q: "x\udc00", deep: [{ "k\ud800": 1 }] } },
      { q: "x\ufffd", deep: [{ "k\ufffd": 1 }] },
      false,
    ],
    [{ type: "text", text: '{"q":[1,null]}' }, { q: [1, null] }, false],
    [{ type: "text", text: '{"q":"\\ud800"}' }, { q: "\ufffd" }, false],
    [{ type: "text", text: "" }, {}, false],
    [{ type: "text", text: "[1]" }, { _raw: "[1]" }, true],
    [{ type: "text", text: "null" }, { _raw: "null" }, true],
    [{ type: "text", text: '{"q":' }, { _raw: '{"q":' }, true],
    [
      { type: "text", text: `{"q":${"[".repeat(600)}${"]".repeat(600)}}` },
      { _raw: `{"q":${"[".repeat(600)}${"]".repeat(600)}}` },
      true,
    ],
  ])("DIA-230 makes an object of the arguments %j", (given, args, isWrapped) => {
    const written = write([
      user(0, "go"),
      assistant(1, call(1, "c2", "a", given)),
      results(2, result(2, "c2", "a", text(2, "A"))),
    ]);
    expect(contentsOf(written)[1]?.parts).toEqual([
      { functionCall: { id: "c2", name: "a", args }, ...SIGNED },
    ]);
    const wrapping = isWrapped ? ["wrapped args 1 c2: not a JSON object, kept under _raw"] : [];
    expect(reported(written)).toEqual(["added sentinel 1 parts[0].thoughtSignature", ...wrapping]);
  });

  it("DIA-238 takes any id that is text, and names as Google's own functions have them", () => {
    const { pattern, maxLength, toolNamePattern } = conversion.callIds;
    const ids = ["functions.a:0", "日本", "x".repeat(512), "", "\ud800"];
    expect(ids.map((id) => pattern.test(id))).toEqual([true, true, true, false, false]);
    expect(maxLength).toBe(512);
    const names = ["repo.search", "a-b:c", "_x", "x".repeat(128), "1a", "a b", "", "x".repeat(129)];
    expect(names.map((name) => toolNamePattern.test(name))).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});
