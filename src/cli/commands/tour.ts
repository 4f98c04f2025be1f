/** `holdfast tour`, which is also `npm start`. */
import { type Command, defineCommand } from "../command.js";

export const command: Command = defineCommand({
  args: {
    live: {
      type: "boolean",
      description: "ask the real service, with ANTHROPIC_API_KEY, instead of the simulator",
    },
    keep: { type: "boolean", description: "leave the server and its web page running until Ctrl-C" },
  },
  examples: [
    ["The whole tour, without a key", "npm start"],
    ["With a real model, and time to look at Temporal's web page", "npm start -- --live --keep"],
  ],
  run: async ({ args, env, cwd }) => {
    const { runTour } = await import("../tour/run-tour.js");
    await runTour({ ...args, env, cwd });
    return undefined;
  },
});
