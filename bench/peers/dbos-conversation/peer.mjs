import { missingPostgresql, startPostgresqlServer } from "../../suite/postgresql.mjs";

export default {
  title: "DBOS, workflow per conversation",
  about:
    "A workflow for each conversation, which receives messages and publishes each answer as an event, on PostgreSQL, as docs.dbos.dev/typescript/tutorials/workflow-communication has it.",
  packages: ["@dbos-inc/dbos-sdk", "pg", "openai"],
  growth: "linear",
  missing: missingPostgresql,
  startServices: startPostgresqlServer,
};
