/** `holdfast doctor`: what was found, what is missing, and what to do about it. */
import { loadEnvFile } from "../../connection/env-file.js";
import { type Command, defineCommand } from "../command.js";
import { jsonArgument } from "../common-arguments.js";
import { table } from "../table.js";
import { hint } from "../wording.js";

const MISSING = 1;

export const command: Command = defineCommand({
  args: { json: jsonArgument },
  details: "Exits with 1 when something that is needed is missing.",
  examples: [["what is configured here?", "holdfast doctor"]],
  run: async ({ args, terminal, env, cwd }) => {
    const envFile = loadEnvFile(cwd, env);
    const { diagnose } = await import("../../server/doctor.js");
    const findings = await diagnose({ env, cwd });
    if (args.json) terminal.json(findings);
    else {
      if (envFile !== null) terminal.note(`${envFile.path} was read.`);
      const signs = {
        true: terminal.style("green", "✓"),
        false: terminal.style("red", "✗"),
        null: terminal.style("dim", "–"),
      };
      const rows = findings.map(({ name, ok, detail }) => [`${signs[`${ok}`]} ${name}`, hint(detail)]);
      for (const line of table(rows)) terminal.print(line);
      for (const { ok, name, remedy } of findings)
        if (ok !== true && remedy !== undefined)
          terminal.print(`${terminal.style("yellow", "→")} ${name}: ${hint(remedy)}`);
    }
    return findings.some(({ ok }) => ok === false) ? MISSING : undefined;
  },
});
