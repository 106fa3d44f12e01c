// Percentiles of measured values.

/** The value at the fraction `share` (0...1) of the sorted values; undefined without values. */
export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

/** Percentiles of times in milliseconds, and the number of times, as text. */
export function summary(times) {
  const at = (share) => percentile(times, share)?.toFixed(3)
  return `p50 ${at(0.5)}, p95 ${at(0.95)}, maximum ${at(1)} ms (${times.length})`
}
