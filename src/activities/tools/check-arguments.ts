/** Whether what an approver gives in the place of a model's arguments fits its tool: asked before the decision is taken. */
import { Context } from "@temporalio/activity";
import type { CheckArgumentsInput, CheckArgumentsResult } from "../../core/conversation/activity-contract.js";
import { cleanText } from "../../core/errors/clean-text.js";
import { errorMessage } from "../activity-failure.js";
import type { ActivityDependencies } from "../dependencies.js";
import { answeredWithin } from "./answered-within.js";
import { ASKING_MS } from "./plan-calls.js";

const MOST_ISSUES = 20;
const ISSUE_BYTES = 200;

const NOTHING_KNOWN: CheckArgumentsResult = { issues: [] };

/** Never fails: what nobody can tell now, the call of the tool will. */
export async function checkArguments(
  { tools }: Pick<ActivityDependencies, "tools">,
  { name, arguments: given }: CheckArgumentsInput,
): Promise<CheckArgumentsResult> {
  const tool = tools.get(name);
  if (tool === undefined) return NOTHING_KNOWN;
  try {
    const checked = await answeredWithin(tool.check(given), ASKING_MS);
    if (!("issues" in checked)) return NOTHING_KNOWN;
    return { issues: checked.issues.slice(0, MOST_ISSUES).map((issue) => cleanText(issue, ISSUE_BYTES)) };
  } catch (error) {
    const reason = cleanText(errorMessage(error), 500);
    Context.current().log.warn(`Whether arguments fit ${name} is not known: its schema failed: ${reason}`);
    return NOTHING_KNOWN;
  }
}
