// Computes the tempo that a player taps: the mean interval of the last taps, as the Swift type TapTempo does.

/** The number of taps from which the tempo is computed. */
const MAXIMUM_TAPS = 9
/** After a pause of this length, in milliseconds, a new series of taps begins. */
const PAUSE = 2000

export class TapTempo {
  #taps = []

  /** Adds a tap at a moment in milliseconds. Returns the tempo in BPM; undefined with fewer than three taps, or outside 20...999. */
  tap(moment) {
    if (this.#taps.length > 0 && moment - this.#taps[this.#taps.length - 1] > PAUSE) this.#taps = []
    this.#taps.push(moment)
    if (this.#taps.length > MAXIMUM_TAPS) this.#taps.shift()
    if (this.#taps.length < 3) return undefined
    const interval = (moment - this.#taps[0]) / (this.#taps.length - 1)
    const bpm = Math.round(60_000 / interval)
    return bpm >= 20 && bpm <= 999 ? bpm : undefined
  }
}
