/** `holdfast replay`: whether this build continues a conversation as it began. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { isGrpcServiceError } from "@temporalio/client";
import { notFound, unwrapFailure } from "../../client/unwrap-failure.js";
import { loadEnvFile } from "../../connection/env-file.js";
import { type LocalSettings, resolveLocalSettings } from "../../connection/settings.js";
import { UsageError } from "../../core/errors/errors.js";
import { isJsonObject } from "../../core/json.js";
import { type Command, defineCommand, type Surroundings } from "../command.js";
import { jsonArgument } from "../common-arguments.js";
import { connect } from "../connect.js";
import { count } from "../wording.js";

const NOT_FOUND = 5;

type Stores = Pick<LocalSettings, "payloadStore" | "mediaStore">;

interface Recorded {
  readonly histories: readonly unknown[];
  readonly settings: Stores;
}

export const command: Command = defineCommand({
  args: {
    source: {
      type: "positional",
      valueHint: "ID|FILE",
      description: "a conversation, or a history that Temporal's command has written",
      completes: "conversation",
    },
    json: jsonArgument,
  },
  details:
    "Exit code 1 where a run does not replay. A history's large payloads are read from HOLDFAST_PAYLOAD_STORE.",
  examples: [
    ["before a new release goes out", "holdfast replay contract-review"],
    ["a history from elsewhere", "holdfast replay history.json"],
  ],
  run: async ({ args: { source, json }, ...surroundings }) => {
    const { replayIssue } = await import("../../worker/replay-histories.js");
    const { histories, settings } =
      (await fromFile(surroundings, source)) ?? (await fromServer(surroundings, source));
    const issues: { readonly run: number; readonly issue: string }[] = [];
    for (const [index, history] of histories.entries()) {
      const issue = await replayIssue(history, source, settings);
      if (issue !== undefined) issues.push({ run: index + 1, issue: firstLine(issue) });
    }
    const { terminal } = surroundings;
    if (json) terminal.json({ source, runs: histories.length, issues });
    else if (issues.length === 0)
      terminal.print(`${source}: ${count(histories.length, "run")} replayed, as recorded.`);
    else
      for (const { run, issue } of issues) terminal.print(`${source}: run ${run} does not replay: ${issue}`);
    return issues.length === 0 ? 0 : 1;
  },
});

/** Undefined where there is no such file. Needs no server, only the payloads that lie outside of the history. */
async function fromFile({ env, cwd }: Surroundings, source: string): Promise<Recorded | undefined> {
  const text = await readFile(resolve(cwd, source), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  loadEnvFile(cwd, env);
  return { histories: [historyOf(text, source)], settings: resolveLocalSettings({ env, cwd }) };
}

function historyOf(text: string, file: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value) && Array.isArray(value.events)) return value;
  } catch {
    // Said below.
  }
  throw new UsageError(
    `${file} is not a workflow history: write one with \`holdfast temporal workflow show --workflow-id ID --output json\`.`,
  );
}

async function fromServer(surroundings: Surroundings, id: string): Promise<Recorded> {
  const { runHistories } = await import("../../worker/replay-histories.js");
  await using conversations = await connect(surroundings);
  try {
    return { histories: await runHistories(conversations.temporal, id), settings: conversations.settings };
  } catch (error) {
    throw isGrpcServiceError(error) && error.code === NOT_FOUND ? notFound(id) : unwrapFailure(error, id);
  }
}

function firstLine(text: string): string {
  return (text.split("\n")[0] ?? "").slice(0, 500);
}
