import { afterEach, describe, expect, it, vi } from "vitest";
import { inCommandWords } from "../../src/cli/remedies.js";
import { assertNode } from "../../src/cli/run-cli.js";
import { commandName } from "../../src/cli/wording.js";

afterEach(() => vi.unstubAllEnvs());

describe("what the command says", () => {
  it("CMD-43 has commands to paste: `npx holdfast` where a project's copy runs, else `holdfast`", () => {
    const installed = "/usr/local/bin/holdfast";
    expect(commandName({}, installed, "/project")).toBe("holdfast");
    expect(commandName({ npm_command: "exec" }, installed, "/project")).toBe("npx holdfast");
    expect(commandName({ npm_execpath: "/npm-cli.js" }, installed, "/project")).toBe("npx holdfast");
    expect(commandName({}, "/project/node_modules/.bin/holdfast", "/project/src")).toBe("npx holdfast");
    expect(commandName({}, "/checkout/dist/cli/main.js", "/checkout")).toBe("npx holdfast");
    expect(commandName({}, "/checkout/dist/cli/main.js", "/elsewhere")).toBe("holdfast");
    vi.stubEnv("npm_command", "exec");
    expect(inCommandWords("Run `holdfast list`, `holdfast dev` or holdfast.")).toBe(
      "Run `npx holdfast list`, `npx holdfast dev` or holdfast.",
    );
  });

  it("CMD-44 tells remedies as commands and their options, not as calls of the API", () => {
    const told = (
      [
        "run `holdfast dev` in this folder, set TEMPORAL_ADDRESS, or connect({ embedded: true })",
        "x.json holds 3 turns: write to another file, or overwrite it on purpose.",
        "use that one, stop it, or choose another folder",
        "stop what uses it, or choose another port.",
        "wait for its running turn, or let this one queue.",
        'Conversation a is open already: continue it with open("a"), take another id for a copy, or say ifExists: "replace".',
        'Conversation a was closed: read it with open("a"), take another id, or say ifExists: "replace".',
        "waits as turn t1; sent again under that id (`turnId`) it runs once.",
        "resend with `files`, or with `files: []` to leave it out.",
        "in the environment of this process and connect again, or connect({ embedded: true, simulate: true }).",
      ] as const
    ).map(inCommandWords);
    expect(told).toEqual([
      "run `holdfast dev` in this folder, or set TEMPORAL_ADDRESS",
      "x.json holds 3 turns: write to another file; `holdfast export --overwrite` replaces this one.",
      "use that one, stop it, or choose another folder with --root",
      "stop what uses it, or choose another with --port.",
      "wait for its running turn, or let this one wait with --on-busy queue.",
      "Conversation a is open already: continue it with `holdfast send a …`, take another id for a copy, or replace it with --replace.",
      "Conversation a was closed: read it with `holdfast show a`, take another id, or replace it with --replace.",
      "waits as turn t1; sent again under that id (`holdfast send --turn-id`) it runs once.",
      "leave it out with `holdfast resend --no-files`.",
      "in the environment or .env and start again, or start with --simulate.",
    ]);
  });

  it("CMD-45 refuses a Node that is too old, with two ways to a newer one", () => {
    expect(() => assertNode("20.20.2")).toThrow(
      "This is Node 20.20.2, and Holdfast needs Node 22.12 or newer: install it, or add it to this project with `npm install --save-dev node@24` and run `npx holdfast …`.",
    );
    for (const running of ["22.12.0", "24.0.0"]) expect(() => assertNode(running)).not.toThrow();
  });
});
