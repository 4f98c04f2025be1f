/** The schemas right below a schema, as the validator goes through them. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";

export interface SchemaBelow {
  readonly pointer: string;
  readonly schema: JsonObject;
  /** It is for the very value that the schema above is for, not for a part of it. */
  readonly isSameValue: boolean;
}

type Holds = "one" | "list" | "map";

const KEYWORDS: readonly (readonly [string, Holds, boolean])[] = [
  ...of("one", true, ["not", "if", "then", "else"]),
  ...of("list", true, ["allOf", "anyOf", "oneOf"]),
  ...of("map", true, ["dependentSchemas", "dependencies"]),
  ...of("one", false, ["items", "contains", "additionalProperties", "propertyNames"]),
  ...of("one", false, ["unevaluatedProperties", "unevaluatedItems"]),
  ...of("list", false, ["prefixItems"]),
  ...of("map", false, ["properties", "patternProperties", "$defs", "definitions"]),
];

function of(holds: Holds, isSameValue: boolean, names: readonly string[]) {
  return names.map((name) => [name, holds, isSameValue] as const);
}

/** Those that are objects: `true` and `false` have nothing to look at. */
export function schemasBelow(schema: JsonObject, pointer: string): readonly SchemaBelow[] {
  return KEYWORDS.flatMap(([name, holds, isSameValue]) => {
    const value = Object.hasOwn(schema, name) ? schema[name] : undefined;
    return entriesOf(value, holds).flatMap(([key, below]) =>
      isJsonObject(below) ? [{ pointer: `${pointer}/${name}${key}`, schema: below, isSameValue }] : [],
    );
  });
}

function entriesOf(
  value: JsonValue | undefined,
  holds: Holds,
): readonly (readonly [string, JsonValue | undefined])[] {
  if (holds === "one") return [["", value]];
  if (holds === "list") {
    return Array.isArray(value) ? value.map((item: JsonValue, index) => [`/${index}`, item] as const) : [];
  }
  return isJsonObject(value) ? Object.entries(value).map(([key, item]) => [`/${escaped(key)}`, item]) : [];
}

function escaped(step: string): string {
  return step.replaceAll("~", "~0").replaceAll("/", "~1");
}
