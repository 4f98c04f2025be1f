/** Files that the build makes beside the compiled sources, and that Temporal or Node want by path. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { UsageError } from "../core/errors/errors.js";

/**
 * The absolute path of a file in `dist/`, whether this module runs from there or, in tests, from the sources.
 *
 * @throws UsageError when the package has not been built.
 */
export function builtFile(
  name:
    | "workflow-bundle.js"
    | "connection/payload-converter.cjs"
    | "workflows/interceptors.js"
    | "workflows/run-meter.js"
    | "workflows/workflows-beside.cjs"
    | "cli/main.js"
    | "cli/tour/worker-process.js"
    | "cli/tour/continuation-process.js"
    | "activities/threads/work-thread.js"
    | "activities/output/check-thread.js",
): string {
  for (const base of ["../", "../../dist/"]) {
    const path = fileURLToPath(new URL(`${base}${name}`, import.meta.url));
    if (existsSync(path)) return path;
  }
  throw new UsageError(`Holdfast is not built: ${name} is missing. Run \`npm run build\` in the checkout.`);
}
