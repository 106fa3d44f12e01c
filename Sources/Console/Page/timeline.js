// Computes the schedule of the rhythm with the newest estimate of the peer's clock. When the page connects to another peer, recognises
// whether the rhythm continues.

import { Schedule } from "./rhythm.js"

/** If the positions at two peers differ by less than this number of ticks, both play the same rhythm. A step has six ticks. */
const TOLERANCE = 3

/**
 * Sets Rhythm.schedule from the frames `rhythm`. When the page moves to another peer, this peer has another clock and numbers its runs
 * differently. If its rhythm is at the position of the previous peer's rhythm, the new schedule gets the previous Schedule.series. Each
 * sound then keeps its key, so no sound is repeated or left out.
 */
export class Timeline {
  #connection
  #rhythm
  /** The newest frame `rhythm`. Its instants are those of the peer's clock. */
  #frame
  /** The `instance` in the newest frame `welcome`: a random number, new after each start of the peer. */
  #instance
  /** The position of the rhythm at the moment when the connection changed: {moment, position, series}; undefined if no rhythm played. */
  #left
  /**
   * The newest series that continues a series of the previous connection: {name, series}. `name` identifies the series on the present
   * connection, and `series` is the value of Schedule.series that the series keeps.
   */
  #continued

  constructor(connection, rhythm) {
    this.#connection = connection
    this.#rhythm = rhythm
    connection.addEventListener("switch", () => this.#leave())
    connection.addEventListener("welcome", ({ detail }) => { this.#instance = detail.instance })
  }

  /** Sets the newest frame; undefined ends the rhythm. */
  set(frame) {
    this.#frame = frame
    this.update()
  }

  /** Computes the schedule with the newest estimate of the peer's clock. */
  update() {
    const schedule = this.#frame && new Schedule(this.#frame, (instant) => this.#connection.relative(instant))
    if (schedule) schedule.series = this.#series(schedule)
    this.#rhythm.schedule = schedule
  }

  /** Stores the position of the rhythm by the clock of the previous connection, before another clock replaces it. */
  #leave() {
    const { schedule } = this.#rhythm
    const moment = performance.now()
    const plays = schedule?.plays && this.#connection.hasClock
    this.#left = plays ? { moment, position: schedule.position(this.#connection.peerTime(moment)), series: schedule.series } : undefined
    this.#frame = undefined
  }

  /** The value of Schedule.series for a new schedule. */
  #series(schedule) {
    const name = `${this.#instance}/${schedule.firstRun}`
    if (this.#left && this.#connection.hasClock) {
      const { moment, position, series } = this.#left
      this.#left = undefined
      const distance = schedule.position(this.#connection.peerTime(moment)) - position
      if (schedule.plays && Math.abs(distance) < TOLERANCE) this.#continued = { name, series }
    }
    return this.#continued?.name === name ? this.#continued.series : name
  }
}
