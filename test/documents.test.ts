import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { attachmentTypes } from "../src/core/dialects/attachment-types.js";
import { MEDIA_LIMITS } from "../src/core/media/limits.js";
import { mimeTypeOfExtension } from "../src/core/media/mime.js";
import { PROVIDER_NAMES } from "../src/core/providers.js";
import { repositoryRoot } from "./support/source-file.js";

const read = (path: string): string => readFileSync(join(repositoryRoot, path), "utf8");

/** The lines of all code blocks. */
function codeLines(markdown: string): string[] {
  let inside = false;
  return markdown.split("\n").filter((line) => {
    if (!line.startsWith("```")) return inside;
    inside = !inside;
    return false;
  });
}

const markdownIn = (folder: string): string[] =>
  readdirSync(join(repositoryRoot, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));

describe("the documents", () => {
  it("TRE-18 name exactly two set-up commands, the two that the gate runs", () => {
    const setUp = codeLines(read("README.md")).filter((line) => line.includes("npm ci"));
    expect(setUp).toEqual(["npm ci && npm start", "npm ci && npm test"]);
    for (const command of setUp) expect(read(".ci/run")).toContain(`readme_command '${command}'`);
  });

  it("TRE-19 give every dependency a recorded reason", () => {
    const { dependencies, devDependencies } = JSON.parse(read("package.json"));
    const recorded = new Set(
      markdownIn("docs/decisions")
        .flatMap((page) => /^Packages: (.*)\.$/m.exec(read(page))?.[1]?.split(", ") ?? [])
        .map((name) => name.replaceAll("`", "")),
    );
    const names = Object.keys({ ...dependencies, ...devDependencies });
    const reasonOf = (name: string): string => name.replace(/^@temporalio\/.*/, "@temporalio/*");
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !recorded.has(reasonOf(name)))).toEqual([]);
  });

  it("TRE-190 name the types of files that each provider takes, and its limits", () => {
    const page = read("docs/media.md");
    for (const provider of PROVIDER_NAMES.filter((name) => name !== "compatible")) {
      const [types = "", limits = ""] = [
        ...page.matchAll(new RegExp(`^\\| \`${provider}\` +\\| (.*?) +\\|$`, "gm")),
      ].map(([, cell]) => cell);
      const named = types.split(", ").map((type) => mimeTypeOfExtension(type) ?? type.replaceAll("`", ""));
      expect(named).toEqual(attachmentTypes(provider));
      const { images, imagePixels, pdfPages = [], fileBytes } = MEDIA_LIMITS[provider];
      const numbers = [images, imagePixels, ...pdfPages.map(([, pages]) => pages)].flatMap(
        (limit) => limit ?? [],
      );
      const size =
        fileBytes === undefined
          ? []
          : [
              fileBytes % 1_000_000 === 0
                ? `${(fileBytes / 1_000_000).toLocaleString("en-US")} MB`
                : `${fileBytes / 1_048_576} MiB`,
            ];
      for (const limit of [...numbers.map((limit) => limit.toLocaleString("en-US")), ...size])
        expect(limits).toContain(limit);
    }
  });

  it("TRE-20 link only to files that are there", () => {
    const pages = [...markdownIn("."), ...markdownIn("docs"), ...markdownIn("docs/decisions")];
    const named = pages.flatMap((page) => [
      ...[...read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, link]) =>
        join(dirname(page), link ?? ""),
      ),
      ...[...read(page).matchAll(/\b(?:docs\/[\w/-]+\.md|[A-Z]{3,}\.md)\b/g)].map(([path]) => path),
    ]);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((path) => !existsSync(join(repositoryRoot, path)))).toEqual([]);
  });
});
