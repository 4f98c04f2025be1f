/** Schemas of any library with the Standard Schema interface, known by their shape: the core loads no library. */

export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What `validate` gives for a value that passes. */
export type InferOutput<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>["output"];

/** Two libraries' own names for it, older than the standard's. */
const METHODS = ["toJSONSchema", "toJsonSchema"] as const;

/** A library may make its schemas as functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  const standard = (value as Partial<StandardSchema>)["~standard"];
  return typeof standard?.validate === "function";
}

/**
 * The JSON Schema of what the schema takes, as the library that it was written with gives it; undefined where it gives none.
 *
 * @throws whatever the library throws for a schema that has none.
 */
export function jsonSchemaOfLibrary(schema: StandardSchema): unknown {
  const standard = schema["~standard"] as { readonly jsonSchema?: JsonSchemaConverter };
  if (standard.jsonSchema !== undefined) return standard.jsonSchema.input({ target: "draft-2020-12" });
  for (const name of METHODS) {
    const convert: unknown = (schema as Partial<Record<typeof name, unknown>>)[name];
    if (typeof convert === "function") return convert.call(schema, { io: "input" });
  }
  return undefined;
}

interface JsonSchemaConverter {
  input(options: { readonly target: string }): unknown;
}

/** An issue in one line: where and what. */
export function issueLine({ message, path = [] }: StandardIssue): string {
  const place = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
  return place === "" ? message : `${place}: ${message}`;
}
