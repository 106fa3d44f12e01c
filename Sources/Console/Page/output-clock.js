// The relation of the audio output to the clock of the page.

/** The time constant of the average in seconds. */
const SMOOTHING = 2
/** A deviation beyond this number of seconds is a new start of the device, not noise. */
const JUMP = 0.05

/**
 * Maps moments of performance.now() to times of an AudioContext, including the delay of the output: a sound that starts at the
 * returned time is heard at the moment.
 */
export class OutputClock {
  /** The delay of devices that the browser does not know, such as Bluetooth loudspeakers, in seconds. */
  manualDelay = 0
  #context
  #offset
  #updated = 0

  constructor(context) {
    this.#context = context
  }

  /** Reads the time stamps of the output. Called often. */
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

  /** The time of the context minus performance.now(), for a sound that is heard now, in seconds. */
  #measure() {
    const context = this.#context
    const latency = context.outputLatency || context.baseLatency || 0
    const estimated = context.currentTime - latency - performance.now() / 1000
    const stamp = context.getOutputTimestamp?.()
    if (!stamp?.performanceTime) return estimated
    const stamped = stamp.contextTime - stamp.performanceTime / 1000
    // Some browsers return time stamps of another clock.
    return Math.abs(stamped - estimated) < 0.5 ? stamped : estimated
  }

  /** The delay of the output that the browser reports, in milliseconds. */
  get latency() {
    return (this.#context.outputLatency || this.#context.baseLatency || 0) * 1000
  }

  /** The time of the context for a sound that is heard at a moment of performance.now(), in milliseconds. */
  time(moment) {
    return moment / 1000 + this.#offset - this.manualDelay
  }
}
