/**
 * For tests of what is built on Holdfast: the simulator of the four providers, and what every media store must do.
 *
 * @module holdfast/testing
 */
export { MEDIA_STORE_CASES, type MediaStoreCase } from "./media-stores/conformance.js";
export type { CallCounters, CallRecord, WaitOptions } from "./simulator/call-log.js";
export type { SimulatorOptions } from "./simulator/options.js";
export type { ScriptEntry } from "./simulator/script.js";
export { type Simulator, simulatorBaseUrls, startSimulator } from "./simulator/simulator.js";
