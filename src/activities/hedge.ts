/** A request beside one that is late (a hedged request): whichever answers first counts. */

/**
 * @param other asked after `afterMs`; undefined, and its failure, count as no answer
 * @throws what `asked` is rejected with before there is an answer.
 */
export function hedge<T>(
  asked: Promise<T>,
  afterMs: number,
  other: () => Promise<T | undefined>,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const askOther = async (): Promise<void> => {
    const answer = await other().catch(() => undefined);
    if (answer !== undefined) resolve(answer);
  };
  const timer = setTimeout(() => void askOther(), afterMs);
  asked.then(resolve, reject);
  return promise.finally(() => clearTimeout(timer));
}
