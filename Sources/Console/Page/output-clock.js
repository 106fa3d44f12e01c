// The relation between the clock of the audio output and the clock of the page.

/** The time constant in seconds with which the relation is smoothed. */
const SMOOTHING = 2
/** A larger deviation than this number of seconds is not noise: the audio device was restarted. The relation is then measured again. */
const JUMP = 0.05

/**
 * Maps moments of performance.now() to times of an AudioContext. The delay of the output is included: a sound that starts at the returned
 * time is heard at the given moment.
 */
export class OutputClock {
  /** The delay of the output beyond the delay that the browser reports, in seconds. It is calibrated, or set by the player. */
  manualDelay = 0
  #context
  /** The smoothed result of #measure. */
  #offset
  /** The moment of the last update, in seconds. */
  #updated = 0

  constructor(context) {
    this.#context = context
  }

  /** Reads the time stamps of the output. Called before each use of the clock, and by a timer. */
  update() {
    const measured = this.#measure()
    const now = performance.now() / 1000
    if (this.#offset === undefined || Math.abs(measured - this.#offset) > JUMP) {
      this.#offset = measured
    } else {
      const share = Math.min(1, (now - this.#updated) / SMOOTHING)
      this.#offset += (measured - this.#offset) * share
    }
    this.#updated = now
  }

  /** The time of the AudioContext for which the sound that is heard now was scheduled, minus performance.now(), in seconds. */
  #measure() {
    const context = this.#context
    const latency = context.outputLatency || context.baseLatency || 0
    const estimated = context.currentTime - latency - performance.now() / 1000
    const stamp = context.getOutputTimestamp?.()
    if (!stamp?.performanceTime) return estimated
    const stamped = stamp.contextTime - stamp.performanceTime / 1000
    // Some browsers return time stamps of another clock, which are far from the estimate.
    return Math.abs(stamped - estimated) < 0.5 ? stamped : estimated
  }

  /** The delay of the output that the browser reports, in milliseconds. */
  get latency() {
    return (this.#context.outputLatency || this.#context.baseLatency || 0) * 1000
  }

  /** The moment of performance.now() at which a sound is heard that starts at a time of the AudioContext, in seconds. */
  moment(time) {
    return (time - this.#offset + this.manualDelay) * 1000
  }

  /** The time of the AudioContext, in seconds, at which a sound must start to be heard at a moment of performance.now(). */
  time(moment) {
    return moment / 1000 + this.#offset - this.manualDelay
  }
}
