// An agent with three tools, for a worker to deploy:
//
//   npx holdfast dev examples/order-desk/tools.ts --simulate
//   npx holdfast send desk 'Call refund with {"order": "A-17", "amount": 80}' --agent order-desk   # in a second terminal
//   npx holdfast approve desk 1 --arguments '{"order": "A-17", "amount": 40}'                      # in a third
import { Agent, defineTool, type Tool } from "holdfast/worker";
import { z } from "zod";

const orders = new Map([["A-17", { state: "packed", parcels: 2 }]]);

/** A look-up: it may be run again after a crash, so it says that it is idempotent. */
export const orderStatus: Tool = defineTool({
  name: "order_status",
  description: "Tells where an order is.",
  input: z.object({ order: z.string().describe("The order's number, such as A-17") }),
  idempotent: true,
  execute: ({ order }) => orders.get(order) ?? { state: "unknown" },
});

/** An act: after a crash nobody repeats it, and the model is told that nobody knows whether it was done. */
export const cancelOrder: Tool = defineTool({
  name: "cancel_order",
  description: "Cancels an order that has not left yet.",
  input: z.object({ order: z.string(), reason: z.string().optional() }),
  timeout: "30 seconds",
  execute: ({ order }, { idempotencyKey, logger }) => {
    const found = orders.get(order);
    if (found === undefined) throw new Error(`There is no order ${order}.`); // The model is told.
    logger.info("Cancelled.", { order, idempotencyKey }); // A payment service would get the key.
    found.state = "cancelled";
    return `${order} is cancelled.`;
  },
});

/** Money: above 50 somebody has to say so, and may say how much. Until then nothing runs. */
export const refund: Tool = defineTool({
  name: "refund",
  description: "Refunds an order, in whole or in part.",
  input: z.object({ order: z.string(), amount: z.number().positive() }),
  needsApproval: ({ amount }) => amount > 50,
  execute: ({ order, amount }) => `${amount} for ${order} are on their way.`,
});

const desk: Agent = new Agent({
  name: "order-desk",
  model: "claude-haiku-4-5",
  instructions: "You answer questions about orders.",
  tools: [orderStatus, cancelOrder, refund],
});
export default desk;
