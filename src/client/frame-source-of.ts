/** Where a client reads frames when it is given no source. */
import { findDevFolder } from "../connection/dev-folder.js";
import type { Settings } from "../connection/settings.js";
import { SseFrameSource } from "../connection/sse-frame-source.js";
import type { FrameSource } from "../core/conversation/frame.js";

/** The hub of a `holdfast dev` is looked up again at each connection: one that was started anew may be elsewhere. */
export function frameSourceOf({ stream, dev }: Settings, cwd: string): FrameSource | undefined {
  if (stream === null) return undefined;
  if (stream !== dev?.state?.stream) return new SseFrameSource(stream);
  return new SseFrameSource(() => findDevFolder(cwd)?.state?.stream ?? stream);
}
