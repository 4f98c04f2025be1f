// Bytes of some rows of a PostgreSQL table as the system handed them over: before the database compresses long values, without indexes, row
// headers and what is free in pages. Temporal counts a history the same way, and what compression gains depends on the text.

const UNCOMPRESSED = {
  bytea: (column) => `octet_length(${column})`,
  text: (column) => `octet_length(${column})`,
  jsonb: (column) => `octet_length(${column}::text)`,
};

/** `pool` is a pool or client of pg; `where` has one parameter, `$1`. */
export async function rowBytes(pool, table, where, parameter) {
  const [schema, name] = table.split(".");
  const columns = await pool.query(
    "select column_name, data_type from information_schema.columns where table_schema = $1 and table_name = $2",
    [schema, name],
  );
  const sizes = columns.rows.map(({ column_name, data_type }) => {
    const sizeOf = UNCOMPRESSED[data_type] ?? ((column) => `pg_column_size(${column})`);
    return `coalesce(${sizeOf(`"${column_name}"`)}, 0)`;
  });
  const { rows } = await pool.query(
    `select coalesce(sum(${sizes.join(" + ")}), 0) as bytes from ${table} where ${where}`,
    [parameter],
  );
  return Number(rows[0].bytes);
}
