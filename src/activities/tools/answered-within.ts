/** What somebody's own code answers, which may never do so. */

/** @throws what the answer fails with; an Error where it takes longer than so many milliseconds. */
export async function answeredWithin<T>(answer: Promise<T>, withinMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const unanswered = new Promise<never>((_resolve, reject) => {
    const late = (): void => reject(new Error(`it has not been answered within ${withinMs / 1_000} seconds`));
    timer = setTimeout(late, withinMs);
  });
  try {
    return await Promise.race([answer, unanswered]);
  } finally {
    clearTimeout(timer);
  }
}
