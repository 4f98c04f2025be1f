export default {
  title: "LangGraph, SQLite",
  about:
    "A graph of one node over the SQLite checkpointer, durability at its default, as docs.langchain.com/oss/javascript/langgraph/add-memory has it; better-sqlite3 13, whose package carries its binary, in the place of 12, which builds it.",
  packages: [
    "@langchain/langgraph",
    "@langchain/core",
    "@langchain/langgraph-checkpoint-sqlite",
    "better-sqlite3",
    "openai",
  ],
  growth: "quadratic",
};
