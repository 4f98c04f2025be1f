import { describe, expect, it } from "vitest";
import { continuedPrefix, prefixOf } from "../../../src/core/envelope/fingerprint.js";
import { prefixChange } from "../../../src/core/envelope/prefix-change.js";
import { SAMPLE_AGENT } from "../../support/envelope-samples.js";

const schema = { type: "object", properties: { clause: { type: "string" } }, required: ["clause"] };
const lookUp = { name: "look_up", description: "Looks a clause up.", input_schema: schema };
const compare = { name: "compare", description: "Compares two clauses." };
const sign = { name: "sign" };
const agent = { instructions: "Be brief.", tools: [lookUp, compare] };
const before = prefixOf(agent);

describe("continuedPrefix", () => {
  const named = (...names: readonly string[]) => ({ ...agent, tools: names.map((name) => ({ name })) });

  it("ENV-390 takes a tool that is given by its name to be as it was, and tells what else has moved", () => {
    expect(continuedPrefix(before, named("look_up", "compare"))).toEqual(before);
    expect(prefixChange(before, continuedPrefix(before, named("look_up")))).toMatchObject({
      tools: { added: [], removed: ["compare"], changed: [] },
    });
    const defined = continuedPrefix(before, {
      ...agent,
      tools: [{ ...lookUp, description: "Other." }, { name: "compare" }],
    });
    expect(prefixChange(before, defined)).toMatchObject({ tools: { changed: ["look_up"] } });
  });

  it("ENV-390 knows nothing of a name that was not there, nor where there is no earlier prefix", () => {
    for (const [earlier, names] of [
      [before, ["look_up", "sign"]],
      [null, ["look_up"]],
    ] as const)
      expect(continuedPrefix(earlier, named(...names))).toEqual(prefixOf(named(...names)));
  });
});

describe("prefixOf", () => {
  it("ENV-20 gives one fingerprint whatever the order of tools and of keys in a schema", () => {
    const { type, properties, required } = schema;
    const reordered = { ...lookUp, input_schema: { required, properties, type } };
    expect(prefixOf({ ...agent, tools: [compare, reordered] })).toEqual(before);
    expect(before.tools.map(({ name }) => name)).toEqual(["compare", "look_up"]);
  });

  it("ENV-20 does not depend on the model, the parameters or the agent's name", () => {
    const other = { ...SAMPLE_AGENT, model: "claude-opus-5-5", params: { temperature: 1 }, name: "other" };
    expect(prefixOf(other)).toEqual(prefixOf(SAMPLE_AGENT));
  });

  it("ENV-20 changes with the instructions and with a tool's name, description or schema", () => {
    const changes = [
      { ...agent, instructions: "Be brief!" },
      { ...agent, tools: [{ ...lookUp, name: "look-up" }, compare] },
      { ...agent, tools: [{ ...lookUp, description: "Finds a clause." }, compare] },
      { ...agent, tools: [{ ...lookUp, input_schema: { ...schema, required: [] } }, compare] },
      { ...agent, tools: [lookUp] },
      { ...agent, tools: [] },
    ];
    const fingerprints = changes.map((change) => prefixOf(change).fingerprint);
    expect(new Set([before.fingerprint, ...fingerprints]).size).toBe(changes.length + 1);
  });
});

describe("prefixChange", () => {
  it("ENV-21 is null when nothing moved, and when there is nothing to compare with", () => {
    expect(prefixChange(before, prefixOf({ ...agent, tools: [compare, lookUp] }))).toBeNull();
    expect(prefixChange(null, before)).toBeNull();
  });

  it("ENV-21 says whether the instructions moved", () => {
    expect(prefixChange(before, prefixOf({ ...agent, instructions: "Be long." }))).toEqual({
      instructions: true,
      tools: { added: [], removed: [], changed: [] },
    });
  });

  it("ENV-21 names the tools that were added, removed and changed", () => {
    const after = prefixOf({ ...agent, tools: [{ ...lookUp, description: "Finds a clause." }, sign] });
    expect(prefixChange(before, after)).toEqual({
      instructions: false,
      tools: { added: ["sign"], removed: ["compare"], changed: ["look_up"] },
    });
  });
});
