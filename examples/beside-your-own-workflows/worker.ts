// Your own Temporal worker, with conversations beside its workflows. Beside a running `holdfast dev`, which is only the server here:
//
//   TEMPORAL_ADDRESS=… TEMPORAL_NAMESPACE=holdfast node examples/beside-your-own-workflows/worker.ts
import { fileURLToPath } from "node:url";
import { NativeConnection, Worker } from "@temporalio/worker";
import { HoldfastPlugin } from "holdfast/worker";

export const activities = {
  readContract: async (name: string): Promise<string> =>
    `Contract ${name}: the price is paid in three parts; the seller bears the risk until delivery.`,
};

const connection = await NativeConnection.connect({ address: process.env.TEMPORAL_ADDRESS ?? "" });
const worker = await Worker.create({
  connection,
  namespace: process.env.TEMPORAL_NAMESPACE ?? "default",
  taskQueue: "contracts",
  workflowsPath: fileURLToPath(new URL("workflows.ts", import.meta.url)),
  activities,
  plugins: [new HoldfastPlugin()],
});
console.log("ready");
await worker.run();
await connection.close();
