// Draws every chart as an SVG: `node draw.mjs RESULTS.json FOLDER`. Older charts of the folder that are no longer drawn are removed.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, View } from "vega";
import { compile } from "vega-lite";
import { specifications } from "./specifications.mjs";
import { styled } from "./style.mjs";

const [file, folder] = process.argv.slice(2);
const all = specifications(JSON.parse(readFileSync(file, "utf8")));
for (const name of readdirSync(folder)) if (name.endsWith(".svg")) rmSync(join(folder, name));
for (const [name, specification] of Object.entries(all)) {
  const view = new View(parse(compile(specification).spec), { renderer: "none" });
  writeFileSync(join(folder, `${name}.svg`), `${styled(await view.toSVG())}\n`);
}
