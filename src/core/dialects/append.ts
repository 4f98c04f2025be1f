/** One by one: a call takes only so many arguments, and a history may hold more. */
export function append<T>(list: T[], more: readonly T[]): void {
  for (const item of more) list.push(item);
}
