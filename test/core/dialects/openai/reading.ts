/** Reading Responses items in tests, and what the report says in short. */
import { readHistory } from "../../../../src/core/dialects/openai/read-history.js";
import type { PivotEntry, ReadHistory } from "../../../../src/core/dialects/pivot.js";
import type { JsonObject } from "../../../../src/core/json.js";
import { deepFreeze } from "../deep-freeze.js";

/** Items as the SDK types them, or as a newer service would send them. */
export const read = (...items: readonly object[]): ReadHistory =>
  readHistory(deepFreeze(items as JsonObject[]));

/** `kind artefact index detail` of each entry. */
export const said = ({ report }: ReadHistory): readonly string[] =>
  report.map(({ kind, artefact, index, detail }) =>
    [kind, artefact, index, detail].filter((word) => word !== undefined).join(" "),
  );

export const texts = (entry: PivotEntry | undefined): readonly string[] =>
  entry?.kind === "user" || entry?.kind === "assistant"
    ? entry.parts.map((part) => (part.kind === "text" ? part.text : part.kind))
    : [];

export const user = (...content: readonly object[]): object => ({ role: "user", content });
