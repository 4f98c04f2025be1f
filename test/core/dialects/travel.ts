/** Histories on their way through several dialects, growing by a turn in each. */
import type { AtticEntry } from "../../../src/core/dialects/attic.js";
import { convertHistory } from "../../../src/core/dialects/convert.js";
import { dialectFor } from "../../../src/core/dialects/index.js";
import type { ConversionReportEntry, NativeMessage } from "../../../src/core/envelope/envelope.js";
import type { DialectName } from "../../../src/core/providers.js";

export interface History {
  readonly dialect: DialectName;
  readonly messages: readonly NativeMessage[];
  readonly system: string | null;
  readonly attic: readonly AtticEntry[];
}

export function moved(
  history: History,
  to: DialectName,
): History & { readonly report: readonly ConversionReportEntry[] } {
  const { messages, system, attic, report } = convertHistory({ ...history, from: history.dialect, to });
  return { dialect: to, messages, system, attic, report };
}

/** A turn that the dialect itself added. */
export function grown(history: History): History {
  const added = [dialectFor(history.dialect).userMessage("One more?", []), ANSWERS[history.dialect]];
  return { ...history, messages: [...history.messages, ...added] };
}

const ANSWERS: Readonly<Record<DialectName, NativeMessage>> = {
  anthropic: { role: "assistant", content: [{ type: "text", text: "Yes." }] },
  openai: {
    type: "message",
    role: "assistant",
    content: [{ type: "output_text", text: "Yes.", annotations: [] }],
  },
  google: { role: "model", parts: [{ text: "Yes." }] },
  fireworks: { role: "assistant", content: "Yes." },
};
