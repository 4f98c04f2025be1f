/** The kill switch of conversion between providers, for a worker or a client. */

/** False with HOLDFAST_CONVERSION=off (0, false and no as well). */
export function conversionAllowed(env: NodeJS.ProcessEnv): boolean {
  return !["off", "0", "false", "no"].includes((env.HOLDFAST_CONVERSION ?? "").trim().toLowerCase());
}
