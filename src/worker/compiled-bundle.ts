/** The workflow bundle as V8 has compiled it, kept where Node keeps compiled modules: a fresh process need not compile it again. */
import { readFile } from "node:fs/promises";
import { getCompileCacheDir } from "node:module";
import { join } from "node:path";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";
import { writeFileAtomically } from "../media-stores/write-file-atomically.js";

/** Before what V8 made; V8 itself takes damaged bytes for code. */
const CHECK_BYTES = 4;
const OWNER_ONLY = 0o600;

export interface CompiledBundle {
  readonly code: string;
  readonly script: Script;
  /** Whether it was there already, as a process before has left it. */
  readonly isKept: boolean;
  /** Keeps what has been compiled by now, where nothing is kept. Never fails: it is a cache. */
  keep(): Promise<void>;
}

/**
 * V8 refuses what another version of it has made, or other settings, and compiles then.
 *
 * @param path of the bundle, absolute.
 * @param folder Node's own, undefined where its compile cache is off.
 * @throws what reading the bundle fails with, and SyntaxError for what is no program.
 */
export async function compileBundle(
  path: string,
  folder: string | undefined = getCompileCacheDir(),
): Promise<CompiledBundle> {
  const bytes = await readFile(path);
  const code = bytes.toString("utf8");
  if (folder === undefined)
    return { code, script: new Script(code, { filename: path }), isKept: false, keep: async () => undefined };
  const kept = join(folder, `holdfast-workflows-${crc32(bytes).toString(16)}`);
  const cachedData = await readChecked(kept);
  const script = new Script(code, { filename: path, cachedData });
  const isKept = cachedData !== undefined && script.cachedDataRejected === false;
  return {
    code,
    script,
    isKept,
    keep: async () => {
      if (!isKept) await writeChecked(kept, script.createCachedData()).catch(() => undefined);
    },
  };
}

async function readChecked(path: string): Promise<Buffer | undefined> {
  const bytes = await readFile(path).catch(() => Buffer.alloc(0));
  if (bytes.length <= CHECK_BYTES) return undefined;
  const data = bytes.subarray(CHECK_BYTES);
  return bytes.readUInt32LE() === crc32(data) ? data : undefined;
}

function writeChecked(path: string, data: Buffer): Promise<void> {
  const check = Buffer.alloc(CHECK_BYTES);
  check.writeUInt32LE(crc32(data));
  return writeFileAtomically(path, Buffer.concat([check, data]), { mode: OWNER_ONLY });
}
