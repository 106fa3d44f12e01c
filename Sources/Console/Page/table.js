// The hits of a rhythm: a port of the Swift type StepTable with the same names. The comments of the Swift type explain the rules.
// Tests/ConsoleTests/Page/vectors.mjs compares the results of both.
//
// A line has the strokes of one drum, or of one tone of a pitched part. A cursor is a bar, a tick in this bar, and the total activity.

/** How long before the main note of a flam its grace note sounds, in nanoseconds. */
const GRACE_TIME = 25_000_000
const TICKS_PER_STEP = 6
/** The largest number of lines of drums. For chanceHash, the lines of the drums have the numbers from 0, and the pitched lines from 64. */
const MAXIMUM_LINES = 64
/** The longest note in ticks: eight bars of 4/4. */
const MAXIMUM_LENGTH = 768
/** A note that begins less than this many ticks before the next chord, and is held into it, already belongs to the next chord. */
const ANTICIPATION = 24
/** The code of a stroke that continues the note before it. */
const HOLD = 6
/** The line number for the hash that decides whether the fill sounds in a bar. */
const FILL_LINE = 255

/** The velocities of the strokes by their codes 1 to 5, before the level of the line is applied. Code 0 is a rest. */
const VELOCITIES = [0, 56, 88, 120, 88, 120]
const isFlam = (stroke) => stroke === 4 || stroke === 5
/** The remainder from 0 to length - 1, also for a negative value. */
const modulo = (value, length) => ((value % length) + length) % length

