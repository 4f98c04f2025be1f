/** An agent: which model answers, under which instructions, with which tools. Plain data; never a key or a secret. */
import { assertBudget, type Budget, checkBudget } from "./budget.js";
import type { MediaPolicyOption } from "./envelope/envelope.js";
import { UsageError } from "./errors/errors.js";
import { isJsonObject, type JsonObject } from "./json.js";
import { assertOptions, type OptionNames } from "./known-options.js";
import { assertMaxInlineBytes, assertMediaPolicy } from "./media/policy.js";
import { type OutputOption, outputSchemaOf } from "./output-schema.js";
import { assertPrices, type Prices } from "./prices.js";
import { type ResolvedModel, resolveModel } from "./providers.js";

/** A tool as the client and the envelope carry it: its definition without its code. */
export interface ToolSpec {
  /** `[A-Za-z0-9_-]{1,64}` on every dialect. */
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the arguments; absent where only the worker knows it. */
  readonly input_schema?: JsonObject;
}

/** Which of the last whole turns are sent to the provider; the history itself is never cut. */
export interface SendWindow {
  readonly turns?: number;
  readonly input_tokens?: number;
}

/** The agent as it stands in an envelope. */
export interface AgentSpec {
  readonly name?: string;
  readonly model: string;
  readonly instructions: string;
  readonly tools: readonly ToolSpec[];
  /** Request parameters in the provider's own names (temperature, max_tokens, …). */
  readonly params: JsonObject;
  readonly media_policy?: MediaPolicyOption;
  readonly media_store?: string;
  readonly media_max_inline_bytes?: number | null;
  readonly send_window?: SendWindow;
  /** JSON Schema that every final answer fits, unless its turn asks for another. */
  readonly output_schema?: JsonObject;
  readonly budget?: Budget;
  /** Before those of the worker. */
  readonly prices?: Prices;
}

export interface AgentOptions<Output extends OutputOption | undefined = OutputOption | undefined> {
  /**
   * A worker that has an agent of this name follows its own: those instructions, tools, budget and prices count, whatever stands here.
   * A shorter list of tools restricts nothing under such a name: leave the name out, or deploy another agent.
   */
  readonly name?: string;
  readonly model: string;
  readonly instructions?: string;
  readonly tools?: readonly (ToolSpec | string)[];
  readonly params?: JsonObject;
  readonly mediaPolicy?: MediaPolicyOption;
  readonly mediaStore?: string;
  readonly mediaMaxInlineBytes?: number | null;
  readonly sendWindow?: SendWindow;
  /** What every final answer must be: a Standard Schema, or { schema } with a JSON Schema. `result.data` has its value. */
  readonly output?: Output;
  /** The most that each turn, and all turns together, may use. */
  readonly budget?: Budget;
  /** What models cost, for a million tokens; before those of the worker. */
  readonly prices?: Prices;
}

const AGENT_OPTIONS: OptionNames<AgentOptions> = {
  name: true,
  model: true,
  instructions: true,
  tools: true,
  params: true,
  mediaPolicy: true,
  mediaStore: true,
  mediaMaxInlineBytes: true,
  sendWindow: true,
  output: true,
  budget: true,
  prices: true,
};

/** What every provider takes as the name of a tool. */
export const TOOL_NAME: RegExp = /^[A-Za-z0-9_-]{1,64}$/;

export class Agent<Output extends OutputOption | undefined = OutputOption | undefined> {
  readonly spec: AgentSpec;
  readonly resolved: ResolvedModel;
  /** As it was given: a Standard Schema has what its JSON Schema cannot say. */
  readonly output: Output | undefined;
  readonly #tools: readonly (ToolSpec | string)[];

