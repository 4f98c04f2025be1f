import PDFDocument from "pdfkit";
import { describe, expect, it } from "vitest";
import { chunksOf } from "../../src/simulator/chunks.js";
import { demonstrate } from "../../src/simulator/demonstration.js";
import { readDocument } from "../../src/simulator/document-facts.js";
import type { RequestFacts } from "../../src/simulator/request-facts.js";
import { replyTo } from "../../src/simulator/simulated-reply.js";

const FACTS: RequestFacts = {
  model: "claude-haiku-4-5",
  stream: true,
  messageCount: 3,
  questionNumber: 2,
  lastUserText: "Who bears the risk in clause 5?",
  attachments: [],
  newToolResults: [],
  toolResultCount: 0,
  tools: [],
  reasoning: false,
  output: undefined,
  inputTokens: 100,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
};

const CLAUSES = [
  "4. Payment. The customer pays within 30 days.",
  "5. Risk. The supplier bears the risk of loss until the goods have been handed over to the customer at the place that the order names.",
];

async function contract(compress: boolean): Promise<string> {
  const document = new PDFDocument({ compress, info: { Title: "Service agreement – Größe (A)" } });
  const parts: Buffer[] = [];
  document.on("data", (part: Buffer) => parts.push(part));
  const ended = new Promise((resolve) => document.on("end", resolve));
  for (const clause of CLAUSES) document.text(clause);
  document.end();
  await ended;
  return Buffer.concat(parts).toString("base64");
}

function pdf(data: string): RequestFacts["attachments"][number] {
  return { mimeType: "application/pdf", sizeBytes: 48_231, name: "contract.pdf", data };
}

describe("the default reply", () => {
  it("SIM-4 names the question, its number, what came before and the model", () => {
    const { text = "" } = demonstrate(FACTS);
    expect(text).toMatch(/^\[simulated\] /);
    expect(text).toContain("question 2, “Who bears the risk in clause 5?”");
    expect(text).toContain("the conversation held 2 messages");
    expect(text).toContain("claude-haiku-4-5");
    expect(text.length).toBeLessThan(500);
  });

  it.each([true, false])(
    "SIM-4 reads title and fitting passage of a PDF (compressed: %s)",
    async (compress) => {
      const { text } = demonstrate({ ...FACTS, attachments: [pdf(await contract(compress))] });
      expect(text).toContain(
        "contract.pdf, application/pdf of 48,231 bytes, titled “Service agreement – Größe (A)”",
      );
      expect(text).toContain("reads: “5. Risk. The supplier bears the risk of loss until the goods");
    },
  );

  it("SIM-4 finds the passage by the number of a clause alone", async () => {
    const attachments = [pdf(await contract(true))];
    const { text } = demonstrate({ ...FACTS, lastUserText: "Summarise clause 4.", attachments });
    expect(text).toContain("reads: “4. Payment. The customer pays within 30 days.”");
  });

  it.each([
    ["application/pdf", "%PDF-1.7 /Title (\\376\\377) stream\nBT (\\001\\002) Tj ET"],
    ["application/pdf", "%PDF-1.7 /Title <FEFF00> stream\n"],
    ["application/pdf", "no PDF at all"],
    ["image/png", "\x89PNG"],
  ])("SIM-4 describes %s by type and size where nothing can be read of it", (mimeType, bytes) => {
    const data = Buffer.from(bytes, "latin1").toString("base64");
    expect(readDocument({ mimeType, sizeBytes: 1, data }).lines).toEqual([]);
    const { text } = demonstrate({ ...FACTS, attachments: [{ mimeType, sizeBytes: 1_234, data }] });
    expect(text).toContain(`I have before me ${mimeType} of 1,234 bytes`);
  });

  it("SIM-4 quotes a long question shortly, and no half characters", () => {
    const { text = "" } = demonstrate({ ...FACTS, lastUserText: "😀".repeat(500) });
    expect(text).toContain(`“${"😀".repeat(79)}…”`);
    expect(text.isWellFormed()).toBe(true);
  });

  it("SIM-3 gives the same request the same reply and ids, and a later request other ids", () => {
    expect(replyTo(FACTS, undefined)).toEqual(replyTo({ ...FACTS }, undefined));
    const later = replyTo({ ...FACTS, messageCount: 5 }, undefined);
    expect(later.seed).not.toBe(replyTo(FACTS, undefined).seed);
  });

  it("SIM-6 counts about a quarter of the bytes as tokens", () => {
    const { usage, text } = replyTo(FACTS, undefined);
    expect(usage).toMatchObject({ input_tokens: 100, reasoning_tokens: 0 });
    expect(usage.output_tokens).toBe(Math.ceil(Buffer.byteLength(text) / 4));
  });

  it("SIM-6 keeps reasoning and cached tokens within the totals that a script states", () => {
    const facts = { ...FACTS, inputTokens: 3_000, cacheReadTokens: 2_048 };
    const { usage } = replyTo(facts, {
      reasoning: "x".repeat(400),
      usage: { input_tokens: 9, output_tokens: 3 },
    });
    expect(usage).toMatchObject({ cache_read_tokens: 9, reasoning_tokens: 3 });
  });
});

