// The motion sensors of this device: asks for the permission, and passes the samples to the recogniser.

import { MotionRecognizer } from "./motion.js"

/** If no sample arrives for this time after the start, in milliseconds, the device has no sensor. */
const PATIENCE = 2500

/** Whether this is a phone or tablet of Apple. Its accelerations have the opposite sign to the W3C specification. */
const isApple = /iPhone|iPad|iPod/.test(navigator.userAgent)
  || (/Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1)

const reversed = (vector) => vector && { x: opposite(vector.x), y: opposite(vector.y), z: opposite(vector.z) }
const opposite = (number) => (Number.isFinite(number) ? -number : null)

/** A vector in the axes of the screen. `angle` is the rotation of the screen's content against the device: 0, 90, 180 or 270 degrees. */
function onScreen(vector, angle) {
  if (!vector || !angle || !Number.isFinite(vector.x) || !Number.isFinite(vector.y)) return vector
  const { x, y, z } = vector
  switch (angle) {
    case 90: return { x: -y, y: x, z }
    case 180: return { x: -x, y: -y, z }
    case 270: return { x: y, y: -x, z }
    default: return vector
  }
}

/**
 * The motion sensors. Events: `change` when the state has changed; `gesture` for each sample, whose `detail` contains the result of the
 * recogniser and the time stamp of the sample.
 */
export class MotionSensor extends EventTarget {
  /**
   * `asking`: `start` was not called yet, or the player has not answered the request for the permission. `insecure`: the page was loaded
   * without HTTPS, so it has no sensors. `denied`: the permission was denied. `waiting`: no sample has arrived yet. `missing`: there is no
   * sensor. `ready`: samples arrive.
   */
  state = isSecureContext ? "asking" : "insecure"
  recognizer = new MotionRecognizer()
  /** The timer that ends the state `waiting`. */
  #timer

  /**
   * Asks for the permission to read the sensors, if the browser requires it, and waits for the first sample. The handler of a click must
   * call this method before any await, because browsers ask for the permission only during a user's action.
   */
  start() {
    if (this.state === "insecure" || this.state === "ready" || this.state === "waiting") return
    if (typeof DeviceMotionEvent === "undefined") {
      this.#setState("missing")
      return
    }
    if (!DeviceMotionEvent.requestPermission) {
      this.#listen()
      return
    }
    DeviceMotionEvent.requestPermission().then(
      (answer) => (answer === "granted" ? this.#listen() : this.#setState("denied")), () => this.#setState("denied"))
  }

  #listen() {
    addEventListener("devicemotion", this.#receive)
    this.#setState("waiting")
    this.#timer = setTimeout(() => this.#setState("missing"), PATIENCE)
  }

  #setState(state) {
    this.state = state
    this.dispatchEvent(new Event("change"))
  }

  #receive = (event) => {
    const angle = screen.orientation?.angle ?? 0
    const axes = (vector) => onScreen(isApple ? reversed(vector) : vector, angle)
    const { alpha, beta, gamma } = event.rotationRate ?? {}
    const turn = onScreen({ x: alpha, y: beta, z: gamma }, angle)
    const gesture = this.recognizer.add({
      timeStamp: event.timeStamp, acceleration: axes(event.acceleration),
      accelerationIncludingGravity: axes(event.accelerationIncludingGravity),
      rotationRate: { alpha: turn.x, beta: turn.y, gamma: turn.z },
    })
    // A device without sensors sends one event without numbers.
    if (!gesture) return
    if (this.state !== "ready") {
      clearTimeout(this.#timer)
      this.#setState("ready")
    }
    this.dispatchEvent(new CustomEvent("gesture", { detail: { ...gesture, timeStamp: event.timeStamp } }))
  }
}
