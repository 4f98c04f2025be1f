/** Where the conversations of a worker run: Temporal's reusable sandbox, on the worker's own loop (decision 0039). */
import { type Context, runInContext } from "node:vm";
import { ReusableVMWorkflowCreator } from "@temporalio/worker/lib/workflow/reusable-vm.js";
import { type CompiledBundle, compileBundle } from "./compiled-bundle.js";
import { sourcesInStacks } from "./sources-in-stacks.js";
import { hearRejections } from "./workflow-rejections.js";

type Bundle = ReusableVMWorkflowCreator["workflowBundle"];

/** Its own is asked for only by a query that has no stacks to show here (decision 0036), and is large. */
const NO_SOURCE_MAP = { version: 3, sources: [], names: [], mappings: "" };

/** The SDK's type knows limits alone; undefined is what Node's `vm` takes for none (decision 0034). */
const UNLIMITED = undefined as unknown as number;

/** One that is being loaded. */
export interface StartedSandbox {
  readonly loaded: Promise<WorkflowSandbox>;
  /** For when no worker takes it. */
  readonly end: () => Promise<void>;
}

export class WorkflowSandbox extends ReusableVMWorkflowCreator {
  /** Ends the hearing of what nobody caught in a workflow. */
  readonly #deaf = hearRejections();
  readonly #compiled: CompiledBundle;

  private constructor(compiled: CompiledBundle, filename: string, activities: readonly string[]) {
    const bundle = { code: compiled.code, filename, sourceMap: { ...NO_SOURCE_MAP, file: filename } };
    super(compiled.script, bundle as unknown as Bundle, UNLIMITED, new Set(activities));
    this.#compiled = compiled;
  }

  /**
   * Needs no server: it goes on while a connection is made.
   *
   * @param codePath of the workflow bundle, absolute.
   * @param activities the names of those that the worker has.
   */
  static start(codePath: string, activities: readonly string[]): StartedSandbox {
    const loaded = WorkflowSandbox.#load(codePath, activities);
    const nothing = (): void => undefined;
    // Whoever waits for it hears of its failure.
    loaded.catch(nothing);
    return { loaded, end: () => loaded.then((sandbox) => sandbox.destroy(), nothing) };
  }

  static async #load(codePath: string, activities: readonly string[]): Promise<WorkflowSandbox> {
    const compiled = await compileBundle(codePath);
    return withoutHooks(() => new WorkflowSandbox(compiled, codePath, activities));
  }

  /** As Temporal's worker asks for it. */
  get bundle(): Bundle {
    return this.workflowBundle;
  }

  /** Called before the bundle is run in it. */
  protected override injectGlobals(context: Context): void {
    super.injectGlobals(context);
    const inside: ErrorConstructor = runInContext("Error", context);
    inside.prepareStackTrace = sourcesInStacks(this.workflowBundle);
  }

  override async destroy(): Promise<void> {
    this.#deaf();
    // By now all that conversations need is compiled.
    await this.#compiled.keep();
    await super.destroy();
  }
}

/** The SDK's is meant for a thread: a rejection that is no workflow's ends the process there, whoever else listens for it. */
function withoutHooks<Made>(make: () => Made): Made {
  const flag = ReusableVMWorkflowCreator as unknown as { unhandledRejectionHandlerHasBeenSet: boolean };
  const before = flag.unhandledRejectionHandlerHasBeenSet;
  flag.unhandledRejectionHandlerHasBeenSet = true;
  try {
    return make();
  } finally {
    flag.unhandledRejectionHandlerHasBeenSet = before;
  }
}
