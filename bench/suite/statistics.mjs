/** The value below which this share of the numbers lies (nearest rank). */
export function quantile(numbers, share) {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
}

export const median = (numbers) => quantile(numbers, 0.5);

/** What is kept of repeated figures, rounded: `n`, `min`, `median`, `p95`. */
export function summary(numbers, digits = 2) {
  const round = (value) => Number(value.toFixed(digits));
  return {
    n: numbers.length,
    min: round(Math.min(...numbers)),
    median: round(median(numbers)),
    p95: round(quantile(numbers, 0.95)),
  };
}
