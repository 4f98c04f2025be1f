/**
 * For tests of what is built on Holdfast: the simulator of the four providers, and what every media store and every stream must do.
 *
 * @module holdfast/testing
 */
export {
  FRAME_STREAM_CASES,
  type FrameStream,
  type FrameStreamCase,
  type OpenFrameStream,
} from "./connection/frame-conformance.js";
export { MEDIA_STORE_CASES } from "./media-stores/conformance.js";
export type { MediaStoreCase, MediaStoreTools, OpenMediaStore } from "./media-stores/conformance-case.js";
export { validateAnthropicRequest } from "./simulator/anthropic/validate.js";
export type { CallCounters, CallRecord, WaitOptions } from "./simulator/call-log.js";
export { validateCompatibleRequest, validateFireworksRequest } from "./simulator/fireworks/validate.js";
export { validateGoogleRequest } from "./simulator/google/validate.js";
export { validateOpenaiRequest } from "./simulator/openai/validate.js";
export type { SimulatorOptions } from "./simulator/options.js";
export type { Fault, Pace, ScriptEntry, ScriptedReply } from "./simulator/script.js";
export { type Simulator, simulatorBaseUrls, startSimulator } from "./simulator/simulator.js";
export { SimulatorControl } from "./simulator/simulator-control.js";
export type { WireIssue } from "./simulator/wire-issue.js";
