/** The Messages API begins its sentences with the path of the field. */
import type { FieldIssue } from "../field-check.js";
import type { WireIssue } from "../wire-issue.js";

export function issueAt(path: string, message: string): WireIssue {
  return { path, message: `${path}: ${message}` };
}

export function issuesFrom(issues: readonly FieldIssue[]): readonly WireIssue[] {
  return issues.map(({ path, message }) => issueAt(path, message));
}
