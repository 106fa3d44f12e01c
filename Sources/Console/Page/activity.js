// The activity of the player: how strongly she plays now. The page reports it to the peer, which smooths it to the energy.

/** The time between two reports of the activity, in milliseconds. */
const REPORT_INTERVAL = 50
/** A note that was played by a touch or a key counts as activity for this time, in milliseconds. */
const NOTE_TIME = 400

export class Activity {
  #connection
  /** Returns the factor for the activity. */
  #sensitivity
  #hasPlayed = false
  /** The strength of the last note, 0...1, and the moment until which it counts as activity. */
  #note = { strength: 0, until: 0 }
  /** The largest movement of the device or of a finger since the last report, 0...1. */
  #movement = 0
  /** The activity that was reported last, 0...127. */
  #reported = 0

  /** @param beforeReport is called before each report, with the time until the next report in milliseconds. */
  constructor(connection, sensitivity, beforeReport) {
    this.#connection = connection
    this.#sensitivity = sensitivity
    // A peer knows nothing about what was reported on an earlier connection.
    connection.addEventListener("welcome", () => { this.#reported = undefined })
    setInterval(() => {
      beforeReport(REPORT_INTERVAL)
      this.#report()
    }, REPORT_INTERVAL)
  }

  /** Counts a note of the given strength. */
  play(strength) {
    this.#hasPlayed = true
    this.#note = { strength, until: performance.now() + NOTE_TIME }
  }

  /** Counts a movement of the device or of a finger, 0...1. */
  move(movement) {
    if (movement > 0) this.#hasPlayed = true
    this.#movement = Math.max(this.#movement, movement)
  }

  /** The activity now, 0...127, as the next report will contain it: that of the last note or of the largest movement. */
  get value() {
    const note = performance.now() < this.#note.until ? this.#note.strength : 0
    return Math.min(127, Math.round(Math.max(note, this.#movement) * 127 * this.#sensitivity()))
  }

  #report() {
    if (!this.#hasPlayed) return
    const { value } = this
    this.#movement = 0
    if (value === this.#reported) return
    this.#reported = value
    this.#connection.activity(value)
  }
}
