/** The module of a `holdfast dev MODULE`: the agents, the tools and the media stores that it exports. */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isTool, type Tool } from "../activities/tools/tool.js";
import { type NamedStores, namedStores } from "../connection/open-media-store.js";
import type { Agent } from "../core/agent.js";
import { UsageError } from "../core/errors/errors.js";
import { oneLine } from "./report-error.js";

export interface LoadedModule {
  readonly agents: readonly Agent[];
  readonly tools: readonly Tool[];
  /** Of the export `stores`, by name. */
  readonly stores: NamedStores;
}

/** @throws UsageError in one line for a module that does not load, exports no agent, tool or stores, or an agent without a name. */
export async function loadModule(path: string | undefined, cwd: string): Promise<LoadedModule> {
  if (path === undefined) return { agents: [], tools: [], stores: {} };
  const exported = await importModule(path, cwd);
  const values = Object.values(exported).flat();
  const tools = [...new Set(values.filter(isTool))];
  const agents = namedAgents(path, values.filter(isAgent));
  if (agents.length + tools.length === 0 && exported.stores === undefined) {
    throw new UsageError(
      `${path} exports no agent and no tool: export default new Agent({ name: "reviewer", model: …, instructions: … }).`,
    );
  }
  return { agents, tools, stores: namedStores(exported.stores) };
}

function namedAgents(path: string, agents: readonly Agent[]): readonly Agent[] {
  const known = new Map<string, Agent>();
  for (const agent of agents) {
    const { name } = agent.spec;
    if (name === undefined)
      throw new UsageError(`${path} exports an agent without a name: conversations follow agents by name.`);
    const other = known.get(name);
    if (other !== undefined && other !== agent)
      throw new UsageError(`${path} exports two agents named ${name}: rename one of them.`);
    known.set(name, agent);
  }
  return [...known.values()];
}

async function importModule(path: string, cwd: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(pathToFileURL(resolve(cwd, path)).href);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ERR_MODULE_NOT_FOUND" && message.includes(`'${resolve(cwd, path)}'`))
      throw new UsageError(`The module ${path} does not exist: check the path.`, { cause: error });
    throw new UsageError(`The module ${path} does not load: ${oneLine(String(error)).slice(0, 300)}`, {
      cause: error,
    });
  }
}

/** By its shape: the module may have an Agent class of another copy of the package. */
function isAgent(value: unknown): value is Agent {
  return typeof value === "object" && value !== null && "spec" in value && "resolved" in value;
}