/** The finalizer of MurmurHash3 (fmix32): each bit of the result depends on each bit of the value. */
function mix(value) {
  let hash = value ^ (value >>> 16)
  hash = Math.imul(hash, 0x85ebca6b)
  hash ^= hash >>> 13
  hash = Math.imul(hash, 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

/**
 * The hash of a position in the rhythm, an integer from 0 to 2^32 - 1. For a stroke with a chance below 100 %, this hash decides whether
 * the stroke sounds. All peers compute the same hash.
 */
export function chanceHash(seed, bar, line, tick) {
  let hash = mix((seed + 0x9e3779b9) | 0)
  // The lower 32 bits of the bar.
  for (const number of [bar % 4294967296 | 0, line, tick]) hash = mix(((hash ^ number) + 0x9e3779b9) | 0)
  return hash >>> 0
}

/** Whether an event with a chance in percent takes place. */
function happens(percent, hash) {
  return Math.floor((hash * 100) / 4294967296) < percent
}

/** Divides and rounds towards zero, as integers do in Swift. */
const divided = (a, b) => Math.trunc(a / b)

export class StepTable {
  /** @param description the object `table` of a frame `patch`. */
  constructor(description) {
    Object.assign(this, description)
    this.lines = description.lines.map((line) => ({
      ...line, part: (line.voice & 0x7f) >> 4, tone: line.voice & 0xf, isPitched: line.voice > 127,
    }))
    this.barTicks = this.barSteps * TICKS_PER_STEP
  }

  /** The number of steps after which the pattern repeats. */
  get stepCount() {
    return this.bars * this.barSteps
  }

  /**
   * All hits of a step at a total activity of 0...127. The steps are counted from the first downbeat. A hit has these fields: `part`,
   * `program`, `note`, `velocity`, the cut-off `group`, the `position` after the step in thousandths of a tick, the `end` of the note in
   * ticks after the step (0 for drums), the `delay` in nanoseconds, and `isGrace` for a grace note. `playsFill`: whether the fill sounds in
   * the bar of this step because a player wants it, whatever the activity is.
   */
  hits(step, activity, playsFill = false) {
    const bar = Math.floor(step / this.barSteps)
    const cursor = {
      bar, tick: modulo(step, this.barSteps) * TICKS_PER_STEP, activity: Math.min(activity, 127), playsFill,
    }
    const hits = []
    this.lines.forEach((line, index) => {
      for (let offset = 0; offset < TICKS_PER_STEP; offset += 1) {
        if (line.isPitched) this.#addNotes(hits, index, offset, cursor)
        else this.#addStroke(hits, index, offset, cursor)
      }
    })
    return hits
  }

  /** Adds the hit of a drum line at a tick of the step; for a flam, also its grace note. */
  #addStroke(hits, index, offset, cursor) {
    const line = this.lines[index]
    const tick = cursor.tick + offset
    const stroke = this.#stroke(index, tick, cursor)
    if (!stroke) return
    const velocity = this.#velocity(stroke, line, cursor.activity)
    if (this.#isMasked(index, velocity, tick, cursor)) return
    // Triplets do not swing.
    const shift = line.ticksPerStroke === 6 ? this.swing[(cursor.tick / TICKS_PER_STEP) & 3] : 0
    const main = {
      part: 0, program: 0, note: line.voice, velocity, group: line.group, position: offset * 1000 + shift, end: 0,
      delay: line.feel, isGrace: false,
    }
    if (isFlam(stroke)) {
      const soft = velocity > 1 ? divided(velocity * 3, 5) : 1
      hits.push({ ...main, velocity: soft, delay: line.feel - GRACE_TIME, isGrace: true })
    }
    hits.push(main)
  }

  /** The code of the stroke of a line at a tick of the cursor's bar, 1...5; 0 if there is none, or if it does not sound. */
  #stroke(index, tick, cursor) {
    const line = this.lines[index]
    if (!this.#sounds(line, cursor) || tick % line.ticksPerStroke !== 0) return 0
    const stroke = this.strokes[line.firstStroke + this.#place(tick, cursor.bar, line)]
    if (stroke < 1 || stroke > 5) return 0
    // A later line of the same voice can replace this line while the later line sounds.
    for (let later = index + 1; later < this.lines.length; later += 1) {
      const other = this.lines[later]
      if (other.replaces && other.voice === line.voice && this.#sounds(other, cursor)) return 0
    }
    const chance = interpolated(line, line.lowActivityChance, line.highActivityChance, cursor.activity)
    if (chance >= 100) return stroke
    const number = index < this.drumLineCount ? index : MAXIMUM_LINES + index - this.drumLineCount
    return happens(chance, chanceHash(this.seed, cursor.bar, number, tick)) ? stroke : 0
  }

  /** The index of the stroke at a tick of a bar, counted from the first stroke of the line. */
  #place(tick, bar, line) {
    return modulo(bar, line.bars) * line.strokesPerBar + divided(tick, line.ticksPerStroke)
  }

  /** Whether a line sounds at the activity of the cursor. For a line of the fill, the fill must also sound in this bar. */
  #sounds(line, cursor) {
    if (line.isFill && cursor.playsFill) return true
    if (line.from > cursor.activity || cursor.activity > line.to) return false
    if (!line.isFill) return true
    if (modulo(cursor.bar, this.fillPeriod) !== this.fillPeriod - 1) return false
    return happens(this.fillChance, chanceHash(this.seed, cursor.bar, FILL_LINE, 0))
  }

  /** Whether another line has a louder stroke of the same drum at the same tick. Of equally loud strokes, the first one sounds. */
  #isMasked(index, velocity, tick, cursor) {
    const { voice } = this.lines[index]
    for (let other = 0; other < this.drumLineCount; other += 1) {
      if (other === index || this.lines[other].voice !== voice) continue
      const stroke = this.#stroke(other, tick, cursor)
      if (!stroke) continue
      const louder = this.#velocity(stroke, this.lines[other], cursor.activity)
      if (louder > velocity || (louder === velocity && other < index)) return true
    }
    return false
  }

  /** The velocity of a stroke, 1...127. */
  #velocity(stroke, line, activity) {
    const swelled = interpolated(line, 100 - this.swell, 100, activity)
    return Math.min(Math.max(divided(VELOCITIES[stroke] * line.level * swelled, 10_000), 1), 127)
  }

  // Pitched parts.

  /** Adds the notes of a pitched line at a tick of the step. */
  #addNotes(hits, index, offset, cursor) {
    const tick = cursor.tick + offset
    const stroke = this.#pitchedStroke(index, tick, cursor)
    if (!stroke) return
    const line = this.lines[index]
    for (const key of this.#keys(line, stroke.chord)) {
      if (this.#isKeyMasked(index, key, stroke.velocity, tick, cursor)) continue
      const position = offset * 1000 + this.#swing(line, tick)
      const end = offset + stroke.length
      const swungEnd = divided(end * 1000 + this.#swing(line, cursor.tick + end) + 500, 1000)
      hits.push({
        part: line.part, program: this.programs[line.part], note: key, velocity: stroke.velocity, group: 0, position,
        end: Math.max(swungEnd, divided(position, 1000) + 1), delay: line.feel, isGrace: false,
      })
    }
  }

  /** How much later than written a position sounds, in thousandths of a tick. */
  #swing(line, tick) {
    if (line.ticksPerStroke !== 6 || tick % 6 !== 0) return 0
    return this.swing[((tick % this.barTicks) / 6) & 3]
  }

  /** The velocity, the index of the chord, and the length in ticks of a pitched line's note at a tick; undefined if none begins there. */
  #pitchedStroke(index, tick, cursor) {
    if (this.chords.length === 0) return undefined
    const code = this.#stroke(index, tick, cursor)
    if (!code) return undefined
    const line = this.lines[index]
    let { chord, length } = this.#harmony(this.#notatedLength(line, tick, cursor), tick, cursor)
    // The bass plays one note at a time.
    if (line.part === 1) length = this.#lengthAlone(length, line, tick, cursor)
    return { velocity: this.#velocity(code, line, cursor.activity), chord, length }
  }

  /** The length in ticks of the note at a tick, including the strokes HOLD that continue the note. */
  #notatedLength(line, tick, cursor) {
    const distance = line.ticksPerStroke
    const total = line.bars * line.strokesPerBar
    const place = this.#place(tick, cursor.bar, line)
    let count = 1
    while (count < total && count * distance < MAXIMUM_LENGTH) {
      if (this.strokes[line.firstStroke + ((place + count) % total)] !== HOLD) break
      count += 1
    }
    return Math.min(count * distance, MAXIMUM_LENGTH)
  }

  /** The chord at a step, counted from the first downbeat; undefined for a rhythm without chords. */
  chord(step) {
    return this.chords.length > 0 ? this.chords[this.#chordIndex(modulo(step, this.chordSteps))] : undefined
  }

  /** The index of the chord at a step within the progression. */
  #chordIndex(place) {
    let chord = this.chords.length - 1
    while (chord > 0 && this.chords[chord].step > place) chord -= 1
    return chord
  }

  /** The index of the chord of a note, and the length of the note in ticks: `length`, or less if the chord ends before. */
  #harmony(length, tick, cursor) {
    const step = cursor.bar * this.barSteps + divided(tick, 6)
    const place = modulo(step, this.chordSteps)
    let chord = this.#chordIndex(place)
    let end = (this.#chordEnd(chord) - place) * 6 - (tick % 6)
    if (end < ANTICIPATION && end < length && !this.#isSameChord(chord, this.#nextChord(chord))) {
      chord = this.#nextChord(chord)
      end += this.#chordTicks(chord)
    }
    // If the next chord is the same, the note continues.
    let last = chord
    while (end < length && this.#isSameChord(chord, this.#nextChord(last))) {
      last = this.#nextChord(last)
      end += this.#chordTicks(last)
    }
    return { chord, length: Math.min(end, length) }
  }

  /** The step at which a chord ends, within the progression. */
  #chordEnd(index) {
    return index + 1 < this.chords.length ? this.chords[index + 1].step : this.chordSteps
  }

  #nextChord(index) {
    return index + 1 < this.chords.length ? index + 1 : 0
  }

  #chordTicks(index) {
    return (this.#chordEnd(index) - this.chords[index].step) * 6
  }

  #isSameChord(a, b) {
    const [first, second] = [this.chords[a], this.chords[b]]
    return (
      first.root === second.root && first.bass === second.bass && first.pitchClasses === second.pitchClasses)
  }

  /** The length of a note of the bass in ticks: `length`, or less if another note of the bass begins before. */
  #lengthAlone(length, line, tick, cursor) {
    let shortest = length
    for (let other = this.drumLineCount; other < this.lines.length; other += 1) {
      const entry = this.lines[other]
      if (entry.part !== line.part) break
      const distance = entry.ticksPerStroke
      for (let next = (divided(tick, distance) + 1) * distance; next < tick + shortest; next += distance) {
        const later = { bar: cursor.bar + divided(next, this.barTicks), tick: 0, activity: cursor.activity, playsFill: cursor.playsFill }
        if (this.#stroke(other, next % this.barTicks, later)) shortest = next - tick
      }
    }
    return shortest
  }

  /**
   * Whether another line of the same part silences a key of a line at the same tick. In the bass, a line is silenced by a louder line, and
   * by a later one that is equally loud. In the other parts, a key is silenced by a line that plays the same key louder, and by an earlier
   * line that plays it equally loud.
   */
  #isKeyMasked(index, key, velocity, tick, cursor) {
    const { part } = this.lines[index]
    const isBass = part === 1
    for (let other = this.drumLineCount; other < this.lines.length; other += 1) {
      if (other === index || this.lines[other].part !== part) continue
      const stroke = this.#stroke(other, tick, cursor)
      if (!stroke) continue
      const otherVelocity = this.#velocity(stroke, this.lines[other], cursor.activity)
      if (otherVelocity > velocity || (otherVelocity === velocity && (other < index) !== isBass)) {
        if (isBass || this.#plays(key, this.lines[other], tick, cursor)) return true
      }
    }
    return false
  }

  #plays(key, line, tick, cursor) {
    const { chord } = this.#harmony(this.#notatedLength(line, tick, cursor), tick, cursor)
    return this.#keys(line, chord).includes(key)
  }

  /** The keys that a pitched line plays in a chord. The tones 0 to 5 have one key. The tone after them is the whole chord. */
  #keys(line, chord) {
    const keys = this.keys[line.part - 1][chord]
    return line.tone < 6 ? [keys.tones[line.tone]] : keys.chord
  }
}

/** Interpolates from `least` at the lowest activity of a line to `greatest` at the highest activity of the line. */
function interpolated(line, least, greatest, activity) {
  if (line.from >= line.to) return greatest
  if (activity <= line.from) return least
  return least + divided((greatest - least) * (activity - line.from), line.to - line.from)
}
