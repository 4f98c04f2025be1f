/**
 * What a conversion costs, beside reading and writing the same history as JSON in the same run: all twelve directions, and
 * how the time grows. Run with `npm run bench:conversion`; `-- --messages 10000 --repetitions 15` are the defaults;
 * `--json FILE` writes the ratios, and then the growth is left out.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { convertHistory } from "../src/core/dialects/convert.js";
import { historyIn, ROUGH_HISTORIES } from "./conversion-history.mjs";

const DIALECTS = ["anthropic", "openai", "google", "fireworks"];
const LIMIT = 4;

const { values } = parseArgs({
  options: {
    messages: { type: "string", default: "10000" },
    repetitions: { type: "string", default: "15" },
    growth: { type: "string", default: "2500,10000,40000" },
    json: { type: "string" },
  },
});
const count = Number(values.messages);
const repetitions = Number(values.repetitions);

const directions = DIALECTS.flatMap((from) =>
  DIALECTS.filter((to) => to !== from).map((to) => ({ from, to })),
);

/** Milliseconds of one run. What it gives is looked at, so that nothing is left out. */
function timed(work) {
  const start = performance.now();
  const kept = work();
  const took = performance.now() - start;
  if (kept === undefined) throw new Error("nothing was done");
  return took;
}

function median(numbers) {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)];
}

/** Both in turn, so that a machine that slows down slows both. */
function compare(from, to, messages) {
  const text = JSON.stringify(messages);
  const json = [];
  const conversion = [];
  for (let at = -2; at < repetitions; at++) {
    const plain = timed(() => JSON.stringify(JSON.parse(text)));
    const converted = timed(() => convertHistory({ from, to, messages }));
    if (at < 0) continue;
    json.push(plain);
    conversion.push(converted);
  }
  return { json, conversion };
}

function ratios({ json, conversion }) {
  const each = conversion.map((took, at) => took / json[at]);
  return { least: Math.min(...conversion) / Math.min(...json), middle: median(each) };
}

const number = (value, width = 7) => value.toFixed(2).padStart(width);

console.log(`${count} messages, ${repetitions} repetitions; limit ${LIMIT} × (JSON.parse + JSON.stringify)`);
console.log("direction                 json ms  convert ms  ratio of minima  median ratio");
let over = 0;
const found = {};
for (const { from, to } of directions) {
  const times = compare(from, to, historyIn(from, count));
  const { least, middle } = ratios(times);
  if (least > LIMIT) over += 1;
  found[`${from} to ${to}`] = {
    ratioOfMinima: least,
    medianRatio: middle,
    ms: Math.min(...times.conversion),
  };
  const name = `${from} -> ${to}`.padEnd(24);
  const [json, conversion] = [Math.min(...times.json), Math.min(...times.conversion)];
  console.log(
    `${name} ${number(json, 8)} ${number(conversion, 11)} ${number(least, 16)} ${number(middle, 13)}`,
  );
}

if (values.json !== undefined) {
  writeFileSync(values.json, JSON.stringify(found));
  process.exit(0);
}
const sizes = values.growth.split(",").map(Number);
console.log(
  `\nmicroseconds a message at ${sizes.join(", ")} messages (minimum): flat where the time grows linearly`,
);
for (const { from, to } of directions) {
  const costs = sizes.map((size) => {
    const { conversion } = compare(from, to, historyIn(from, size));
    return number((Math.min(...conversion) * 1000) / size, 9);
  });
  console.log(`${`${from} -> ${to}`.padEnd(24)} ${costs.join(" ")}`);
}
console.log(
  "\nmicroseconds a call, there and back, of Gemini histories that are hard to read, at the same numbers of calls",
);
for (const [name, make] of Object.entries(ROUGH_HISTORIES)) {
  const costs = sizes.map((size) => {
    const messages = make(size);
    const took = timed(() => {
      const there = convertHistory({ from: "google", to: "openai", messages });
      return convertHistory({ from: "openai", to: "google", ...there });
    });
    return number((took * 1000) / size, 9);
  });
  console.log(`${name.padEnd(24)} ${costs.join(" ")}`);
}
if (over > 0) {
  console.log(`\n${over} of ${directions.length} directions are over the limit`);
  process.exitCode = 1;
}