  /** @throws UsageError for an unknown model, an option of a wrong kind, a malformed tool name a tool named twice, or an output of which there is no JSON Schema. */
  constructor(options: AgentOptions<Output>) {
    if (typeof options?.model !== "string" || options.model === "") {
      if (typeof options === "object" && options !== null) assertOptions("Agent", options, AGENT_OPTIONS);
      throw new UsageError('An agent needs a model: new Agent({ model: "claude-haiku-4-5", … }).');
    }
    assertOptions("Agent", options, AGENT_OPTIONS);
    this.resolved = resolveModel(options.model);
    assertKinds(options);
    const tools = (options.tools ?? []).map((tool) => (typeof tool === "string" ? { name: tool } : tool));
    assertToolNames(tools);
    this.#tools = options.tools ?? [];
    this.output = options.output;
    this.spec = {
      ...(options.name === undefined ? {} : { name: options.name }),
      model: options.model,
      instructions: options.instructions ?? "",
      tools: tools.map(({ name, description, input_schema }) => ({
        name,
        ...(description === undefined ? {} : { description }),
        ...(input_schema === undefined ? {} : { input_schema }),
      })),
      params: options.params ?? {},
      ...(options.mediaPolicy === undefined ? {} : { media_policy: options.mediaPolicy }),
      ...(options.mediaStore === undefined ? {} : { media_store: options.mediaStore }),
      ...(options.mediaMaxInlineBytes === undefined
        ? {}
        : { media_max_inline_bytes: options.mediaMaxInlineBytes }),
      ...(options.sendWindow === undefined ? {} : { send_window: options.sendWindow }),
      ...(options.output === undefined ? {} : { output_schema: outputSchemaOf("Agent", options.output) }),
      ...(options.budget === undefined ? {} : { budget: options.budget }),
      ...(options.prices === undefined ? {} : { prices: options.prices }),
    };
  }

  /** The tools as they were given: those made by `defineTool` bring their code to a worker that gets the agent. */
  get tools(): readonly (ToolSpec | string)[] {
    return this.#tools;
  }

  /** The agent that an envelope carries. */
  static fromSpec(spec: AgentSpec): Agent {
    return new Agent({
      ...(spec.name === undefined ? {} : { name: spec.name }),
      model: spec.model,
      instructions: spec.instructions,
      tools: spec.tools,
      params: spec.params,
      ...(spec.media_policy === undefined ? {} : { mediaPolicy: spec.media_policy }),
      ...(spec.media_store === undefined ? {} : { mediaStore: spec.media_store }),
      ...(spec.media_max_inline_bytes === undefined
        ? {}
        : { mediaMaxInlineBytes: spec.media_max_inline_bytes }),
      ...(spec.send_window === undefined ? {} : { sendWindow: spec.send_window }),
      ...(spec.output_schema === undefined ? {} : { output: { schema: spec.output_schema } }),
      ...(spec.budget === undefined ? {} : { budget: spec.budget }),
      ...(spec.prices === undefined ? {} : { prices: spec.prices }),
    });
  }
}

/** For callers without types: what an envelope could not hold must not become an agent. */
function assertKinds(options: AgentOptions): void {
  const { name, instructions, tools, params, mediaPolicy, mediaStore, mediaMaxInlineBytes } = options;
  const wrong = [
    name === undefined || (typeof name === "string" && name !== "") ? [] : "name: a text that is not empty",
    instructions === undefined || typeof instructions === "string" ? [] : "instructions: a text",
    tools === undefined || Array.isArray(tools) ? [] : "tools: a list of names or definitions",
    params === undefined || isJsonObject(params) ? [] : "params: an object",
  ].flat();
  if (wrong.length > 0) throw new UsageError(`An agent takes ${wrong.join(", ")}.`);
  assertMediaPolicy("An agent's mediaPolicy", mediaPolicy);
  assertMaxInlineBytes("An agent's mediaMaxInlineBytes", mediaMaxInlineBytes);
  assertBudget("Agent", checkBudget, options.budget);
  assertPrices("Agent", options.prices);
  if (mediaStore === undefined || (typeof mediaStore === "string" && mediaStore.trim() !== "")) return;
  throw new UsageError(
    'An agent\'s mediaStore is a folder, an s3:// URL or the name of a registered store: mediaStore: "checkpoints/media".',
  );
}

function assertToolNames(tools: readonly ToolSpec[]): void {
  const seen = new Set<string>();
  for (const tool of tools) {
    const name: unknown = isJsonObject(tool) ? tool.name : undefined;
    if (typeof name !== "string" || !TOOL_NAME.test(name)) {
      throw new UsageError(
        `Tool name ${JSON.stringify(name)} does not fit every provider: use 1 to 64 of A-Z a-z 0-9 _ -.`,
      );
    }
    if (seen.has(name)) throw new UsageError(`Tool ${name} is defined twice: rename one of the two.`);
    seen.add(name);
  }
}
