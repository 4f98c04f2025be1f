// Figures in words.
const KIB = 1024;

/** Three digits are enough of a time. */
export function milliseconds(value) {
  if (Math.abs(value) >= 100) return number(Math.round(value));
  return value.toFixed(Math.abs(value) >= 10 ? 0 : 1);
}

export function number(value) {
  const digits = Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : 1;
  return value.toLocaleString("en-US", { maximumFractionDigits: digits });
}

export function bytes(value) {
  if (Math.abs(value) < KIB) return `${Math.round(value)} B`;
  const [size, unit] = Math.abs(value) < KIB * KIB ? [value / KIB, "KiB"] : [value / KIB / KIB, "MiB"];
  return `${size.toFixed(Math.abs(size) >= 100 ? 0 : 1)} ${unit}`;
}
