/** One conversation, spelled out in each dialect, with the wire's own things around it. */
import type { NativeMessage } from "../../src/core/envelope/envelope.js";
import type { JsonObject } from "../../src/core/json.js";
import type { DialectName } from "../../src/core/providers.js";
import type { Conversation, Medium, Round, SaidCall, Turn } from "./history-arbitrary.js";

export interface Rendered {
  readonly messages: readonly NativeMessage[];
  readonly system: string | null;
}

export const RENDERERS: Readonly<Record<DialectName, (conversation: Conversation) => Rendered>> = {
  anthropic: ({ leading, turns }) => ({ messages: turns.flatMap(anthropicTurn), system: leading }),
  google: ({ leading, turns }) => ({ messages: turns.flatMap(googleTurn), system: leading }),
  openai: ({ leading, turns }) => ({
    messages: [...systemIn("developer", leading), ...turns.flatMap(openaiTurn)],
    system: null,
  }),
  fireworks: ({ leading, turns }) => ({
    messages: [...systemIn("system", leading), ...turns.flatMap(fireworksTurn)],
    system: null,
  }),
};

const DATA: Readonly<Record<string, string>> = { "text/plain": "aGVsbG8=", "text/csv": "YSxi" };
const dataOf = ({ mime_type }: Medium): string => DATA[mime_type] ?? "iVBORw0KGgo=";
const urlOf = ({ mime_type }: Medium): string => `https://example.com/a.${mime_type.split(/[/+]/)[1] ?? ""}`;
const dataUrl = (medium: Medium): string =>
  medium.source === "url" ? urlOf(medium) : `data:${medium.mime_type};base64,${dataOf(medium)}`;

function systemIn(role: string, text: string | null): readonly NativeMessage[] {
  return text === null ? [] : [{ role, content: text }];
}

function noisy<T>(noise: readonly number[], things: readonly T[]): readonly T[] {
  return noise.flatMap((pick) => things.slice(pick, pick + 1));
}

/** One string where the wire takes one and the turn wants it; a medium beside it is left out then. */
function plainText({ plain, question }: Turn): string | undefined {
  return plain ? question.find((part) => typeof part === "string") : undefined;
}

function ordered(round: Round): readonly SaidCall[] {
  const distinct = new Set(round.calls.map(({ id }) => id)).size === round.calls.length;
  return round.resultsReversed && distinct ? round.calls.toReversed() : round.calls;
}

const ANTHROPIC_NOISE: readonly JsonObject[] = [
  { type: "thinking", thinking: "hm", signature: "EqQB" },
  { type: "redacted_thinking", data: "EqQB" },
  { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "rain" } },
  { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
  { type: "hologram", depth: 3 },
  { type: "text", text: "cited", citations: [{ type: "char_location", cited_text: "c", document_index: 0 }] },
  { type: "text", text: "kept", cache_control: { type: "ephemeral" } },
];

function anthropicMedium(medium: Medium): JsonObject {
  const { mime_type, source } = medium;
  if (mime_type.startsWith("image/") && mime_type !== "image/svg+xml") {
    const inline = {
      type: "base64",
      media_type: mime_type === "image/jpg" ? "image/jpeg" : mime_type,
      data: dataOf(medium),
    };
    return { type: "image", source: source === "url" ? { type: "url", url: urlOf(medium) } : inline };
  }
  if (mime_type.startsWith("text/")) {
    return {
      type: "document",
      title: "notes",
      source: { type: "text", media_type: "text/plain", data: "hello" },
    };
  }
  const inline = { type: "base64", media_type: "application/pdf", data: "JVBERi0xLjQ=" };
  return { type: "document", source: source === "url" ? { type: "url", url: urlOf(medium) } : inline };
}

function anthropicTurn(turn: Turn): readonly NativeMessage[] {
  const { system, question, rounds, answer, noise } = turn;
  const words = (text: string): JsonObject => ({ type: "text", text });
  const ask = question.map((part) => (typeof part === "string" ? words(part) : anthropicMedium(part)));
  const own = noisy(noise, ANTHROPIC_NOISE);
  return [
    { role: "user", content: plainText(turn) ?? ask },
    ...(system === null ? [] : [{ role: "system", content: system }]),
    ...rounds.flatMap((round) => [
      {
        role: "assistant",
        content: [
          ...own,
          words(round.preface),
          ...round.calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
        ],
      },
      {
        role: "user",
        content: [
          ...ordered(round).map(anthropicResult),
          ...(round.aside === "" ? [] : [words(round.aside)]),
        ],
      },
    ]),
    ...(answer.length === 0 ? [] : [{ role: "assistant", content: [...own, ...answer.map(words)] }]),
  ];
}

function anthropicResult({ id, result, media, isError }: SaidCall): JsonObject {
  const content = media === null ? result : [{ type: "text", text: result }, anthropicMedium(media)];
  return { type: "tool_result", tool_use_id: id, content, ...(isError ? { is_error: true } : {}) };
}

const OPENAI_NOISE: readonly JsonObject[] = [
  { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" },
  { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "rain" } },
  { type: "hologram", depth: 3 },
  { type: "item_reference", id: "msg_0" },
  { type: "compaction", id: "cmp_1", encrypted_content: "gAAA" },
];

function openaiMedium(medium: Medium): JsonObject {
  const { mime_type, source } = medium;
  if (mime_type.startsWith("image/"))
    return { type: "input_image", image_url: dataUrl(medium), detail: "high" };
  if (source === "url") return { type: "input_file", file_url: urlOf(medium) };
  if (mime_type === "audio/wav") {
    return { type: "input_audio", input_audio: { data: dataOf(medium), format: "wav" } };
  }
  return { type: "input_file", filename: "a.bin", file_data: dataUrl(medium) };
}

