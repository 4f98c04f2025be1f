/** Most bytes of the JSON Schema of an answer: it travels with the conversation, or with each call of its turn. */
export const OUTPUT_SCHEMA_BYTES: number = 32 * 1024;
