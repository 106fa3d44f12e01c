// Plays the instrument by movements of the device, and shows whether the device has motion sensors.

import { movementOf, positionsOf, tiltedPosition, tiltedShare } from "./figures.js"
import { MotionSensor } from "./motion-sensor.js"
import { store, stored } from "./settings.js"
import { text } from "./strings.js"

const element = (id) => document.getElementById(id)

const MOTION_KEY = "tutti.motion"
/** For this time after a touch, in milliseconds, movements play nothing, because the touch itself moves the device. */
const TOUCH_TIME = 250
/** A movement below this activity, 0...1, does not bend a figure. */
const LEAST_ACTIVITY = 0.05
/** Waving below this level, 0...1, does not bend a figure, and ends a note that sounds while the player waves. */
const LEAST_WAVING = 0.15
/** The largest number of positions by which a wave moves the pitch of an instrument that is played by sweeps. */
const LARGEST_STEP = 3
/** The source of the notes that are played by movements, for Instrument.release. */
const SOURCE = "motion"
/** The position in the middle of the range: before the first sweep, and for a device that does not measure the tilt. */
const MIDDLE = 3
/** A short note is released after this time, in milliseconds. */
const NOTE_TIME = 300

export class MotionPlayer {
  sensor = new MotionSensor()
  #view
  #isOn = stored(MOTION_KEY) !== "off"
  /** The position of the last note of an instrument that is played by sweeps, 0...7. */
  #swept = MIDDLE
  /** The moment of the last touch, in milliseconds of performance.now(). */
  #touched = -Infinity
  /** The timer that releases a short note. */
  #release

  /** @param view the Instrument, which plays the notes. */
  constructor(view) {
    this.#view = view
    this.sensor.addEventListener("change", () => this.render())
    this.sensor.addEventListener("gesture", ({ detail }) => this.#play(detail))
    element("motion").addEventListener("click", () => this.#toggle())
    element("center").addEventListener("click", () => this.sensor.recognizer.center())
  }

  /**
   * Starts the sensors, unless the player has turned movement off. The handler of a click must call this method before any await, because
   * browsers ask for the permission to read the sensors only during a user's action.
   */
  start() {
    if (this.#isOn) this.sensor.start()
    this.render()
  }

  /** Called for each touch: movements play nothing for a short time. */
  touch() {
    this.#touched = performance.now()
  }

  /** Sets the factor for the strength of movements. */
  setSensitivity(factor) {
    this.sensor.recognizer.sensitivity = factor
  }

  /** Whether movements play the instrument. */
  get isPlaying() {
    return this.#isOn && this.sensor.state === "ready"
  }

  /** False if the page was loaded without HTTPS, or if the device has no motion sensors. */
  get #isPossible() {
    return this.sensor.state !== "insecure" && this.sensor.state !== "missing"
  }

  /** Turns playing by movement on or off. If it is not possible, or if the player has denied it, says why. */
  #toggle() {
    if (!this.#isPossible || this.sensor.state === "denied") {
      this.#view.tell(text(this.stateText), this.sensor.state)
      if (!this.#isPossible) return
    }
    this.#isOn = !this.isPlaying
    store(MOTION_KEY, this.#isOn ? "on" : "off")
    if (this.#isOn) this.sensor.start()
    else this.#view.release(SOURCE)
    this.render()
  }

  /** The key of the text that says whether movements play, or why they do not. */
  get stateText() {
    const { state } = this.sensor
    // If the sensor is ready, or if the player has turned off a sensor that can be used, the text is `motionOn` or `motionOff`. Otherwise,
    // the text shows the state of the sensor.
    if (state === "ready" || (this.#isPossible && !this.#isOn)) return this.#isOn ? "motionOn" : "motionOff"
    return {
      asking: "motionAsking", waiting: "motionWaiting", insecure: "motionInsecure", denied: "motionDenied", missing: "motionMissing",
    }[state]
  }

  render() {
    element("motion").setAttribute("aria-pressed", String(this.isPlaying))
    const { state } = this.sensor
    const status = element("motion-state")
    status.textContent = text(this.stateText)
    status.dataset.state = this.isPlaying ? "on" : state === "ready" ? "off" : state
    element("center").hidden = !this.isPlaying
    const { instrument } = this.#view
    if (instrument) element("movement").textContent = text(`movement-${movementOf(instrument)}`)
  }

  /** The position that the last movement has selected, 0...7; undefined if movements do not play. */
  get position() {
    return this.isPlaying ? this.#tilted : undefined
  }

  /** The position of the tilt, or of the last sweep. */
  #tilted

  /** Plays the instrument by a gesture: the result of the recogniser for one sample of the motion sensors. */
  #play(gesture) {
    const view = this.#view
    const { instrument } = view
    if (!this.#isOn || !view.isVisible || !instrument) return
    if (performance.now() - this.#touched < TOUCH_TIME || view.isTouched) return
    view.move(gesture.activity)
    const count = positionsOf(instrument)
    const sideways = gesture.tilt ? tiltedPosition(gesture.tilt.sideways, count) : MIDDLE
    const movement = movementOf(instrument)
    this.#tilted = movement === "breath" && gesture.tilt ? tiltedPosition(gesture.tilt.forward, count) : sideways
    if (view.figure.isAvailable) {
      this.#bend(movement, gesture)
      return
    }
    const { strike, wave } = gesture
    switch (movement) {
      case "wave":
        if (wave) this.#note(Math.round(wave.strength * (count - 1)), wave.strength, gesture)
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
    view.showHand(this.#tilted, gesture.waving)
  }

  /** Bends the figure by the tilt or by the waving. */
  #bend(movement, { tilt, waving, activity }) {
    const count = positionsOf(this.#view.instrument)
    const isTilt = movement === "tilt"
    if (isTilt ? activity < LEAST_ACTIVITY : waving < LEAST_WAVING) return
    const position = isTilt ? this.#tilted : Math.min(Math.floor(waving * count), count - 1)
    const strength = isTilt && tilt ? tiltedShare(tilt.forward) : waving
    this.#view.bend(position, strength)
    this.#view.showHand(position, strength)
  }

  /** Plays a short note. */
  #note(position, strength, { timeStamp }) {
    clearTimeout(this.#release)
    const release = this.#view.strike(SOURCE, position, strength, { timeStamp })
    this.#release = setTimeout(() => release?.(), NOTE_TIME)
  }

  /**
   * Plays the note of a wave. After a wave to the right, the note is higher than the last one, and after a wave to the left, lower. The
   * stronger the wave, the larger the step.
   */
  #sweep({ strength, direction }, gesture) {
    const step = direction * Math.ceil(strength * LARGEST_STEP)
    const next = this.#swept + step
    // A step that would leave the range goes in the other direction.
    const count = positionsOf(this.#view.instrument)
    this.#swept = Math.min(Math.max(next < 0 || next >= count ? this.#swept - step : next, 0), count - 1)
    this.#tilted = this.#swept
    this.#note(this.#swept, strength, gesture)
  }
}
