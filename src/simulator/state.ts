/** What one simulator knows: its wires, scripts, calls, defaults and its clock. */
import { anthropicWire } from "./anthropic/index.js";
import { CallLog } from "./call-log.js";
import { compatibleWire, fireworksWire } from "./fireworks/index.js";
import { FileStore } from "./google/files.js";
import { createGoogleWire } from "./google/index.js";
import { openaiWire } from "./openai/index.js";
import type { SimulatorOptions } from "./options.js";
import { type Pace, Script } from "./script.js";
import type { Wire } from "./wire.js";

export class SimulatorState {
  readonly options: SimulatorOptions;
  readonly script: Script = new Script();
  readonly calls: CallLog = new CallLog();
  readonly files: FileStore;
  readonly wires: readonly Wire[];
  pace: Pace;
  #clockOffset = 0;

  constructor(options: SimulatorOptions) {
    this.options = options;
    this.pace = initialPace(options);
    this.files = new FileStore(() => this.now(), options.fileProcessing);
    this.wires = [anthropicWire, openaiWire, createGoogleWire(this.files), fireworksWire, compatibleWire];
  }

  now(): number {
    return (this.options.clock ?? Date.now)() + this.#clockOffset;
  }

  advanceClock(milliseconds: number): void {
    this.#clockOffset += milliseconds;
  }

  reset(): void {
    this.script.clear();
    this.calls.clear();
    this.files.clear();
    this.pace = initialPace(this.options);
    this.#clockOffset = 0;
  }
}

function initialPace({ chunkDelayMs, minimumReplyMs }: SimulatorOptions): Pace {
  return {
    ...(chunkDelayMs === undefined ? {} : { chunkDelayMs }),
    ...(minimumReplyMs === undefined ? {} : { minimumReplyMs }),
  };
}
