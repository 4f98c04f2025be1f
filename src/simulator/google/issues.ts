/** Issues in the words of Google's request parser. */
import type { WireIssue } from "../wire-issue.js";

/** `contents.0.parts.1` as the service writes it: `contents[0].parts[1]`. */
export function fieldOf(path: string): string {
  return path.replace(/\.(\d+)(?=\.|$)/g, "[$1]");
}

export function unknownName(path: string, name: string): WireIssue {
  const where = path === "" ? "" : ` at '${fieldOf(path)}'`;
  const message = `Invalid JSON payload received. Unknown name "${name}"${where}: Cannot find field.`;
  return { path: path === "" ? name : `${path}.${name}`, message };
}

export function invalidValue(path: string, type: string, detail: string): WireIssue {
  return { path, message: `Invalid value at '${fieldOf(path)}' (${type}), ${detail}` };
}

export function violation(path: string, sentence: string): WireIssue {
  return { path, message: `* GenerateContentRequest.${fieldOf(path)}: ${sentence}` };
}
