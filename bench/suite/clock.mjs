/** Milliseconds of the one clock that all processes of a machine share. */
export function now() {
  return Number(process.hrtime.bigint()) / 1e6;
}
