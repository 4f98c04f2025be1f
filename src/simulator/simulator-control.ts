/** Steers a simulator that runs in another process, through its control API. */
import type { CallCounters, CallRecord } from "./call-log.js";
import { CONTROL_PREFIX } from "./control.js";
import type { Pace, ScriptEntry } from "./script.js";

export class SimulatorControl {
  readonly #url: string;

  /** `url`: the simulator's own, as it says at its start. */
  constructor(url: string) {
    this.#url = url;
  }

  async script(...entries: readonly ScriptEntry[]): Promise<void> {
    await this.#call("POST", "script", entries);
  }

  async counters(): Promise<CallCounters> {
    return (await this.#call("GET", "counters")) as CallCounters;
  }

  /** All calls; their bodies only where they are asked for. */
  async calls(options: { readonly bodies?: boolean } = {}): Promise<readonly CallRecord[]> {
    return (await this.#call("GET", `calls?bodies=${options.bodies === true}`)) as readonly CallRecord[];
  }

  /** Changes the pace of all replies that no script paces. */
  async setPace(pace: Pace): Promise<void> {
    await this.#call("POST", "pace", pace);
  }

  async advanceClock(milliseconds: number): Promise<void> {
    await this.#call("POST", "clock", { advanceMs: milliseconds });
  }

  async reset(): Promise<void> {
    await this.#call("POST", "reset");
  }

  async #call(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(`${this.#url}${CONTROL_PREFIX}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(`The simulator refused ${path}: ${JSON.stringify(answer)}`);
    return answer;
  }
}
