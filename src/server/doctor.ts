/** What `holdfast doctor` looks at: everything that a conversation needs, in the order in which it is needed. */
import type { DevFolder } from "../connection/dev-folder.js";
import {
  type LocalSettings,
  resolveLocalSettings,
  resolveSettings,
  type Settings,
  type SettingsInput,
} from "../connection/settings.js";
import { isHoldfastError } from "../core/errors/errors.js";
import { checkMachine, checkNode } from "./check-machine.js";
import { checkPackages } from "./check-packages.js";
import { checkProviders } from "./check-providers.js";
import { checkServer } from "./check-server.js";
import { checkStores } from "./check-stores.js";
import { bad, type Finding, good, open } from "./finding.js";

/** Looks at everything and changes nothing, but for a probe that is written to stores that are there. Never throws. */
export async function diagnose(input: SettingsInput): Promise<readonly Finding[]> {
  const local = resolveLocalSettings(input);
  const settings = settingsOrProblem(input);
  const [machine, server, stores] = await Promise.all([
    checkMachine(input.env, settings instanceof Error || settings.source === "dev-folder"),
    settings instanceof Error ? [noServer(settings, local)] : checkServer(settings),
    checkStores(local),
  ]);
  const simulator = local.dev?.state?.simulator_url ?? null;
  return [
    checkNode(),
    ...checkPackages(),
    ...machine,
    checkDevFolder(local.dev),
    ...server,
    ...stores,
    checkProviders(input.env, simulator),
  ];
}

function settingsOrProblem(input: SettingsInput): Settings | Error {
  try {
    return resolveSettings(input);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** That no server has been started is no fault; settings that cannot be read are one. */
function noServer(problem: Error, { dev }: LocalSettings): Finding {
  const name = "temporal server";
  const isUnknown = isHoldfastError(problem) && problem.code === "ServerUnreachableError";
  if (!isUnknown) return bad(name, problem.message);
  const where = dev === null ? "here" : `in ${dev.root}`;
  return open(
    name,
    `none is known ${where}`,
    "run `holdfast dev` in this folder (with --simulate it needs no key), or set TEMPORAL_ADDRESS",
  );
}

function checkDevFolder(dev: DevFolder | null): Finding {
  const name = ".holdfast";
  if (dev === null) return open(name, "none in this folder or above; `holdfast dev` makes one");
  if (dev.problem !== null) return bad(name, dev.problem, "run `holdfast dev` there, or remove that file");
  if (dev.state === null) return open(name, `${dev.path}; no \`holdfast dev\` runs there`);
  const { pid, ui_url, started_at } = dev.state;
  const page = ui_url === null ? "" : `, web UI at ${ui_url}`;
  return good(name, `${dev.path}; \`holdfast dev\` runs there (pid ${pid}, since ${started_at}${page})`);
}
