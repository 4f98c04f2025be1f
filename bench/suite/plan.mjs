// What is measured, in which order, and how often.
import { crash } from "./measures/crash.mjs";
import { crowd } from "./measures/crowd.mjs";
import { documents, others } from "./measures/documents.mjs";
import { resume } from "./measures/resume.mjs";
import { sizes } from "./measures/sizes.mjs";
import { start } from "./measures/start.mjs";
import { turns } from "./measures/turns.mjs";

/** By the name that `--only` takes. `resume` goes on with the processes of `turns`. */
export const MEASURES = { turns, resume, crowd, crash, start, sizes, documents, others };

const WHOLE = {
  lengths: [10, 200, 1_000],
  rounds: 5,
  window: 20,
  warmUp: 80,
  seedSeconds: 300,
  resumeLengths: [200, 2_000],
  resumeRounds: 5,
  crowdRounds: 5,
  conversations: 50,
  crowdTurns: 10,
  crashRounds: 5,
  patienceMs: 90_000,
  startRounds: 5,
  documentMessages: 10_000,
  documentRounds: 7,
  otherTurns: 40,
};

/** To try something out: its figures say little. */
const QUICK = {
  ...WHOLE,
  lengths: [10, 50],
  rounds: 2,
  window: 10,
  warmUp: 20,
  resumeLengths: [50],
  resumeRounds: 2,
  crowdRounds: 2,
  conversations: 10,
  crowdTurns: 5,
  crashRounds: 2,
  patienceMs: 15_000,
  startRounds: 2,
  documentMessages: 1_000,
  documentRounds: 2,
  otherTurns: 8,
};

export function optionsOf({ quick, keep }) {
  return { ...(quick ? QUICK : WHOLE), quick, keep };
}
