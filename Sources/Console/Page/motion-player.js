// Plays the instrument by movements of the device, and shows whether this is possible.

import { POSITIONS, movementOf, tiltedPosition, tiltedShare } from "./figures.js"
import { MotionSensor } from "./motion-sensor.js"
import { store, stored } from "./settings.js"
import { text } from "./strings.js"

const element = (id) => document.getElementById(id)

const MOTION_KEY = "tutti.motion"
/** Movements after a touch are caused by the touch, for this time in milliseconds. */
const TOUCH_TIME = 250
/** A movement below this activity does not keep a figure sounding. */
const LEAST_ACTIVITY = 0.05
/** A figure that is bent by waves sounds above this level, and a long note ends below it. */
const LEAST_WAVING = 0.15
/** A wave moves the pitch by at most this number of positions. */
const LARGEST_STEP = 3
/** The name of the source of notes that are played by movements. */
const SOURCE = "motion"
/** A short note is released after this time, in milliseconds. */
const NOTE_TIME = 300

export class MotionPlayer {
  sensor = new MotionSensor()
  #view
  #isOn = stored(MOTION_KEY) !== "off"
  /** The position of the last wave of an instrument that is played by sweeps. */
  #swept = 3
  #touched = -Infinity
  /** The timer that releases a short note. */
  #release

  /** @param view the view of the instrument, which sounds the notes. */
  constructor(view) {
    this.#view = view
    this.sensor.addEventListener("change", () => this.render())
    this.sensor.addEventListener("gesture", ({ detail }) => this.#play(detail))
    element("motion").addEventListener("click", () => this.#toggle())
    element("center").addEventListener("click", () => this.sensor.recognizer.center())
  }

  /** Asks for the permission. Must be called by a handler of a user's action, before any await. */
  start() {
    if (this.#isOn) this.sensor.start()
    this.render()
  }

  /** A touch plays instead of the movement that it causes. */
  touch() {
    this.#touched = performance.now()
  }

  setSensitivity(factor) {
    this.sensor.recognizer.sensitivity = factor
  }

  get isPlaying() {
    return this.#isOn && this.sensor.state === "ready"
  }

  get #isPossible() {
    return this.sensor.state !== "insecure" && this.sensor.state !== "missing"
  }

  #toggle() {
    if (!this.#isPossible) return
    this.#isOn = !this.isPlaying
    store(MOTION_KEY, this.#isOn ? "on" : "off")
    if (this.#isOn) this.sensor.start()
    else this.#view.release(SOURCE)
    this.render()
  }

  render() {
    const { state } = this.sensor
    const isPossible = this.#isPossible
    const button = element("motion")
    // A disabled button would lose the focus.
    button.setAttribute("aria-disabled", String(!isPossible))
    button.setAttribute("aria-pressed", String(this.isPlaying))
    const key = state === "ready" || (isPossible && !this.#isOn) ? (this.#isOn ? "motionOn" : "motionOff") : {
      asking: "motionAsking", waiting: "motionWaiting", insecure: "motionInsecure", denied: "motionDenied",
      missing: "motionMissing",
    }[state]
    const status = element("motion-state")
    // The status is announced only when it changes.
    if (status.textContent !== text(key)) status.textContent = text(key)
    status.dataset.state = this.isPlaying ? "on" : state === "ready" ? "off" : state
    element("center").hidden = !this.isPlaying
    const { instrument } = this.#view
    if (instrument) element("movement").textContent = text(`movement-${movementOf(instrument)}`)
  }

  /** The position that the tilt shows; undefined if movements do not play. */
  get position() {
    return this.isPlaying ? this.#tilted : undefined
  }

  #tilted

  #play(gesture) {
    const view = this.#view
    const { instrument } = view
    if (!this.#isOn || !view.isVisible || !instrument) return
    if (performance.now() - this.#touched < TOUCH_TIME || view.isTouched) return
    view.move(gesture.activity)
    const sideways = gesture.tilt ? tiltedPosition(gesture.tilt.sideways) : 3
    const movement = movementOf(instrument)
    this.#tilted = movement === "breath" && gesture.tilt ? tiltedPosition(gesture.tilt.forward) : sideways
    if (view.figure.isAvailable) {
      this.#bend(movement, gesture)
      return
    }
    const { strike, wave } = gesture
    switch (movement) {
      case "wave":
        if (wave) this.#note(Math.round(wave.strength * (POSITIONS - 1)), wave.strength, gesture)
        break
      case "sweep":
        if (wave) this.#sweep(wave, gesture)
        break
      case "breath":
        if (wave) view.strike(SOURCE, this.#tilted, wave.strength, { timeStamp: gesture.timeStamp })
        else if (gesture.waving < LEAST_WAVING) view.release(SOURCE)
        break
      default:
        if (strike !== undefined) this.#note(this.#tilted, strike, gesture)
    }
    view.showMark(this.#tilted, gesture.waving)
  }

  /** The tilt or the waving bends a figure. */
  #bend(movement, { tilt, waving, activity }) {
    const isTilt = movement === "tilt"
    if (isTilt ? activity < LEAST_ACTIVITY : waving < LEAST_WAVING) return
    const position = isTilt ? this.#tilted : Math.min(Math.floor(waving * POSITIONS), POSITIONS - 1)
    this.#view.bend(position, isTilt && tilt ? tiltedShare(tilt.forward) : waving)
  }

  #note(position, strength, { timeStamp }) {
    clearTimeout(this.#release)
    const release = this.#view.strike(SOURCE, position, strength, { timeStamp })
    this.#release = setTimeout(() => release?.(), NOTE_TIME)
  }

  /** A wave to the right goes up, a wave to the left goes down; a strong wave goes further. */
  #sweep({ strength, direction }, gesture) {
    const step = direction * Math.ceil(strength * LARGEST_STEP)
    const next = this.#swept + step
    // At the end of the range, the direction is reversed.
    this.#swept = next < 0 || next >= POSITIONS ? this.#swept - step : next
    this.#tilted = this.#swept
    this.#note(this.#swept, strength, gesture)
  }
}
