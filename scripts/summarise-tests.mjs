// Reads vitest's JSON report and prints, as its last line, "N passed, N failed" for whoever reads the log of `.ci/run`.
// Exit code 1: a test failed, a file could not run, or no test ran at all.
import { readFileSync } from "node:fs";

const report = JSON.parse(readFileSync(process.argv[2], "utf8"));
const files = report.testResults;
const tests = files.flatMap((file) => file.assertionResults);
const brokenFiles = files.filter((file) => file.status === "failed" && file.assertionResults.length === 0);
const withStatus = (status) => tests.filter((test) => test.status === status);
const passed = withStatus("passed").length;
const failed = withStatus("failed").length + brokenFiles.length;
const left = tests.filter((test) => test.status !== "passed" && test.status !== "failed");

for (const file of brokenFiles) console.log(`did not run: ${file.name}`);
for (const test of withStatus("failed")) console.log(`failed: ${test.fullName}`);
for (const test of left) console.log(`skipped: ${test.fullName}`);
console.log(`${passed} passed, ${failed} failed${left.length > 0 ? `, ${left.length} skipped` : ""}`);
process.exitCode = passed > 0 && failed === 0 && report.success ? 0 : 1;
