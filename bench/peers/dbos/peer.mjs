import { missingPostgresql, startPostgresqlServer } from "../../suite/postgresql.mjs";

export default {
  title: "DBOS, workflow per turn",
  about:
    "A workflow for each turn: a step calls the provider, another writes both messages to the application's own table, on PostgreSQL, as docs.dbos.dev/typescript/tutorials/workflow-tutorial has it.",
  packages: ["@dbos-inc/dbos-sdk", "pg", "openai"],
  growth: "linear",
  missing: missingPostgresql,
  startServices: startPostgresqlServer,
};
