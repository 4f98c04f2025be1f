// Tests never reach a real provider or somebody's cluster: what the developer's shell sets for those is taken away, for the test and
// for every process that it starts. A test that needs such a variable sets it itself.

import { tmpdir } from "node:os";
import { join } from "node:path";

/** What a test run may keep: where the executables are, so that a machine without a download can still test. */
const kept = new Set([
  "HOLDFAST_TEMPORAL_CLI",
  "HOLDFAST_TEST_SERVER",
  "HOLDFAST_RCLONE",
  "HOLDFAST_CACHE",
  "HOLDFAST_POSTGRESQL",
  "HOLDFAST_TEMPORAL_SERVER",
]);

const foreign = /^(ANTHROPIC|AWS|OPENAI|GEMINI|GOOGLE|FIREWORKS|TEMPORAL|HOLDFAST)_/;

for (const name of Object.keys(process.env)) {
  if (foreign.test(name) && !kept.has(name)) delete process.env[name];
}

// How the tests were started must not show in what the command says.
delete process.env.npm_command;
delete process.env.npm_execpath;

// Hundreds of processes load the same code: what Node has compiled is kept for the next of them, whatever their HOME.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), `holdfast-compiled-${process.getuid?.() ?? 0}`);
