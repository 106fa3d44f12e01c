// When a played note sounds: the Swift type Quantizer with a grid of sixteenth notes.

const UNIT = 6
/** A note that is at most this part of the unit late sounds at once. */
const TOLERANCE = 0.4

/** The instant at which a note sounds that is played at an instant; undefined: at once. */
export function placed(schedule, instant) {
  if (!schedule?.plays) return undefined
  const position = schedule.position(instant)
  if (position < schedule.start || position >= schedule.end) return undefined
  const line = Math.floor(position / UNIT) * UNIT
  return position - line <= UNIT * TOLERANCE ? undefined : schedule.instant(line + UNIT)
}
