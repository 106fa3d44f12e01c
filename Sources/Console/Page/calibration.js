// The calibration of the audio output: this device clicks, and the peer listens with its microphone.

import { text } from "./strings.js"

const element = (id) => document.getElementById(id)

/** The claves of General MIDI: a short attack, also in small loudspeakers. */
const CLICK = 75
/** A click is scheduled this long before it sounds, in milliseconds. */
const HORIZON = 300
/** The error of an output that was not calibrated, in milliseconds. */
const UNKNOWN_ERROR = 40

const number = (milliseconds) => milliseconds.toFixed(1)

export class Calibration {
  #context
  #turn = 0
  #results = []

  constructor(context) {
    this.#context = context
    const { audio, connection } = context
    element("calibrate").addEventListener("click", () => connection.command({ do: "calibrate" }))
    connection.addEventListener("clicks", ({ detail }) => this.#click(detail))
    connection.addEventListener("delay", ({ detail }) => this.#store(detail))
    connection.addEventListener("calibration", ({ detail }) => {
      this.#results = detail
      this.render()
    })
    audio.addEventListener("change", () => this.render())
  }

  /** Schedules clicks at instants of the peer. The stored delay of the output has no effect on them. */
  #click({ turn, page, instants }) {
    const { audio, connection, announce } = this.#context
    const isReady = audio.isRunning && connection.hasClock && audio.samples.drum(CLICK) !== undefined
    connection.command({ do: "clicking", turn, on: isReady })
    if (!isReady) return
    this.#turn = turn
    announce(text("calibrating", { page }))
    element("calibration-state").textContent = text("calibrating", { page })
    for (const instant of instants.map((nanoseconds) => connection.relative(BigInt(nanoseconds)))) {
      setTimeout(() => {
        // A new turn, or a new connection with another clock, cancels the rest.
        if (turn === this.#turn && connection.hasClock) audio.click(CLICK, connection.moment(instant))
      }, connection.moment(instant) - performance.now() - HORIZON)
    }
  }

  #store({ turn, delay, uncertainty }) {
    if (turn !== this.#turn) return
    const { audio, announce } = this.#context
    audio.setCalibration(delay, uncertainty)
    announce(element("calibration-state").textContent)
  }

  render() {
    const { audio, connection } = this.#context
    const { calibration } = audio
    element("calibration-state").textContent = calibration
      ? text("calibrated", { delay: number(calibration.delay), error: number(calibration.uncertainty) })
      : text("notCalibrated", { error: UNKNOWN_ERROR })
    const field = element("delay")
    if (document.activeElement !== field) field.value = String(Math.round(audio.delay * 10) / 10)
    const { isRunning = false, pages = 0, results = [], problem } = this.#results
    element("calibrate").disabled = isRunning || connection.access !== "lead"
    element("calibrate-reason").textContent = connection.access === "lead" ? "" : text("reasonPlay")
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
