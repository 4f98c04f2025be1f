/** A stack for all tests of a file. */
import { afterAll, beforeEach } from "vitest";
import type { Conversations } from "../../src/client/conversations.js";
import { startTestStack, type TestStack, type TestStackOptions } from "./stack.js";

export interface FileStack {
  readonly stack: TestStack;
  readonly conversations: Conversations;
}

/** To be awaited at the top of the file. The simulator forgets before each test; everything is stopped behind the last. */
export async function fileStack(options: TestStackOptions = {}): Promise<FileStack> {
  const stack = await startTestStack(options);
  afterAll(() => stack.stop());
  beforeEach(() => stack.simulator.reset());
  return { stack, conversations: await stack.conversations() };
}
