import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseSource, readSourceFiles, repositoryRoot, type SourceFile } from "./support/source-file.js";

interface SpecLine {
  readonly id: string;
  /** The id that the heading above promises: `ENV` under `## Envelope (ENV)`. */
  readonly section: string | undefined;
}

function readRules(specification: string): SpecLine[] {
  let section: string | undefined;
  return specification.split("\n").flatMap((line) => {
    section = /^## .*\(([A-Z]{3})\)$/.exec(line)?.[1] ?? section;
    const id = /^- \*\*([^*]+)\*\* \S/.exec(line)?.[1];
    return id === undefined ? [] : [{ id, section }];
  });
}

const ruleOf = (title: string | null): string | undefined => /^[A-Z]{3}-\d+(?= )/.exec(title ?? "")?.[0];

function rulesWithoutTest(rules: readonly SpecLine[], files: readonly SourceFile[]): string[] {
  const tested = new Set(files.flatMap((file) => file.testTitles.map(ruleOf)));
  return rules.map(({ id }) => id).filter((id) => !tested.has(id));
}

function testsWithoutRule(rules: readonly SpecLine[], files: readonly SourceFile[]): string[] {
  const known = new Set<string | undefined>(rules.map(({ id }) => id));
  return files.flatMap((file) =>
    file.testTitles
      .filter((title) => !known.has(ruleOf(title)))
      .map((title) => `${file.path}: ${title ?? "(a computed title)"}`),
  );
}

function misnumbered(rules: readonly SpecLine[]): string[] {
  const ids = rules.map(({ id }) => id);
  return rules
    .filter(
      ({ id, section }, index) => !new RegExp(`^${section}-\\d+$`).test(id) || ids.indexOf(id) !== index,
    )
    .map(({ id }) => id);
}

describe("SPEC.md and the tests", () => {
  const rules = readRules(readFileSync(join(repositoryRoot, "SPEC.md"), "utf8"));
  const tests = readSourceFiles("test");
  const sample = readRules(
    "## Things (THI)\n- **THI-1** One.\n- **THI-2** Two.\n- **THI-2** Twice.\n- **X-3** Odd.\n",
  );
  const titled = (text: string) => [parseSource("test/a.test.ts", text)];

  it("TRE-10 have a test for every rule", () => {
    expect(
      rulesWithoutTest(
        sample,
        titled('it("THI-1 does one", work); it.each([1])("THI-2 %i", work); it.skip("X-3 left", work);'),
      ),
    ).toEqual(["X-3"]);
    expect(rules.length).toBeGreaterThan(10);
    expect(rulesWithoutTest(rules, tests)).toEqual([]);
  });

  it("TRE-11 have a rule for every test", () => {
    const strays = 'it("THI-9 unknown", work); it("bare", work); test(name, work); it("THI-1 good", work);';
    expect(testsWithoutRule(sample, titled(strays))).toHaveLength(3);
    expect(testsWithoutRule(rules, tests)).toEqual([]);
  });

  it("TRE-12 number every rule once, under its own section", () => {
    expect(misnumbered(sample)).toEqual(["THI-2", "X-3"]);
    expect(misnumbered(rules)).toEqual([]);
  });
});
