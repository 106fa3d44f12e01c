// The six instruments of the page: which movement plays each of them, and the figures that two of them play. A table in Console.md
// documents them.

/** The major pentatonic scale in semitones. Its notes sound well together in any order. */
const SCALE = [0, 2, 4, 7, 9]
/** The largest number of positions of the pitch. Each key of an instrument is one position. */
export const POSITIONS = 8
/** The number of positions of the instruments that have fewer keys. */
const FEWER = { kalimba: 7, guitar: 6 }
/** The tilt in radians from the middle to the lowest or the highest pitch. */
const RANGE = 0.7

/**
 * The figures by the name of the instrument. A figure has an entry for each sixteenth of a bar: `-` for a rest, or DEGREE/STRENGTH.
 * DEGREE is the number of positions above the lowest note of the figure. The note sounds if the player moves with at least STRENGTH, 0...1.
 * A figure begins again with each bar. If a bar is longer than the figure, the figure repeats within the bar.
 */
const FIGURES = {
  marimba: "0/0 - 2/.55 4/.3 - 2/.15 0/.7 - 1/.05 - 4/.45 2/.85 0/.2 - 1/.6 4/.95",
  vibraphone: "0/0 - 4/.5 - 2/.2 - 5/.6 4/.9 3/.1 - 1/.7 - 4/.3 2/.8 5/.4 -",
}

/** The movement that plays an instrument, by the name of the instrument. */
const MOVEMENTS = { marimba: "tilt", vibraphone: "wave", kalimba: "shake", drums: "strike", guitar: "sweep", flute: "breath" }

/** The number of the positions and keys of an instrument. */
export const positionsOf = ({ name }) => FEWER[name] ?? POSITIONS

export const movementOf = ({ name }) => MOVEMENTS[name] ?? "shake"

const parsed = Object.fromEntries(Object.entries(FIGURES).map(([name, figure]) => [name, figure.split(" ").map((entry) => {
  if (entry === "-") return undefined
  const [degree, from] = entry.split("/").map(Number)
  // A note that sounds at almost every strength is accented.
  return { degree, from, isAccented: from < 0.1 }
})]))

/** The steps of the figure of an instrument; undefined if the instrument plays one note per movement. */
export const figureOf = ({ name }) => parsed[name]

/**
 * The MIDI key of a position. Successive positions are the notes of `chord`, a set of pitch classes (bit n: n semitones above C), from the
 * lowest key of the instrument upwards. Without a chord, they are the notes of a pentatonic scale that begins with this lowest key. For an
 * instrument with drums, the result is the General MIDI note of a drum.
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
  // A figure may exceed the range of the instrument. A key more than an octave above the range moves down by octaves.
  while (key > Math.min(high + 12, 127)) key -= 12
  return key
}

/** The position of a tilt, 0...`count` - 1. */
export function tiltedPosition(angle, count = POSITIONS) {
  const share = (angle / RANGE + 1) / 2
  return Math.min(Math.max(Math.floor(share * count), 0), count - 1)
}

/** The place of a tilt in the range -RANGE...RANGE, from 0 at the lower end to 1 at the upper end. */
export const tiltedShare = (angle) => Math.min(Math.max((angle / RANGE + 1) / 2, 0), 1)
