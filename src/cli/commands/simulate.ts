/** `holdfast simulate`: the simulator alone, for other programs and other languages. */
import { PROVIDER_NAMES } from "../../core/providers.js";
import { PROVIDER_VARIABLES, SIMULATOR_VARIABLE } from "../../providers/settings.js";
import { type Command, defineCommand } from "../command.js";
import { jsonArgument, paceArgument } from "../common-arguments.js";
import { paceOption, portOption } from "../number-option.js";
import { stopSignals } from "../stop-signals.js";

export const command: Command = defineCommand({
  args: {
    port: { type: "string", valueHint: "PORT", description: "by default a free one" },
    pace: paceArgument,
    json: jsonArgument,
  },
  details:
    "Local servers that speak the wires of the four providers, as strict as they are. Any key works. Their answers are made up.",
  examples: [
    ["until Ctrl-C", "holdfast simulate --port 4010"],
    ["with time to look on", "holdfast simulate --pace 5000"],
    ["for a worker", "HOLDFAST_SIMULATOR_URL=http://127.0.0.1:4010 holdfast worker"],
  ],
  run: async ({ args, terminal }) => {
    const [port, minimumReplyMs] = [portOption(args.port), paceOption(args.pace)];
    using signals = stopSignals();
    const { startSimulator } = await import("../../simulator/simulator.js");
    await using simulator = await startSimulator({
      ...(port === undefined ? {} : { port }),
      ...(minimumReplyMs === undefined ? {} : { minimumReplyMs }),
    });
    const { url, baseUrls } = simulator;
    if (args.json) terminal.json({ url, base_urls: baseUrls });
    else {
      terminal.print(`${SIMULATOR_VARIABLE}=${url}`);
      for (const name of PROVIDER_NAMES)
        terminal.print(`${PROVIDER_VARIABLES[name].baseUrl}=${baseUrls[name]}`);
    }
    terminal.note("The simulator answers in the place of the four providers, with any key; Ctrl-C stops it.");
    await signals.stopped;
    return undefined;
  },
});
