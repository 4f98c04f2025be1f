/** Checks of a message's shape, put together from small ones. What a newer SDK may add is let through unseen. */
import { isJsonObject } from "../json.js";

/** One place that does not have the expected shape. `path` is dotted. */
export interface Misfit {
  readonly path: string;
  readonly expected: string;
}

export type Shape = (value: unknown, path: string) => readonly Misfit[];

export const string: Shape = (value, path) =>
  typeof value === "string" ? [] : [{ path, expected: "a string" }];

/** An object whose named fields have their shapes where they are present and not null. */
export function object(fields: Readonly<Record<string, Shape>>, expected = "an object"): Shape {
  const shapes = Object.entries(fields);
  return (value, path) => {
    if (!isJsonObject(value)) return [{ path, expected }];
    return shapes.flatMap(([name, shape]) => {
      const field = value[name];
      return field === undefined || field === null ? [] : shape(field, stepInto(path, name));
    });
  };
}

export function listOf(item: Shape, expected = "a list"): Shape {
  return (value, path) => {
    if (!Array.isArray(value)) return [{ path, expected }];
    return value.flatMap((entry, index) => item(entry, stepInto(path, index)));
  };
}

export function stringOr(other: Shape): Shape {
  return (value, path) => (typeof value === "string" ? [] : other(value, path));
}

export function oneOf(...values: readonly string[]): Shape {
  const expected = values.map((value) => JSON.stringify(value)).join(" or ");
  return (value, path) => (typeof value === "string" && values.includes(value) ? [] : [{ path, expected }]);
}

function stepInto(path: string, step: string | number): string {
  return path === "" ? String(step) : `${path}.${step}`;
}
