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

/**
 * The instant at which a note of a slide sounds; undefined if it sounds at once. The first note of a slide is placed on the grid. The others
 * keep the intervals of the finger. After a sixteenth, a slide begins again on the grid. `slide`
 * is an object that the slide keeps: the instants of its first note, as played (`played`) and as placed (`sounds`).
 */
export function placedInSlide(schedule, instant, slide) {
  if (!schedule?.plays) return undefined
  const sixteenth = schedule.quarter / 4
  if (slide.played === undefined || instant - slide.played > sixteenth) {
    const first = placed(schedule, instant)
    Object.assign(slide, { played: instant, sounds: first ?? instant })
    return first
  }
  const sounds = slide.sounds + instant - slide.played
  return sounds > instant ? sounds : undefined
}
