/** Where a client reads frames when it is given no source. */
import type { Settings } from "../connection/settings.js";
import { SseFrameSource } from "../connection/sse-frame-source.js";
import { streamNow } from "../connection/stream-now.js";
import type { FrameSource } from "../core/conversation/frame.js";

export function frameSourceOf(settings: Settings, cwd: string): FrameSource | undefined {
  const stream = streamNow(settings, cwd);
  return stream === null ? undefined : new SseFrameSource(stream);
}
