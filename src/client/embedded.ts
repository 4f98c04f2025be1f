/** Server and worker in this process, loaded only when asked for. */
import type { Settings } from "../connection/settings.js";
import type { FrameSource } from "../core/conversation/frame.js";
import { startLocalStack } from "../server/local-stack.js";
import { createWorker, installRuntime } from "../worker/create-worker.js";
import type { ConnectOptions } from "./connect-options.js";

export interface Embedded {
  readonly settings: Settings;
  /** In this process, so that no frame takes the way through a socket. */
  readonly frames: FrameSource;
  stop(): Promise<void>;
}

export async function startEmbedded(
  options: ConnectOptions & { readonly env: NodeJS.ProcessEnv; readonly cwd: string },
): Promise<Embedded> {
  const stack = await startLocalStack({
    root: options.cwd,
    env: options.env,
    simulate: options.simulate ?? false,
    settings: options,
  });
  try {
    const { address, namespace, mediaStore, payloadStore, taskQueue } = {
      ...stack.settings,
      address: stack.server.address,
    };
    // A program that asks is no worker: Ctrl-C ends it, as it ends any. What it has asked is there at its next start.
    installRuntime(options.logger, { shutdownSignals: [] });
    const worker = await createWorker({
      address,
      namespace,
      mediaStore,
      payloadStore,
      taskQueue,
      agents: options.agents ?? [],
      tools: options.tools ?? [],
      ...(options.stores === undefined ? {} : { stores: options.stores }),
      ...(options.prices === undefined ? {} : { prices: options.prices }),
      frames: stack.hub.hub,
      env: stack.workerEnv,
      cwd: options.cwd,
      keyRemedy:
        "in the environment of this process and connect again, or connect({ embedded: true, simulate: true })",
      ...(options.logger === undefined ? {} : { logger: options.logger }),
    });
    const running = worker.run();
    running.catch(() => undefined);
    const stop = async (): Promise<void> => {
      worker.shutdown();
      await running.catch(() => undefined);
      await stack.stop();
    };
    return { settings: stack.settings, frames: stack.hub.hub, stop };
  } catch (error) {
    await stack.stop();
    throw error;
  }
}
