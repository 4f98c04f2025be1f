import { describe, expect, it } from "vitest";
import type { NativeMessage } from "../../../src/core/envelope/envelope.js";
import type { DialectName } from "../../../src/core/providers.js";
import { grown, type History, moved } from "./travel.js";
import { issuesOf } from "./wire-rules.js";

const ask = { role: "user", content: "Hi" };
const answer = { role: "assistant", content: "Hello." };

/** System text that a dialect itself adds in the middle of its list, and a turn after it. */
function told(history: History, text: string): History {
  const role = history.dialect === "openai" ? "developer" : "system";
  const before = grown(history).messages;
  return grown({ ...history, messages: [...before, { role, content: text }] });
}

function chain(start: History, ...over: readonly DialectName[]): History {
  return over.reduce((history, name) => moved(history, name), start);
}

const fireworks = (...messages: readonly NativeMessage[]): History => ({
  dialect: "fireworks",
  messages,
  system: null,
  attic: [],
});

describe("system text that was added on the way", () => {
  it.each([
    ["a name", { role: "system", name: "boss", content: "Be brief." }, "Be brief.\n\nNow rhyme."],
    [
      "parts",
      { role: "system", content: [{ type: "text", text: "Be brief." }] },
      [
        { type: "text", text: "Be brief." },
        { type: "text", text: "\nNow rhyme." },
      ],
    ],
  ])("DIA-339 joins a head message with %s that the attic gives back to fireworks", (_, head, content) => {
    for (const there of ["anthropic", "openai"] as const) {
      const start = fireworks(head, ask, answer);
      const back = moved(told(moved(start, there), "Now rhyme."), "fireworks");
      expect(back.messages.slice(0, 3)).toEqual([{ ...head, content }, ask, answer]);
      expect(JSON.stringify(back.messages.slice(1))).not.toContain("Now rhyme.");
      expect(back.report).toMatchObject([{ kind: "moved", artefact: "system" }]);
      expect(issuesOf("fireworks", back.messages.slice(1), back.system)).toEqual([]);
      const again = chain(back, there, "fireworks");
      expect(again.messages).toEqual(back.messages);
    }
  });

  it("DIA-339 stands in front where fireworks had no system text", () => {
    const named = { ...ask, name: "ann" };
    const start = fireworks(named, answer);
    const back = moved(told(moved(start, "anthropic"), "Now rhyme."), "fireworks");
    expect(back.messages.slice(0, 3)).toEqual([{ role: "system", content: "Now rhyme." }, named, answer]);
    expect(back.messages).toHaveLength(7);
  });

  it("DIA-339 is told once however far it has gone, in each dialect", () => {
    const head = { role: "system", name: "boss", content: "Be brief." };
    const start = fireworks(head, ask, answer);
    for (const [second, third] of [
      ["anthropic", "openai"],
      ["openai", "anthropic"],
      ["google", "openai"],
      ["google", "anthropic"],
    ] as const) {
      const far = told(chain(start, second, third), "Now rhyme.");
      for (const way of [[second, "fireworks"], [second], ["fireworks"]] as const) {
        const { messages, system, dialect } = chain(far, ...way);
        const all = JSON.stringify([system, messages]);
        expect([dialect, all.split("Now rhyme.").length, all.split("Be brief.").length]).toEqual([
          dialect,
          2,
          2,
        ]);
      }
    }
  });

  it("DIA-339 keeps openai's first item as it was, and follows what was there as an item of its own", () => {
    const first = { role: "developer", content: "Be brief." };
    const start: History = { dialect: "openai", messages: [first, ask, answer], system: null, attic: [] };
    const far = told(chain(start, "google", "fireworks"), "Now rhyme.");
    const back = chain(far, "google", "openai");
    expect(back.messages.slice(0, 4)).toEqual([
      first,
      ask,
      answer,
      { role: "developer", content: "Now rhyme." },
    ]);
  });

  it("DIA-339 is not lost between dialects that both have it beside the list", () => {
    const contents = [
      { role: "user", parts: [{ text: "Hi" }] },
      { role: "model", parts: [{ text: "Hello." }] },
    ];
    const start: History = { dialect: "google", messages: contents, system: "Be brief.", attic: [] };
    const far = told(chain(start, "anthropic", "openai"), "Now rhyme.");
    expect(chain(far, "anthropic", "google").system).toBe("Be brief.\n\nNow rhyme.");
  });
});
