// Bytes of some rows of a PostgreSQL table: their columns as stored, compressed where they are. Without indexes, row headers and what is
// free in pages, which are not in Temporal's count of a history either.

/** `pool` is a pool or client of pg; `where` has one parameter, `$1`. */
export async function rowBytes(pool, table, where, parameter) {
  const [schema, name] = table.split(".");
  const columns = await pool.query(
    "select column_name from information_schema.columns where table_schema = $1 and table_name = $2",
    [schema, name],
  );
  const sizes = columns.rows.map(({ column_name }) => `coalesce(pg_column_size("${column_name}"), 0)`);
  const { rows } = await pool.query(
    `select coalesce(sum(${sizes.join(" + ")}), 0) as bytes from ${table} where ${where}`,
    [parameter],
  );
  return Number(rows[0].bytes);
}
