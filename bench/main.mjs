// Holdfast beside what people would use instead: `npm run bench`. See bench/README.md for the options and for what a system is.
import { parseArgs } from "node:util";
import { Bench } from "./suite/bench.mjs";
import { MEASURES, optionsOf } from "./suite/plan.mjs";
import { loadSystems, systemNames } from "./suite/systems.mjs";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    systems: { type: "string" },
    quick: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    charts: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
  },
});
const say = (line) => console.error(`bench: ${line}`);

const names = values.systems === undefined ? systemNames() : ["bare", ...values.systems.split(",")];
const systems = await loadSystems([...new Set(names)], say);
const bench = await Bench.start({
  systems: systems.filter(({ skipped }) => skipped === undefined),
  options: optionsOf(values),
  say,
});
try {
  const measures = values.only === undefined ? Object.keys(MEASURES) : values.only.split(",");
  for (const name of measures) await MEASURES[name](bench);
} finally {
  await bench.stop();
}
console.log(JSON.stringify(bench.results, null, 2));
