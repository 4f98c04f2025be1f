import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Copies the declarations of the named entries, and those that they import: nobody can reach the others. */
export function copyDeclarations(from, to, entries) {
  const found = new Set(entries.map((name) => `${name}.d.ts`));
  for (const name of found) {
    const text = readFileSync(join(from, name), "utf8");
    for (const [, specifier] of text.matchAll(/(?:from|import\()\s*"(\.[^"]+)\.js"/g))
      found.add(join(dirname(name), `${specifier}.d.ts`));
    mkdirSync(dirname(join(to, name)), { recursive: true });
    copyFileSync(join(from, name), join(to, name));
  }
}
