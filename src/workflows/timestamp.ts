/** The workflow's clock, which replays. */
export function timestamp(): string {
  return new Date().toISOString();
}