describe("calls of tools that the question asks for", () => {
  const schema = {
    type: "object",
    required: ["city", "days", "units", "deep", "list", "flag"],
    properties: {
      city: { type: "string" },
      days: { type: "integer", minimum: 3 },
      units: { enum: ["metric", "imperial"] },
      deep: { type: "object", required: ["a"], properties: { a: { const: 7 } } },
      list: { type: "array", items: { type: "number" } },
      flag: { type: "BOOLEAN" },
      optional: { type: "string" },
    },
  };
  const tools = [
    { name: "weather", schema },
    { name: "look_up", schema: { type: "object", properties: { query: {} } } },
  ];

  it.each(["Use the weather tool", "please call weather now", "use `weather`", "Call the tool weather."])(
    "SIM-5 understands “%s”",
    (lastUserText) => {
      const { toolCalls } = demonstrate({ ...FACTS, tools, lastUserText });
      expect(toolCalls).toMatchObject([{ name: "weather" }]);
    },
  );

  it.each(["What does weather mean?", "use weather_report", "Use the other tool"])(
    "SIM-5 calls nothing for “%s”",
    (lastUserText) => {
      expect(demonstrate({ ...FACTS, tools, lastUserText }).toolCalls).toBeUndefined();
    },
  );

  it("SIM-5 makes arguments after the schema, or takes those that are given", () => {
    const made = demonstrate({ ...FACTS, tools, lastUserText: "use weather" }).toolCalls?.[0];
    const expected = { city: "use weather", days: 3, units: "metric", deep: { a: 7 }, list: [1], flag: true };
    expect(made?.arguments).toEqual(expected);
    const given = 'call look_up with {"query":{"a":"}"}} and weather with {"city":"Rome"}.';
    expect(demonstrate({ ...FACTS, tools, lastUserText: given }).toolCalls).toEqual([
      { name: "look_up", arguments: { query: { a: "}" } } },
      { name: "weather", arguments: { city: "Rome" } },
    ]);
  });

  it("SIM-5 calls one tool as often as arguments are given for it, else once", () => {
    const twice =
      'Call look_up with {"query":1}, call weather with {"city":"Rome"} and look_up with {"query":2}';
    const called = demonstrate({ ...FACTS, tools, lastUserText: twice }).toolCalls;
    expect(called?.map(({ arguments: given }) => Object.values(given ?? {})[0])).toEqual([1, "Rome", 2]);
    const said = demonstrate({ ...FACTS, tools, lastUserText: "Use the look_up tool. Call look_up!" });
    expect(said.toolCalls).toHaveLength(1);
  });

  it("SIM-5 answers in words once the results are there", () => {
    const newToolResults = [{ name: "weather", text: "Rain." }];
    const { toolCalls, text } = demonstrate({
      ...FACTS,
      tools,
      lastUserText: "use weather",
      newToolResults,
      toolResultCount: 1,
    });
    expect(toolCalls).toBeUndefined();
    expect(text).toContain("The tool weather answered “Rain.”.");
  });
});

describe("the chunks of a text", () => {
  it.each([
    "",
    " ",
    "one",
    " leading and trailing ",
    "a\n\nb",
    "x".repeat(100),
    "😀".repeat(50),
    "a b  c   d",
  ])("SIM-2 give %j back when they are joined, and break no character", (text) => {
    const chunks = chunksOf(text, 5);
    expect(chunks.join("")).toBe(text);
    expect(chunks.every((chunk) => chunk.isWellFormed() && chunk !== "")).toBe(true);
  });
});
