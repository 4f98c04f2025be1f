/** How much of a schema one value is held against, reference by reference. */
import type { JsonObject } from "../../core/json.js";

const MOST_SCHEMAS = 5_000;
const MOST_DEEP = 100;

export const ENDLESS = "A $ref of the schema leads back to itself without end.";

interface Size {
  readonly schemas: number;
  readonly deep: number;
}

/** The schemas that a value of this one is held against as a whole. */
export type SameValue = (schema: JsonObject) => readonly JsonObject[];

/** @throws an Error in one line for a schema that leads back to itself, or that unfolds to more than a check should do. */
export function assertExpansion(schemas: Iterable<JsonObject>, below: SameValue): void {
  const known = new Map<JsonObject, Size | "open">();
  const sizeOf = (schema: JsonObject, above: number): Size => {
    const size = known.get(schema);
    if (size === "open") throw new Error(ENDLESS);
    if (size !== undefined) return size;
    if (above > MOST_DEEP) throw tooDeep();
    known.set(schema, "open");
    const sizes = below(schema).map((inner) => sizeOf(inner, above + 1));
    const own = {
      schemas: sizes.reduce((sum, { schemas }) => sum + schemas, 1),
      deep: sizes.reduce((most, { deep }) => Math.max(most, deep), 0) + 1,
    };
    if (own.deep > MOST_DEEP) throw tooDeep();
    if (own.schemas > MOST_SCHEMAS) throw tooMany();
    known.set(schema, own);
    return own;
  };
  for (const schema of schemas) sizeOf(schema, 0);
}

function tooDeep(): Error {
  return new Error(
    `A value would be held against more than ${MOST_DEEP} schemas that lead to each other: nest less.`,
  );
}

function tooMany(): Error {
  return new Error(
    `Its references unfold to more than ${MOST_SCHEMAS} schemas for one value: refer to the same schema less often.`,
  );
}
