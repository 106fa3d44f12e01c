// Decides when a played note sounds, as the Swift type Quantizer does with a grid of sixteenth notes.

/** The distance between two grid lines in ticks: a sixteenth note. */
const UNIT = 6
/** A note sounds at once if it is late by at most this fraction of a sixteenth. Otherwise it waits for the next grid line. */
const TOLERANCE = 0.4

/** The instant at which a note sounds if the player plays it at `instant`; undefined if it sounds at once. */
export function placed(schedule, instant) {
  if (!schedule?.plays) return undefined
  const position = schedule.position(instant)
  if (position < schedule.start || position >= schedule.end) return undefined
  const line = Math.floor(position / UNIT) * UNIT
  return position - line <= UNIT * TOLERANCE ? undefined : schedule.instant(line + UNIT)
}
