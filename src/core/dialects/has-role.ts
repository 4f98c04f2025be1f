/** A glance at a message that may be none: asked of every message of a long history, before its whole shape is looked at. */
import { isJsonObject } from "../json.js";

/** True where the value is an object of this role. */
export function hasRole(message: unknown, role: string): boolean {
  return isJsonObject(message) && message.role === role;
}
