/** A request whose schema the wire cannot take: the instructions tell of it, and the worker holds the answer against it. */
import { toldSchemaText } from "../core/dialects/told-schema.js";
import type { ModelRequest } from "./provider.js";

export function toldOutput(request: ModelRequest): ModelRequest {
  const { output, ...rest } = request;
  if (output === undefined) return request;
  const texts = [request.instructions, toldSchemaText(output)];
  return { ...rest, instructions: texts.filter((text) => text.trim() !== "").join("\n\n") };
}
