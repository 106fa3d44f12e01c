// Vectors in space: arrays of three numbers.

/** Converts an object {x, y, z} to a vector; undefined if a number is missing. For a missing sensor, browsers report null. */
export function vector(fields) {
  const numbers = fields ? [fields.x, fields.y, fields.z] : []
  return numbers.length === 3 && numbers.every((number) => Number.isFinite(number)) ? numbers : undefined
}

export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
export const length = (a) => Math.hypot(a[0], a[1], a[2])
export const scaled = (a, factor) => [a[0] * factor, a[1] * factor, a[2] * factor]
/** The vector a + b * factor. */
export const plus = (a, b, factor = 1) => [a[0] + b[0] * factor, a[1] + b[1] * factor, a[2] + b[2] * factor]
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]

/** The vector of length one with the same direction; the zero vector stays. */
export function unit(a) {
  const size = length(a)
  return size > 0 ? scaled(a, 1 / size) : a
}
