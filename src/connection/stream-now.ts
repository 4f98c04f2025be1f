/** Where the stream of the settings is, for as long as a process runs. */
import { findDevFolder } from "./dev-folder.js";
import type { Settings } from "./settings.js";
import type { StreamAddress } from "./stream-address.js";

/** Of a `holdfast dev` a function, to be asked at each connection: the hub of one that was started anew is elsewhere. */
export function streamNow(
  { stream, dev }: Pick<Settings, "stream" | "dev">,
  cwd: string,
): StreamAddress | (() => StreamAddress) | null {
  if (stream === null || stream !== dev?.state?.stream) return stream;
  return () => findDevFolder(cwd)?.state?.stream ?? stream;
}
