// The common form on Temporal: the activity is given the whole transcript.
import { temporalAdapter } from "../../suite/temporal-adapter.mjs";

await temporalAdapter(({ callProvider }) => ({ callModel: callProvider }));
