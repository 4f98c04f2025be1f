/** The table of commands: what each does in one line, and where it is. A command's file is loaded when it is asked for. */
import type { CommandEntry } from "./command.js";

export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly CommandEntry[];
}

const entry = (name: string, summary: string, load: CommandEntry["load"]): CommandEntry => ({
  name,
  summary,
  load,
});

export const COMMAND_GROUPS: readonly CommandGroup[] = [
  {
    title: "Run",
    commands: [
      entry(
        "dev",
        "runs a Temporal server and a worker for this folder, until stopped",
        () => import("./commands/dev.js"),
      ),
      entry("worker", "runs one more worker", () => import("./commands/worker.js")),
      entry("simulate", "serves the simulator of the four providers", () => import("./commands/simulate.js")),
      entry(
        "doctor",
        "says what was found on this machine, and what is missing",
        () => import("./commands/doctor.js"),
      ),
      entry(
        "temporal",
        "runs Temporal's own command, at the server of this folder",
        () => import("./commands/temporal.js"),
      ),
      entry(
        "tour",
        "shows a conversation outlive its worker, its process and its model",
        () => import("./commands/tour.js"),
      ),
    ],
  },
  {
    title: "Talk",
    commands: [
      entry("chat", "talks with a model; the answer streams", () => import("./commands/chat.js")),
      entry(
        "send",
        "sends one message to a conversation and prints the answer",
        () => import("./commands/send.js"),
      ),
      entry("resend", "sends the message of an interrupted turn again", () => import("./commands/resend.js")),
      entry(
        "rebind",
        "continues a conversation on another model, also of another provider",
        () => import("./commands/rebind.js"),
      ),
      entry("approve", "lets a tool call run that waits for it", () => import("./commands/approve.js")),
      entry(
        "deny",
        "keeps a tool call from running, and tells the model",
        () => import("./commands/deny.js"),
      ),
      entry("cancel", "stops a running or waiting turn", () => import("./commands/cancel.js")),
      entry("close", "closes a conversation once its queue is empty", () => import("./commands/close.js")),
    ],
  },
  {
    title: "Look",
    commands: [
      entry("list", "lists the conversations that are open, or closed", () => import("./commands/list.js")),
      entry(
        "tail",
        "follows a conversation live: every turn as it comes, until stopped",
        () => import("./commands/tail.js"),
      ),
      entry("show", "shows a conversation: its state and its turns", () => import("./commands/show.js")),
      entry(
        "report",
        "says what a save would write: size, messages, media",
        () => import("./commands/report.js"),
      ),
    ],
  },
  {
    title: "Keep",
    commands: [
      entry("export", "writes a conversation's envelope to a file", () => import("./commands/export.js")),
      entry(
        "import",
        "starts a conversation from an envelope, or from a history",
        () => import("./commands/import.js"),
      ),
      entry(
        "fork",
        "starts a conversation from the first turns of another",
        () => import("./commands/fork.js"),
      ),
      entry(
        "convert",
        "puts a history into another provider's format, and says what is lost",
        () => import("./commands/convert.js"),
      ),
      entry(
        "inspect",
        "checks an envelope: version, turns, media, problems",
        () => import("./commands/inspect.js"),
      ),
      entry(
        "replay",
        "checks that this build continues a conversation as it began",
        () => import("./commands/replay.js"),
      ),
      entry("delete", "deletes a closed conversation for good", () => import("./commands/delete.js")),
      entry(
        "gc",
        "lists attachments that nothing needs any more, and deletes them",
        () => import("./commands/gc.js"),
      ),
    ],
  },
];

/** Not for every day: left out of the list in the help. */
export const OTHER_COMMANDS: readonly CommandEntry[] = [
  entry("completion", "prints the completion script of a shell", () => import("./commands/completion.js")),
  entry("complete", "answers a completion script", () => import("./commands/complete.js")),
];

export const LISTED_COMMANDS: readonly CommandEntry[] = COMMAND_GROUPS.flatMap(({ commands }) => commands);

export const COMMANDS: readonly CommandEntry[] = [...LISTED_COMMANDS, ...OTHER_COMMANDS];
