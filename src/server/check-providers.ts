/** Which providers could be called from here. Names of variables only, never their values. */
import { PROVIDER_VARIABLES, providerSettings, SIMULATOR_VARIABLE } from "../providers/settings.js";
import { bad, type Finding, good, open } from "./finding.js";

export function checkProviders(env: NodeJS.ProcessEnv, simulatorUrl: string | null): Finding {
  const name = "providers";
  const problem = settingsProblem(env);
  if (problem !== null) return bad(name, problem, "correct or unset it");
  const simulator = env[SIMULATOR_VARIABLE]?.trim() || simulatorUrl;
  if (simulator) return good(name, `the simulator at ${simulator} answers in their place`);
  // A compatible server may need no key, but an address.
  const deciding = Object.entries(PROVIDER_VARIABLES).map(([provider, { key, baseUrl }]) =>
    provider === "compatible" ? baseUrl : key,
  );
  const ready = deciding.filter((variable) => env[variable]?.trim());
  if (ready.length > 0) return good(name, `${ready.join(", ")} set`);
  return open(
    name,
    "no key is set",
    `set one of ${deciding.join(", ")}, or use the simulator: \`holdfast dev --simulate\``,
  );
}

function settingsProblem(env: NodeJS.ProcessEnv): string | null {
  try {
    providerSettings(env);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
