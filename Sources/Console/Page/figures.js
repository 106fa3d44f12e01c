// The instruments of the page: which movement plays each of them, their keys and their figures. There are six instruments of the page, and
// custom instruments, which come from files of the peer. A table in Console.md documents the six.

/** The major pentatonic scale in semitones. Its notes sound well together in any order. */
const SCALE = [0, 2, 4, 7, 9]
/** The largest number of positions of the pitch. Each key of an instrument is one position. */
export const POSITIONS = 8
/** The number of positions of the instruments that have fewer keys. */
const FEWER = { kalimba: 7, guitar: 6 }
/** The tilt in radians from the middle to the lowest or the highest pitch. */
const RANGE = 0.7
/** The length of a sixteenth in ticks. */
const SIXTEENTH = 6

/**
 * The figures of the page by the name of the instrument. A figure has an entry for each sixteenth of a bar: `-` for a rest, or
 * DEGREE/STRENGTH. DEGREE is the number of notes above the lowest note of the figure. The note sounds if the player moves with at least
 * STRENGTH, 0...1. The figure begins again with each bar. If a bar is longer than the figure, the figure repeats within the bar.
 */
const FIGURES = {
  marimba: "0/0 - 2/.55 4/.3 - 2/.15 0/.7 - 1/.05 - 4/.45 2/.85 0/.2 - 1/.6 4/.95",
  vibraphone: "0/0 - 4/.5 - 2/.2 - 5/.6 4/.9 3/.1 - 1/.7 - 4/.3 2/.8 5/.4 -",
}

/** The movement that plays an instrument, by its surface. */
const MOVEMENTS = { marimba: "tilt", vibraphone: "wave", kalimba: "shake", drums: "strike", guitar: "sweep", flute: "breath" }

/** The strokes of the figure of a custom instrument. */
const [GHOST, ACCENT] = [1, 3]
/** The velocities of the strokes without a movement. The strength of the movement adds up to 50. */
const [GHOST_VELOCITY, VELOCITY, ACCENT_VELOCITY] = [40, 58, 72]
/** Metrical positions: a note on a multiple of a longer one of these note values is more important. In ticks, from a whole note on. */
const NOTE_VALUES = [96, 48, 24, 12, 8, 6, 4, 3, 2]

/** The one of the six instruments whose picture and movement an instrument has. */
export const surfaceOf = ({ name, surface }) => surface ?? name

/** The number of the positions and keys of an instrument. */
export const positionsOf = (instrument) => FEWER[surfaceOf(instrument)] ?? POSITIONS

export const movementOf = (instrument) => MOVEMENTS[surfaceOf(instrument)] ?? "shake"

const parsed = Object.fromEntries(Object.entries(FIGURES).map(([name, figure]) => {
  const entries = figure.split(" ").map((entry) => {
    if (entry === "-") return undefined
    const [degree, from] = entry.split("/").map(Number)
    // A note that sounds at almost every strength is accented.
    return { degree, from, velocity: from < 0.1 ? ACCENT_VELOCITY : VELOCITY }
  })
  return [name, { ticks: SIXTEENTH, repeatsInBar: true, entries }]
}))

/**
 * The figure of a custom instrument, in the form of figureOf. The more important a note, the less movement it needs. Accents are the most
 * important, ghost notes the least. Of equal strokes, the note in the stronger metrical position is more important, then the earlier one.
 * The Swift type Figure has the same order.
 */
function adopted({ steps, ticks, notes }) {
  const meter = ({ step }) => NOTE_VALUES.find((value) => (step * ticks) % value === 0) ?? 0
  const order = [...notes].sort((a, b) => b.strength - a.strength || meter(b) - meter(a) || a.step - b.step)
  const entries = Array.from({ length: steps }, () => undefined)
  order.forEach(({ step, degree, strength }, rank) => {
    const velocity = strength === ACCENT ? ACCENT_VELOCITY : strength === GHOST ? GHOST_VELOCITY : VELOCITY
    entries[step] = { degree, from: rank === 0 ? 0 : (rank - 0.5) / (order.length - 1), velocity }
  })
  return { ticks, repeatsInBar: false, entries }
}

/** The figures of the custom instruments. */
const adoptedFigures = new WeakMap()

/**
 * The figure of an instrument; undefined if the instrument plays one note per movement. `ticks`: the length of a step. `repeatsInBar`:
 * whether the figure begins again with each bar; otherwise it repeats from the beginning of the rhythm. `entries`: for each step undefined,
 * or the degree of the note, the least strength at which it sounds, and its velocity at strength 0.
 */
export function figureOf({ name, figure }) {
  if (!figure) return parsed[name]
  if (!adoptedFigures.has(figure)) adoptedFigures.set(figure, adopted(figure))
  return adoptedFigures.get(figure)
}

/** The keys of a custom instrument, ascending: those of the present chord if the instrument uses chords, otherwise those of its scale. */
function keysOf({ keys, usesChord, low, high }, chord) {
  if (!usesChord || !chord) return keys
  const found = []
  for (let key = low; key <= high; key += 1) if (chord & (1 << (key % 12))) found.push(key)
  return found.length > 0 ? found : keys
}

/** The key that is `degree` notes above a position of a custom instrument. The positions leave room for the highest note of the figure. */
function customKey(instrument, position, chord, degree) {
  const keys = keysOf(instrument, chord)
  const highest = Math.max(0, ...(instrument.figure?.notes ?? []).map((note) => note.degree))
  const room = Math.max(1, keys.length - highest)
  const lowest = Math.round((position * (room - 1)) / (positionsOf(instrument) - 1))
  return keys[Math.min(lowest + degree, keys.length - 1)]
}

/**
 * The MIDI key of the note that is `degree` notes above a position. Successive notes are those of `chord`, a set of pitch classes (bit n: n
 * semitones above C), from the lowest key of the instrument upwards. Without a chord, they are the notes of a pentatonic scale that begins
 * with this lowest key. A custom instrument has a scale of its own, and its positions are spread over all its keys. For an instrument with
 * drums, the result is the General MIDI note of a drum.
 */
export function keyAt(instrument, position, chord, degree = 0) {
  if (instrument.keys) return customKey(instrument, position, chord, degree)
  const { drums, low, high } = instrument
  const index = position + degree
  if (drums.length > 0) return drums[index % drums.length]
  let key
  if (chord) {
    key = low - 1
    for (let found = -1; found < index; ) {
      key += 1
      if (chord & (1 << (key % 12))) found += 1
    }
  } else {
    key = low + 12 * Math.floor(index / SCALE.length) + SCALE[index % SCALE.length]
  }
  // A figure may exceed the range of the instrument. A key more than an octave above the range moves down by octaves.
  while (key > Math.min(high + 12, 127)) key -= 12
  return key
}

/** The position of the key on the surface that shows a note `degree` notes above a position. */
export function shownPosition(instrument, position, degree) {
  const last = positionsOf(instrument) - 1
  // The keys of a custom instrument are spread over the surface.
  const share = instrument.keys ? Math.min(1, last / Math.max(1, instrument.keys.length - 1)) : 1
  return Math.min(position + Math.round(degree * share), last)
}

/** The position of a tilt, 0...`count` - 1. */
export function tiltedPosition(angle, count = POSITIONS) {
  const share = (angle / RANGE + 1) / 2
  return Math.min(Math.max(Math.floor(share * count), 0), count - 1)
}

/** The place of a tilt in the range -RANGE...RANGE, from 0 at the lower end to 1 at the upper end. */
export const tiltedShare = (angle) => Math.min(Math.max((angle / RANGE + 1) / 2, 0), 1)
