/** What generateContent refuses in a request. Pure. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import { objectsIn } from "../request-facts.js";
import type { ValidationOptions } from "../wire.js";
import type { WireIssue } from "../wire-issue.js";
import { type FindFile, inputTokens } from "./facts.js";
import { invalidValue, unknownName, violation } from "./issues.js";
import { type GoogleModel, googleModel } from "./models.js";
import { checkTurns } from "./turns.js";
import { checkOutput } from "./validate-output.js";
import { checkPart, type PartRules } from "./validate-part.js";
import { checkTools } from "./validate-tools.js";

const REQUEST: readonly string[] = [
  ...["model", "contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "safetySettings"],
  ...["cachedContent", "serviceTier", "labels", "continuationToken", "store"],
];
const CONFIG: readonly string[] = [
  ...["temperature", "topP", "topK", "candidateCount", "maxOutputTokens", "stopSequences", "seed"],
  ...["responseMimeType", "responseSchema", "responseJsonSchema", "responseFormat", "responseModalities"],
  ...[
    "responseLogprobs",
    "logprobs",
    "presencePenalty",
    "frequencyPenalty",
    "thinkingConfig",
    "speechConfig",
  ],
  ...["mediaResolution", "imageConfig", "audioTimestamp", "audioTranscriptionConfig"],
  ...["enableEnhancedCivicAnswers", "enableAffectiveDialog", "translationConfig"],
];

export interface GoogleValidationOptions extends ValidationOptions {
  /** The model that the path names. */
  readonly model: string;
  /** Uploaded files, for their sizes. */
  readonly findFile?: FindFile;
}

/** The issues of a body sent to `models/MODEL:generateContent`, the one that the service would state first in front. */
export function validateGoogleRequest(
  body: JsonValue,
  options: GoogleValidationOptions,
): readonly WireIssue[] {
  const model = googleModel(options.model);
  if (model === undefined) {
    const message = `models/${options.model} is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`;
    return [{ path: "model", message, status: 404 }];
  }
  if (!isJsonObject(body)) return [invalidValue("", "TYPE_MESSAGE", "expected an object")];
  const rules = { model, mediaBytes: options.mediaBytes ?? true };
  const issues = [
    ...unknownNames(body, "", REQUEST),
    ...checkConfig(body.generationConfig),
    ...checkSystem(body.systemInstruction, rules),
    ...checkTools(body.tools),
    ...checkOutput(body, model),
    ...checkContents(body.contents, rules),
  ];
  return issues.length > 0 ? issues : checkLength(body, model, options);
}

function unknownNames(value: JsonObject, path: string, known: readonly string[]): readonly WireIssue[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => unknownName(path, key));
}

function checkConfig(config: JsonValue | undefined): readonly WireIssue[] {
  if (config === undefined) return [];
  if (!isJsonObject(config)) return [invalidValue("generation_config", "TYPE_MESSAGE", "expected an object")];
  const { temperature, maxOutputTokens } = config;
  return [
    ...unknownNames(config, "generation_config", CONFIG),
    ...(typeof temperature === "number" && (temperature < 0 || temperature > 2)
      ? [violation("generation_config.temperature", "temperature must be in the range [0.0, 2.0].")]
      : []),
    ...(typeof maxOutputTokens === "number" && maxOutputTokens < 1
      ? [violation("generation_config.max_output_tokens", "max_output_tokens must be positive.")]
      : []),
  ];
}

function checkSystem(system: JsonValue | undefined, rules: PartRules): readonly WireIssue[] {
  if (system === undefined) return [];
  if (!isJsonObject(system))
    return [invalidValue("system_instruction", "TYPE_MESSAGE", "expected an object")];
  const parts = Array.isArray(system.parts) ? (system.parts as readonly JsonValue[]) : [];
  if (parts.length === 0) return [violation("system_instruction.parts", "contents.parts must not be empty.")];
  return parts.flatMap((part, index) => checkPart(part, `system_instruction.parts.${index}`, rules));
}

function checkContents(value: JsonValue | undefined, rules: PartRules): readonly WireIssue[] {
  const contents = Array.isArray(value) ? (value as readonly JsonValue[]) : [];
  if (contents.length === 0) return [violation("contents", "contents is not specified")];
  const each = contents.flatMap((content, index) => checkContent(content, index, contents.length, rules));
  return each.length > 0 ? each : checkTurns(objectsIn(contents), rules.model);
}

function checkContent(
  content: JsonValue,
  index: number,
  count: number,
  rules: PartRules,
): readonly WireIssue[] {
  const path = `contents.${index}`;
  if (!isJsonObject(content)) return [invalidValue(path, "TYPE_MESSAGE", "expected an object")];
  const unknown = unknownNames(content, path, ["role", "parts"]);
  if (unknown.length > 0) return unknown;
  const { role } = content;
  const silent = role === undefined && count === 1;
  if (role !== "user" && role !== "model" && !silent) {
    return [{ path: `${path}.role`, message: "Please use a valid role: user, model." }];
  }
  const parts = Array.isArray(content.parts) ? (content.parts as readonly JsonValue[]) : [];
  if (parts.length === 0) return [violation(`${path}.parts`, "contents.parts must not be empty.")];
  return parts.flatMap((part, position) => checkPart(part, `${path}.parts.${position}`, rules));
}

function checkLength(
  body: JsonObject,
  model: GoogleModel,
  options: GoogleValidationOptions,
): readonly WireIssue[] {
  const limit = options.contextTokens ?? model.contextTokens;
  const tokens = inputTokens(body, options.findFile ?? (() => undefined));
  if (tokens <= limit) return [];
  const message = `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${limit}).`;
  return [{ path: "contents", message }];
}
