/** A JSON Schema against which answers are checked, and whether it is one at all (decision 0028). */
import { type OutputUnit, type Schema, Validator } from "@cfworker/json-schema";
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import { schemasBelow } from "./schema-below.js";
import { assertExpansion } from "./schema-expansion.js";
import { SCHEMA_KEYWORDS } from "./schema-keywords.js";
import { OverDeadlineError, withinDeadline } from "./within-deadline.js";

const DRAFT = "2020-12";
const FAULT_CHARACTERS = 200;
/** How long the loop that beats may stand still. */
const LOOP_MS = 250;

/** Keywords whose fault says no more than that something below them is wrong. */
const CARRIERS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "additionalProperties",
  "unevaluatedProperties",
  "unevaluatedItems",
  "items",
  "prefixItems",
  "$ref",
  "allOf",
  "if",
  "then",
  "else",
  "dependentSchemas",
]);

/** Within a choice: that no part of it fits says it all. A property may have the name of a keyword. */
const ALTERNATIVE = /(?<!\/(properties|\$defs|definitions))\/(anyOf|oneOf|not|contains)\/./;

const KEYWORDS: Validator = validatorOf(copyOf(SCHEMA_KEYWORDS));

type Lookup = Readonly<Record<string, unknown>>;

export class OutputSchemaCheck {
  readonly schema: JsonObject;
  readonly #validator: Validator;

  /** The schema is one that has no `outputSchemaFault`. */
  constructor(schema: JsonObject) {
    this.schema = schema;
    this.#validator = validatorOf(copyOf(schema));
  }

  /**
   * What is wrong, each as a JSON pointer and a sentence; empty for a value that fits.
   *
   * @param ms after how long it is cut off; 250 by default.
   * @throws OverDeadlineError, and whatever else keeps the value from being checked.
   */
  faults(value: JsonValue, ms: number = LOOP_MS): readonly string[] {
    return withinDeadline(ms, () => faultsIn(this.#validator, value));
  }
}

/** Why a value that passes `outputSchemaIssue` is no JSON Schema that can be checked, in one line; undefined where it is one. */
export function outputSchemaFault(schema: JsonObject): string | undefined {
  try {
    return withinDeadline(LOOP_MS, () => faultOf(copyOf(schema)));
  } catch (error) {
    if (error instanceof OverDeadlineError) return `To look at it, ${error.message}: describe less of it.`;
    return error instanceof Error ? error.message : String(error);
  }
}

function faultOf(root: JsonObject): string | undefined {
  const seen = new Set<JsonObject>();
  const fault = keywordFault({ schema: root, pointer: "" }, seen);
  if (fault !== undefined) return fault;
  const { lookup } = validatorOf(root) as unknown as { readonly lookup: Lookup };
  // What is seen grows: a reference may lead to a schema under a keyword of its author's own.
  for (const schema of seen) {
    if (schema.$ref === undefined) continue;
    const target = targetOf(schema, lookup);
    if (target === undefined) return `$ref ${JSON.stringify(schema.$ref)} leads nowhere within the schema.`;
    const found = isJsonObject(target)
      ? keywordFault({ schema: target, pointer: String(schema.$ref) }, seen)
      : undefined;
    if (found !== undefined) return found;
  }
  assertExpansion(seen, (schema) => sameValue(schema, lookup));
  return undefined;
}

/** The first keyword that is wrong, in this schema and those below it that were not seen yet. */
function keywordFault(
  top: { readonly schema: JsonObject; readonly pointer: string },
  seen: Set<JsonObject>,
): string | undefined {
  const open = [top];
  for (const { schema, pointer } of open) {
    if (seen.has(schema)) continue;
    seen.add(schema);
    const [fault] = faultsIn(KEYWORDS, schema, pointer);
    if (fault !== undefined) return fault;
    const { format } = schema;
    // The validator would take what every object has for the check of a format.
    if (typeof format === "string" && format in Object.prototype)
      return `${pointer}/format: There is no format of the name ${JSON.stringify(format)}.`;
    open.push(...schemasBelow(schema, pointer));
  }
  return undefined;
}

function sameValue(schema: JsonObject, lookup: Lookup): readonly JsonObject[] {
  const below = schemasBelow(schema, "").flatMap((part) => (part.isSameValue ? [part.schema] : []));
  const target = schema.$ref === undefined ? undefined : targetOf(schema, lookup);
  return isJsonObject(target) ? [...below, target] : below;
}

/** Where the validator goes, which has written into the schema; undefined for nowhere. */
function targetOf(schema: JsonObject, lookup: Lookup): unknown {
  return lookup[String(schema.__absolute_ref__ || schema.$ref)];
}

function faultsIn(validator: Validator, value: JsonValue, above = ""): readonly string[] {
  const { errors } = validator.validate(value);
  const leaves = errors.filter((error) => !isCarried(error));
  return [...new Set((leaves.length === 0 ? errors : leaves).map((error) => faultLine(error, above)))];
}

/** The validator writes into what it is given. */
function copyOf(schema: JsonObject): JsonObject {
  return structuredClone(schema);
}

function validatorOf(schema: JsonObject): Validator {
  return new Validator(schema as Schema, DRAFT, false);
}

function isCarried({ keyword, keywordLocation }: OutputUnit): boolean {
  return CARRIERS.has(keyword) || ALTERNATIVE.test(keywordLocation);
}

function faultLine({ instanceLocation, keyword, error: said }: OutputUnit, above: string): string {
  const error = keyword === "false" ? "Nothing may stand here." : said;
  const pointer = `${above}${instanceLocation.replace(/^#/, "")}`;
  const text =
    error.length <= FAULT_CHARACTERS ? error : `${error.slice(0, FAULT_CHARACTERS).toWellFormed()}…`;
  return `${pointer === "" ? "(the whole value)" : pointer.slice(0, FAULT_CHARACTERS)}: ${text}`;
}
