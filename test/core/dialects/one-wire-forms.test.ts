import { describe, expect, it } from "vitest";
import { convertHistory } from "../../../src/core/dialects/convert.js";
import type { NativeMessage } from "../../../src/core/envelope/envelope.js";
import type { JsonObject } from "../../../src/core/json.js";
import type { DialectName } from "../../../src/core/providers.js";
import { issuesOf } from "./wire-rules.js";

type Converted = ReturnType<typeof convertHistory>;

function converted(from: DialectName, to: DialectName, messages: readonly NativeMessage[]): Converted {
  return convertHistory({ from, to, messages });
}

const facts = ({ report }: Converted): readonly string[] =>
  report.map(({ kind, artefact, index, detail }) => `${index} ${kind} ${artefact} ${detail ?? ""}`.trimEnd());

describe("free-form calls", () => {
  const call = (id: string): JsonObject => ({
    id,
    type: "custom",
    custom: { name: "sql", input: "select 1" },
  });
  const ask = { role: "user", content: "How many?" };

  it("DIA-310 cross as such, their results too, re-keyed where ids repeat", () => {
    const round = [
      { role: "assistant", content: null, tool_calls: [call("c1")] },
      { role: "tool", tool_call_id: "c1", content: "1" },
    ];
    const { messages, report } = converted("fireworks", "openai", [ask, ...round, ask, ...round]);
    const { call_id: second } = messages[4] ?? {};
    expect(second).not.toBe("c1");
    expect(messages.slice(4)).toEqual([
      { type: "custom_tool_call", call_id: second, name: "sql", input: "select 1" },
      { type: "custom_tool_call_output", call_id: second, output: "1" },
    ]);
    expect(report.map(({ kind, index }) => [kind, index])).toEqual([["rekeyed", 4]]);
    expect(issuesOf("openai", messages, null)).toEqual([]);
  });

  it("DIA-310 that were never answered get a result of their kind", () => {
    const { messages } = converted("fireworks", "openai", [
      ask,
      { role: "assistant", content: null, tool_calls: [call("c1")] },
      ask,
    ]);
    expect(messages.map(({ type }) => type)).toEqual([
      undefined,
      "custom_tool_call",
      "custom_tool_call_output",
      undefined,
    ]);
    expect(issuesOf("openai", messages, null)).toEqual([]);
  });

  it.each(["anthropic", "google"] as const)("DIA-310 are wrapped for %s, and reported", (to) => {
    const answered = [
      ask,
      { role: "assistant", content: null, tool_calls: [call("c1")] },
      { role: "tool", tool_call_id: "c1", content: "1" },
    ];
    const there = converted("fireworks", to, answered);
    expect(JSON.stringify(there.messages)).toContain('{"input":"select 1"}');
    expect(facts(there).filter((fact) => fact.includes("wrapped"))).toEqual([
      "1 wrapped args tool_calls[0] c1: free-form input kept under input",
    ]);
  });
});

describe("the name of a file", () => {
  const pdf = { type: "base64", media_type: "application/pdf", data: "JVBERi0xLjQ=" };
  const png = "data:image/png;base64,iVBORw0KGgo=";
  const told = (name: string): string => `0 dropped metadata content[0] name ${name}`;

  it.each([
    ["anthropic", "google", { type: "document", source: pdf, title: "plan.pdf" }, [told("plan.pdf")]],
    ["anthropic", "openai", { type: "document", source: pdf, title: "plan.pdf" }, []],
    ["openai", "google", { type: "input_file", filename: "a.png", file_data: png }, [told("a.png")]],
    ["openai", "anthropic", { type: "input_file", filename: "a.png", file_data: png }, [told("a.png")]],
    ["openai", "fireworks", { type: "input_file", filename: "a.png", file_data: png }, [told("a.png")]],
    ["fireworks", "openai", { type: "file", file: { filename: "a.png", file_data: png } }, [told("a.png")]],
  ] as const)("DIA-312 is carried, or reported where it is lost: %s -> %s", (from, to, part, expected) => {
    expect(facts(converted(from, to, [{ role: "user", content: [part] }]))).toEqual(expected);
  });

  it("DIA-312 is reported for addresses too", () => {
    const source = { type: "url", url: "https://example.com/a.pdf" };
    const said = { role: "user", content: [{ type: "document", source, title: "plan" }] };
    expect(facts(converted("anthropic", "google", [said]))).toEqual([told("plan")]);
    expect(facts(converted("anthropic", "openai", [said]))).toEqual([told("plan")]);
  });
});

describe("cache breakpoints", () => {
  const mark = { prompt_cache_breakpoint: { mode: "explicit" } };
  const png = "data:image/png;base64,iVBORw0KGgo=";

  it("DIA-311 cross to the Responses wire on texts, media and results", () => {
    const { messages, report } = converted("fireworks", "openai", [
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url: png }, ...mark },
          { type: "text", text: "See.", ...mark },
        ],
      },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c1", content: [{ type: "text", text: "seen", ...mark }] },
    ]);
    expect(report).toEqual([]);
    expect(messages[0]?.content).toEqual([
      { type: "input_image", image_url: png, detail: "auto", ...mark },
      { type: "input_text", text: "See.", ...mark },
    ]);
    expect(messages[2]?.output).toEqual([{ type: "input_text", text: "seen", ...mark }]);
    expect(issuesOf("openai", messages, null)).toEqual([]);
  });

  it("DIA-311 cross to the Responses wire only as many as it takes, the newest", () => {
    const said = Array.from({ length: 6 }, (_, at) => ({
      role: "user",
      content: [{ type: "text", text: `${at}`, ...mark }],
    }));
    const there = converted("fireworks", "openai", said);
    expect(there.messages.map((message) => JSON.stringify(message).includes("breakpoint"))).toEqual([
      false,
      false,
      true,
      true,
      true,
      true,
    ]);
    expect(there.report.map(({ artefact, index }) => [artefact, index])).toEqual([
      ["cache-marker", 0],
      ["cache-marker", 1],
    ]);
    expect(issuesOf("openai", there.messages, null)).toEqual([]);
  });

  it.each(["anthropic", "google"] as const)("DIA-311 are reported towards %s, in results too", (to) => {
    const there = converted("fireworks", to, [
      { role: "user", content: [{ type: "text", text: "See.", ...mark }] },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c1", content: [{ type: "text", text: "seen", ...mark }] },
    ]);
    expect(JSON.stringify(there.messages)).not.toContain("breakpoint");
    expect(facts(there).filter((fact) => fact.includes("cache-marker"))).toEqual([
      "0 dropped cache-marker content[0].prompt_cache_breakpoint",
      "2 dropped cache-marker content[0].prompt_cache_breakpoint",
    ]);
  });

  it.each(["anthropic", "google", "fireworks"] as const)(
    "DIA-311 of Responses are reported towards %s",
    (to) => {
      const there = converted("openai", to, [
        { role: "user", content: [{ type: "input_text", text: "See.", ...mark }] },
      ]);
      expect(facts(there)).toEqual(["0 dropped cache-marker content[0]"]);
    },
  );
});
