/** The replies without a script: they show that the whole conversation arrived, and say that nobody is thinking. */
import type { JsonValue } from "../core/json.js";
import { matchingPassage, readDocument } from "./document-facts.js";
import { exampleValue } from "./example-value.js";
import type { AttachmentFact, RequestFacts } from "./request-facts.js";
import { requestedToolCalls } from "./requested-tools.js";
import type { ScriptedReply } from "./script.js";

const LABEL = "[simulated]";
const QUOTE_LENGTH = 80;

export function demonstrate(facts: RequestFacts): ScriptedReply {
  const toolCalls = requestedToolCalls(facts);
  const reasoning = facts.reasoning
    ? `${LABEL} Question ${facts.questionNumber} is about “${shorten(facts.lastUserText, 40)}”; I look at what came with it.`
    : "";
  if (toolCalls.length > 0) return { reasoning, toolCalls };
  if (facts.output !== undefined) return { reasoning, text: demonstrationData(facts, facts.output) };
  const sentences = [
    `${LABEL} Answer to question ${facts.questionNumber}, ${quote(facts.lastUserText)}.`,
    ...attachmentSentences(facts),
    ...resultSentences(facts),
    historySentence(facts),
    `No model was asked: this text stands in for ${facts.model}, and the next answer will remember this one.`,
  ];
  return { reasoning, text: sentences.join(" ") };
}

/** Nothing but JSON may stand in such an answer: it says in its texts that nobody was asked. */
function demonstrationData(facts: RequestFacts, schema: JsonValue): string {
  const words = `${LABEL} ${shorten(facts.lastUserText, 40)}`;
  return JSON.stringify(exampleValue(schema, { words, root: schema }));
}

function quote(question: string): string {
  const words = shorten(question, QUOTE_LENGTH);
  return words === "" ? "which has no words" : `“${words}”`;
}

function attachmentSentences(facts: RequestFacts): readonly string[] {
  if (facts.attachments.length === 0) return [];
  const documents = facts.attachments.map(readDocument);
  const described = facts.attachments.map((attachment, index) =>
    describe(attachment, documents[index]?.title),
  );
  const passage = documents
    .toReversed()
    .map(({ lines }) => matchingPassage(lines, facts.lastUserText) ?? lines[0])
    .find((found) => found !== undefined);
  return [
    `I have before me ${described.join("; ")}.`,
    ...(passage === undefined ? [] : [`The passage that fits reads: “${shorten(passage, 200)}”`]),
  ];
}

function describe(attachment: AttachmentFact, title: string | undefined): string {
  const size = `${attachment.sizeBytes.toLocaleString("en-US")} bytes`;
  const name = attachment.name === undefined ? "" : `${attachment.name}, `;
  return `${name}${attachment.mimeType} of ${size}${title === undefined ? "" : `, titled “${shorten(title, 60)}”`}`;
}

function resultSentences(facts: RequestFacts): readonly string[] {
  return facts.newToolResults.map(({ name, text }) => `The tool ${name} answered “${shorten(text, 120)}”.`);
}

function historySentence(facts: RequestFacts): string {
  const before = Math.max(0, facts.messageCount - 1);
  const messages = before === 1 ? "1 message" : `${before} messages`;
  const results = facts.toolResultCount === 0 ? "" : `, tool results in all: ${facts.toolResultCount}`;
  return before === 0
    ? "Nothing was said before it."
    : `Before it the conversation held ${messages}${results}.`;
}

function shorten(text: string, length: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  const characters = [...line];
  return characters.length <= length ? line : `${characters.slice(0, length - 1).join("")}…`;
}
