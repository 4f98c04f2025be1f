/** Google's documented stand-ins for the signature of a call that another model made. */
export const STAND_IN_SIGNATURE = "skip_thought_signature_validator";
const OTHER_STAND_IN = "context_engineering_is_the_way_to_go";

export function isStandIn(signature: string): boolean {
  return signature === STAND_IN_SIGNATURE || signature === OTHER_STAND_IN;
}
