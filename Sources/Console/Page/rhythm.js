// The rhythm that plays: when each tick is due, and what sounds at each tick.

import { StepTable } from "./table.js"

const TICKS_PER_STEP = 6
const TICKS_PER_QUARTER = 24
/** The mix with all parts at 100 %. */
const STANDARD = { parts: [100, 100, 100, 100], isQuiet: false }

/** The schedule of a frame `rhythm`. Instants are Numbers, in nanoseconds of the peer's clock relative to Connection.base. */
export class Schedule {
  /**
   * Identifies the series of runs. Another peer numbers its runs differently. If the page moves to that peer and the rhythm continues,
   * Timeline keeps the value.
   */
  series

  /** @param rhythm the decoded frame. @param relative converts an instant of the peer's clock (BigInt) to a Number. */
  constructor(rhythm, relative) {
    Object.assign(this, rhythm)
    this.series = `${rhythm.firstRun}`
    this.segments = rhythm.segments.map((segment) => ({ ...segment, instant: relative(segment.instant) }))
  }

  /** The first tick at which something can sound. */
  get firstSound() {
    return Math.min(this.start, this.countInStart)
  }

  /** The instant of a position in ticks, which may have a fraction. */
  instant(position) {
    const { tick, instant, quarter } = this.segments.findLast((segment) => segment.tick <= position) ?? this.segments[0]
    return instant + ((position - tick) * quarter) / TICKS_PER_QUARTER
  }

  /** The position in ticks, with a fraction, at an instant. */
  position(instant) {
    const { tick, instant: origin, quarter } = this.segments.findLast((segment) => segment.instant <= instant) ?? this.segments[0]
    return tick + ((instant - origin) * TICKS_PER_QUARTER) / quarter
  }

  /** The total activity at a tick, 0...127. */
  intensityAt(tick) {
    return tick >= this.intensityTick ? this.nextIntensity : this.intensity
  }

  mixAt(tick) {
    return tick >= this.mixTick ? this.nextMix : this.mix
  }

  /** The length of a quarter note at the beginning, in nanoseconds. */
  get quarter() {
    return this.segments[0].quarter
  }

  /** Whether the rhythm sounds at a tick. A score can play without it. */
  soundsAt(tick) {
    return tick >= this.scoreTick ? this.soundsNext : this.sounds
  }

  /** Whether the leader wants the fill in the bar of a tick. A bar has `barTicks` ticks. */
  wantsFill(tick, barTicks) {
    return tick >= this.fill && tick < this.fill + barTicks
  }

  /** Whether a tick is played as part of the rhythm itself, not of its count-in. */
  includes(tick) {
    return this.plays && tick >= this.start && tick < this.end
  }
}

/** The velocity of a hit of a part in a mix; 0 if the hit is silent. */
export function mixed(velocity, part, mix = STANDARD) {
  // The level in percent, plus 128 for a stopped part.
  const octet = mix.parts[part]
  if (mix.isQuiet || octet & 0x80 || octet === 0) return 0
  return Math.max(1, Math.trunc((velocity * octet) / 100))
}

/** The schedule together with the patches that play. */
export class Rhythm {
  schedule = undefined
  /** The newest patch. */
  patch = undefined
  /** The patch that plays before the first tick of the newest patch; undefined if there is none. */
  #previous
  /** The first run of a series of runs. #previous plays only in this series. */
  #previousRun

  /** @param patches the decoded payload of a frame `patch`. */
  setPatches({ newest, previous, firstRun }) {
    // The steps of a patch count from its first tick.
    const prepared = (patch) =>
      patch && { ...patch, table: new StepTable(patch.table), firstStep: patch.tick / TICKS_PER_STEP }
    this.patch = prepared(newest)
    this.#previous = prepared(previous)
    this.#previousRun = firstRun
  }

  /** The patch that plays at a tick. */
  patchAt(tick) {
    const hasPrevious = this.#previous && this.schedule?.firstRun === this.#previousRun
    return hasPrevious && tick < this.patch.tick ? this.#previous : this.patch
  }

  /** The hits of a step that sound, as StepTable.hits returns them, but with the velocities in the mix of the step. */
  hits(step) {
    const tick = step * TICKS_PER_STEP
    const { schedule } = this
    const patch = this.patchAt(tick)
    if (!patch || !schedule?.includes(tick) || !schedule.soundsAt(tick)) return []
    const mix = schedule.mixAt(tick)
    const wantsFill = schedule.wantsFill(tick, patch.table.barTicks)
    return patch.table.hits(step - patch.firstStep, schedule.intensityAt(tick), wantsFill).flatMap((hit) => {
      const velocity = mixed(hit.velocity, hit.part, mix)
      return velocity > 0 ? [{ ...hit, velocity }] : []
    })
  }

  /** The pitch classes of the chord that sounds at an instant (bit n: n semitones above C); undefined without a chord. */
  chord(instant) {
    const { schedule } = this
    if (!schedule?.plays) return undefined
    const tick = schedule.position(instant)
    if (!schedule.includes(tick)) return undefined
    const patch = this.patchAt(tick)
    return patch?.table.chord(Math.floor(tick / TICKS_PER_STEP) - patch.firstStep)?.pitchClasses
  }

  /** The clicks of the count-in at a step, as hits: none or one. Notes 76 and 77 are the high and the low wood block. */
  clicks(step) {
    const tick = step * TICKS_PER_STEP
    const { schedule } = this
    if (!schedule?.plays || schedule.ticksPerClick === 0 || schedule.start >= schedule.end) return []
    if (tick < schedule.countInStart || tick >= schedule.start) return []
    if ((schedule.start - tick) % schedule.ticksPerClick !== 0 || schedule.mixAt(tick).isQuiet) return []
    const isFirst = tick === schedule.countInStart
    return [{
      part: 0, program: 0, note: isFirst ? 76 : 77, velocity: isFirst ? 120 : 96, group: 0, position: 0, end: 0,
      delay: 0, isGrace: false,
    }]
  }

  /**
   * All sounds that begin in an interval of instants, as {key, hit, instant, end}. The same sound has the same `key` in each call. `end` is
   * the instant at which a note ends; undefined for drums.
   */
  sounds(from, to) {
    const { schedule } = this
    if (!schedule?.plays) return []
    const [first, last] = [schedule.position(from), schedule.position(to)]
    const start = schedule.instant(schedule.start)
    const sounds = []
    // A hit may sound up to 75 ms before or after its step. `margin` is this time in steps, rounded up, and one more.
    const margin = Math.ceil((75e6 / schedule.quarter) * 4) + 1
    const range = [Math.floor(first / TICKS_PER_STEP) - margin, Math.floor(last / TICKS_PER_STEP) + margin]
    for (let step = range[0]; step <= range[1]; step += 1) {
      const tick = step * TICKS_PER_STEP
      if (tick < schedule.firstSound) continue
      for (const hit of [...this.clicks(step), ...this.hits(step)]) {
        let instant = schedule.instant(tick + hit.position / 1000) + hit.delay
        if (tick >= schedule.start && instant < start) {
          // No hit of the rhythm sounds before the first tick; only the clicks of the count-in do. Early hits sound at the first tick.
          // Early grace notes are left out.
          if (hit.isGrace) continue
          instant = start
        }
        if (instant < from || instant >= to) continue
        const end = hit.end > 0 ? schedule.instant(tick + hit.end) + hit.delay : undefined
        const key = [schedule.series, step, hit.part, hit.note, hit.position, hit.isGrace ? 1 : 0].join("/")
        sounds.push({ key, hit, instant, end })
      }
    }
    return sounds
  }
}