function openaiTurn(turn: Turn): readonly NativeMessage[] {
  const { system, question, rounds, answer, refusal, noise } = turn;
  const words = (text: string): JsonObject => ({ type: "input_text", text });
  const ask = question.map((part) => (typeof part === "string" ? words(part) : openaiMedium(part)));
  const spoken = (text: string): JsonObject => ({
    type: "message",
    id: "msg_1",
    status: "completed",
    role: "assistant",
    content: [
      refusal
        ? { type: "refusal", refusal: text }
        : { type: "output_text", text, annotations: [{ type: "url_citation" }] },
    ],
  });
  const own = noisy(noise, OPENAI_NOISE);
  return [
    ...systemIn("developer", system),
    { role: "user", content: plainText(turn) ?? ask },
    ...rounds.flatMap((round) => [
      ...own,
      ...(round.preface === "" ? [] : [spoken(round.preface)]),
      ...round.calls.map(({ id, name, input, custom }) =>
        custom && typeof input === "string"
          ? { type: "custom_tool_call", call_id: id, name, input }
          : {
              type: "function_call",
              call_id: id,
              name,
              arguments: typeof input === "string" ? input : JSON.stringify(input),
            },
      ),
      ...ordered(round).map(({ id, input, result, media, custom }) => ({
        type: custom && typeof input === "string" ? "custom_tool_call_output" : "function_call_output",
        call_id: id,
        output: media === null ? result : [words(result), openaiMedium(media)],
      })),
      ...(round.aside === "" ? [] : [{ role: "user", content: [words(round.aside)] }]),
    ]),
    ...own,
    ...answer.map(spoken),
  ];
}

const GOOGLE_NOISE: readonly JsonObject[] = [
  { text: "hm", thought: true, thoughtSignature: "EqQB" },
  { text: "signed", thoughtSignature: "EqQB" },
  { executableCode: { language: "PYTHON", code: "1" } },
  { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } },
  { hologram: { depth: 3 } },
  { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } },
];

function googleMedium(medium: Medium): JsonObject {
  const mimeType = medium.mime_type;
  return medium.source === "url"
    ? { fileData: { fileUri: urlOf(medium), mimeType } }
    : { inlineData: { mimeType, data: dataOf(medium) } };
}

function googleTurn({ question, rounds, answer, noise }: Turn): readonly NativeMessage[] {
  const words = (text: string): JsonObject => ({ text });
  const own = noisy(noise, GOOGLE_NOISE);
  return [
    {
      role: "user",
      parts: question.map((part) => (typeof part === "string" ? words(part) : googleMedium(part))),
    },
    ...rounds.flatMap((round) => [
      {
        role: "model",
        parts: [
          ...own,
          words(round.preface),
          ...round.calls.map((call) => ({ functionCall: googleCall(call) })),
        ],
      },
      {
        role: "user",
        parts: round.calls.map(({ id, name, result, media, isError }) => ({
          functionResponse: {
            ...(id === null ? {} : { id }),
            name,
            response: isError ? { error: result } : { output: result },
            ...(media?.source === "data" ? { parts: [googleMedium(media)] } : {}),
          },
        })),
      },
      ...(round.aside === "" ? [] : [{ role: "user", parts: [words(round.aside)] }]),
    ]),
    ...(answer.length === 0 ? [] : [{ role: "model", parts: [...own, ...answer.map(words)] }]),
  ];
}

function googleCall({ id, name, input }: SaidCall): JsonObject {
  return { ...(id === null ? {} : { id }), name, args: typeof input === "string" ? {} : input };
}

const FIREWORKS_NOISE: readonly JsonObject[] = [
  { reasoning_content: "hm" },
  { hologram: { depth: 3 } },
  { annotations: [{ type: "url_citation" }] },
  { name: "helper" },
];

function fireworksMedium(medium: Medium): JsonObject {
  const { mime_type } = medium;
  if (mime_type.startsWith("video/")) return { type: "video_url", video_url: { url: dataUrl(medium) } };
  if (mime_type === "audio/wav")
    return { type: "input_audio", input_audio: { data: dataOf(medium), format: "wav" } };
  if (mime_type.startsWith("image/")) return { type: "image_url", image_url: { url: dataUrl(medium) } };
  return {
    type: "file",
    file: { filename: "a.bin", file_data: `data:${mime_type};base64,${dataOf(medium)}` },
  };
}

function fireworksTurn(turn: Turn): readonly NativeMessage[] {
  const { system, question, rounds, answer, refusal, noise } = turn;
  const words = (text: string): JsonObject => ({ type: "text", text });
  const ask = question.map((part) => (typeof part === "string" ? words(part) : fireworksMedium(part)));
  const own: JsonObject = Object.assign({}, ...noisy(noise, FIREWORKS_NOISE)) as JsonObject;
  return [
    ...systemIn("system", system),
    { role: "user", content: plainText(turn) ?? ask },
    ...rounds.flatMap((round) => [
      {
        role: "assistant",
        content: round.preface === "" ? null : round.preface,
        ...own,
        tool_calls: round.calls.map(({ id, name, input, custom }) =>
          custom && typeof input === "string"
            ? { id, type: "custom", custom: { name, input } }
            : {
                id,
                type: "function",
                function: { name, arguments: typeof input === "string" ? input : JSON.stringify(input) },
              },
        ),
      },
      ...ordered(round).map(({ id, result, media }) => ({
        role: "tool",
        tool_call_id: id,
        content: media === null ? result : [words(result), fireworksMedium(media)],
      })),
      ...(round.aside === "" ? [] : [{ role: "user", content: round.aside }]),
    ]),
    ...answer.map((text) => ({
      role: "assistant",
      ...(refusal ? { content: null, refusal: text } : { content: text }),
      ...own,
    })),
  ];
}
