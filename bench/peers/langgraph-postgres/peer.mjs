import { missingPostgresql, startPostgresqlServer } from "../../suite/postgresql.mjs";

export default {
  title: "LangGraph, PostgreSQL",
  about:
    "A graph of one node over the PostgreSQL checkpointer, durability at its default, as docs.langchain.com/oss/javascript/langgraph/add-memory has it for production.",
  packages: [
    "@langchain/langgraph",
    "@langchain/core",
    "@langchain/langgraph-checkpoint-postgres",
    "pg",
    "openai",
  ],
  growth: "quadratic",
  missing: missingPostgresql,
  startServices: startPostgresqlServer,
};
