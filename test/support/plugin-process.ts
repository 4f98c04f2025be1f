// Somebody's own worker with the plugin of the built package, as a process of its own: `plugin-process.ts WORKFLOWS`.
import { DefaultLogger, NativeConnection, Runtime, Worker } from "@temporalio/worker";
import { HoldfastPlugin } from "holdfast/worker";

Runtime.install({ logger: new DefaultLogger("WARN") });
const { tools } = await import(process.env.TEST_TOOLS ?? "");
const [workflowsPath = ""] = process.argv.slice(2);
const connection = await NativeConnection.connect({ address: process.env.TEST_ADDRESS ?? "" });
const worker = await Worker.create({
  connection,
  namespace: process.env.TEST_NAMESPACE ?? "default",
  taskQueue: "theirs",
  workflowsPath,
  activities: { double: async (value: number) => 2 * value },
  plugins: [new HoldfastPlugin({ tools, bounds: { retryDelaysMs: [10] } })],
});
const running = worker.run();
console.log("ready");
await running;
await connection.close();
console.log("closed");
