// The calibration of the audio output: this device clicks, and the peer records the clicks with its microphone and measures the delay.

import { text } from "./strings.js"

const element = (id) => document.getElementById(id)

/** The General MIDI note of the claves. They have a short attack even in a small loudspeaker. */
const CLICK = 75
/** A click is scheduled this long before it sounds, in milliseconds. */
const HORIZON = 300
/** The error that is shown for an output without a calibration, in milliseconds. */
const UNKNOWN_ERROR = 40

/** A number of milliseconds as text with one decimal. */
const number = (milliseconds) => milliseconds.toFixed(1)

export class Calibration {
  #context
  /** The number of the newest turn in which this page clicks; 0 if there is none. */
  #turn = 0
  /** The newest frame `calibration`: the state and the results of the calibration. */
  #results = {}
  /** A random identifier that the peer chooses when it starts (`instance` of the frame `welcome`). A restarted peer has another one. */
  #instance
  /** The number of this page while it clicks; otherwise undefined. */
  #clicking
  /** The timer that runs until the last click. */
  #clickingEnd

  constructor(context) {
    this.#context = context
    const { audio, connection } = context
    element("calibrate").addEventListener("click", () => connection.command({ do: "calibrate" }))
    connection.addEventListener("welcome", ({ detail }) => this.#forgetResults(detail.instance))
    connection.addEventListener("state", ({ detail }) => {
      if (detail !== "open") this.#endTurn()
    })
    connection.addEventListener("clicks", ({ detail }) => this.#click(detail))
    connection.addEventListener("delay", ({ detail }) => this.#store(detail))
    connection.addEventListener("calibration", ({ detail }) => {
      this.#results = detail
      this.render()
    })
    audio.addEventListener("change", () => this.render())
  }

  /** Schedules clicks at instants of the peer's clock, and answers the peer. The stored delay of the output has no effect on the clicks. */
  #click({ turn, page, instants }) {
    const { audio, connection, announce } = this.#context
    // A hidden page cannot click in time, because its timers are late.
    const isReady = audio.isRunning && connection.hasClock && !document.hidden && audio.samples.drum(CLICK) !== undefined
    connection.command({ do: "clicking", turn, on: isReady })
    if (!isReady) return
    this.#endTurn()
    this.#turn = turn
    this.#clicking = page
    announce(text("calibrating", { page }))
    this.render()
    const relative = instants.map((nanoseconds) => connection.relative(BigInt(nanoseconds)))
    this.#clickingEnd = setTimeout(() => this.#endClicking(), connection.moment(Math.max(...relative)) - performance.now())
    for (const instant of relative) {
      setTimeout(() => {
        // If a new turn or a new connection has begun, the remaining clicks are left out.
        if (turn === this.#turn && connection.hasClock) audio.click(CLICK, connection.moment(instant))
      }, connection.moment(instant) - performance.now() - HORIZON)
    }
  }

  /** Shows that this page does not click any more. */
  #endClicking() {
    clearTimeout(this.#clickingEnd)
    this.#clicking = undefined
    this.render()
  }

  /** Ends the turn: no further clicks, and a delay that arrives later is ignored. */
  #endTurn() {
    this.#turn = 0
    this.#endClicking()
  }

  /** Forgets the results after a restart of the peer, which does not know them any longer. */
  #forgetResults(instance) {
    if (instance === this.#instance) return
    this.#instance = instance
    this.#results = {}
    this.#endTurn()
  }

  /** Stores the delay that the peer has measured in this turn. */
  #store({ turn, delay, uncertainty }) {
    if (turn !== this.#turn) return
    this.#endClicking()
    const { audio, announce } = this.#context
    audio.setCalibration(delay, uncertainty)
    announce(element("calibration-state").textContent)
  }

  render() {
    const { audio, connection } = this.#context
    const { calibration } = audio
    element("calibration-state").textContent = this.#clicking !== undefined ? text("calibrating", { page: this.#clicking })
      : calibration ? text("calibrated", { delay: number(calibration.delay), error: number(calibration.uncertainty) })
      : text("notCalibrated", { error: UNKNOWN_ERROR })
    const field = element("delay")
    if (document.activeElement !== field) field.value = String(Math.round(audio.delay * 10) / 10)
    const { isRunning = false, pages = 0, results = [], problem } = this.#results
    element("calibrate-part").hidden = connection.state !== "open" || connection.access !== "lead"
    element("calibrate").disabled = isRunning
    const lines = results.map((result) => result.problem
      ? text("calibrationFailed", { page: result.page, address: result.address, reason: result.problem })
      : text("calibrationResult", {
        page: result.page, address: result.address, delay: number(result.delay_ms), error: number(result.uncertainty_ms),
        used: result.clicks_used, count: result.clicks_used + result.clicks_rejected,
      }))
    if (isRunning) lines.push(text("calibrationRuns", { page: results.length + 1, count: pages }))
    if (problem) lines.push(text("calibrationRefused", { reason: problem }))
    element("calibrations").replaceChildren(...lines.map((line) => {
      const item = document.createElement("li")
      item.textContent = line
      return item
    }))
  }
}
