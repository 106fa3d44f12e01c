// The six instruments: which movement plays each one, and the figures. Console.md documents them in a table.

/** The notes of a scale that sound well together in any order: major pentatonic. */
const SCALE = [0, 2, 4, 7, 9]
/** The number of positions of the pitch: the keys of the page. */
export const POSITIONS = 8
/** The tilt in radians from the middle to the lowest or the highest pitch. */
const RANGE = 0.7

/**
 * The figure of an instrument by its name: for each sixteenth of a bar, the distance from the lowest note in notes of the scale,
 * and how strongly the player must move for this note, 0...1. A figure begins again with each bar, and repeats in a longer bar.
 */
const FIGURES = {
  marimba: "0/0 - 2/.55 4/.3 - 2/.15 0/.7 - 1/.05 - 4/.45 2/.85 0/.2 - 1/.6 4/.95",
  vibraphone: "0/0 - 4/.5 - 2/.2 - 5/.6 4/.9 3/.1 - 1/.7 - 4/.3 2/.8 5/.4 -",
}

/** The movement that plays an instrument. */
const MOVEMENTS = { marimba: "tilt", vibraphone: "wave", kalimba: "shake", drums: "strike", guitar: "sweep", flute: "breath" }

export const movementOf = ({ name }) => MOVEMENTS[name] ?? "shake"

const parsed = Object.fromEntries(Object.entries(FIGURES).map(([name, figure]) => [name, figure.split(" ").map((entry) => {
  if (entry === "-") return undefined
  const [degree, from] = entry.split("/").map(Number)
  return { degree, from, isAccented: from < 0.1 }
})]))

/** The steps of the figure of an instrument; undefined if it plays one note per movement. */
export const figureOf = ({ name }) => parsed[name]

/**
 * The key of a position: a note of the chord, which is a set of pitch classes, or of a pentatonic scale without chords. Each drum
 * has a position.
 */
export function keyAt({ drums, low, high }, position, chord) {
  if (drums.length > 0) return drums[position % drums.length]
  let key
  if (chord) {
    key = low - 1
    for (let found = -1; found < position; ) {
      key += 1
      if (chord & (1 << (key % 12))) found += 1
    }
  } else {
    key = low + 12 * Math.floor(position / SCALE.length) + SCALE[position % SCALE.length]
  }
  // A figure may exceed the range of the instrument.
  while (key > Math.min(high + 12, 127)) key -= 12
  return key
}

/** The position of a tilt, 0...7. */
export function tiltedPosition(angle) {
  const share = (angle / RANGE + 1) / 2
  return Math.min(Math.max(Math.floor(share * POSITIONS), 0), POSITIONS - 1)
}

/** How far a tilt is away from its lower end, 0...1. */
export const tiltedShare = (angle) => Math.min(Math.max((angle / RANGE + 1) / 2, 0), 1)
