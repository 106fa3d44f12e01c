// Keeps the schedule of the rhythm in the clock of the peer, and recognises the rhythm when the page connects to another peer.

import { Schedule } from "./rhythm.js"

/** If the positions at two peers differ by less than this number of ticks, both play the same rhythm. A step has six ticks. */
const TOLERANCE = 3

/**
 * Sets Rhythm.schedule from the frames `rhythm`. Another peer has another clock and other numbers of runs. If its rhythm is where the
 * previous one was, it has the same Schedule.series. A sound then keeps its key, so that it is neither repeated nor left out.
 */
export class Timeline {
  #connection
  #rhythm
  /** The newest frame `rhythm`. Its instants are those of the peer's clock. */
  #frame
  /** Identifies the run of the peer (`instance` of the frame `welcome`). */
  #instance
  /** Where the rhythm was when the connection changed: {moment, position, series}; undefined if none played. */
  #left
  /** The newest series that continues a series of another connection: {name, series}. */
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

  /** Stores the position of the rhythm, by the clock that is no longer used afterwards. */
  #leave() {
    const { schedule } = this.#rhythm
    const moment = performance.now()
    const plays = schedule?.plays && this.#connection.hasClock
    this.#left = plays ? { moment, position: schedule.position(this.#connection.peerTime(moment)), series: schedule.series } : undefined
    this.#frame = undefined
  }

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
