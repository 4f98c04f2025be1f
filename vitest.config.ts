import { defineConfig, type TestUserConfig, type ViteUserConfig } from "vitest/config";

/** Tests of what the build made: they start `dist/`, as processes of their own, often beside a real Temporal server. */
const builtTests = [
  "test/{e2e,cli,packaging,examples,time-skipping,bench}/**/*.test.ts",
  "test/{bundle,replay}.test.ts",
];

/** Tests that put modules of their own in the place of others, which holds only where nobody has loaded those before. */
const replacingTests = [
  "test/media-stores/{directory-media-store,write-file-atomically}.test.ts",
  "test/workflows/interceptors.test.ts",
];

/** Where to write the machine-readable report that `.ci/run` counts from. */
const report = process.env.VITEST_JSON_REPORT;

const shared: TestUserConfig = {
  setupFiles: ["test/setup/isolate-environment.ts"],
  testTimeout: 30_000,
  hookTimeout: 60_000,
  // A test without an assertion is a test that cannot fail.
  expect: { requireAssertions: true, poll: { timeout: 15_000 } },
};

const config: ViteUserConfig = defineConfig({
  test: {
    pool: "forks",
    // More than cores: the built tests wait for processes and servers much of their time.
    maxWorkers: 4,
    reporters: report ? ["default", ["json", { outputFile: report }]] : ["default"],
    projects: [
      {
        test: {
          ...shared,
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: [...builtTests, ...replacingTests],
          // Two hundred files that load the same modules: one process loads them once. None may leave anything changed.
          isolate: false,
        },
      },
      { test: { ...shared, name: "replacing", include: replacingTests } },
      {
        test: {
          ...shared,
          name: "built",
          include: builtTests,
          globalSetup: ["test/setup/built-package.ts"],
          // The longest of those that name no time of their own takes 27 seconds beside three others: a busier machine needs more.
          testTimeout: 90_000,
        },
      },
    ],
  },
});

export default config;
