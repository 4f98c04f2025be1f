import { expect, it } from "vitest";
import { isTextType } from "../../../src/core/media/text-type.js";

it.each([
  "text/plain",
  "Text/Markdown; charset=utf-8",
  "application/json",
  "application/geo+json",
  "application/x-yaml",
])("DIA-137 takes %s for text that a model can be given as text", (type) => {
  expect(isTextType(type)).toBe(true);
});

it.each([
  "application/pdf",
  "text/rtf",
  "application/msword",
  "image/svg+xml",
  "application/octet-stream",
  "json",
])("DIA-137 takes %s for none", (type) => {
  expect(isTextType(type)).toBe(false);
});
