// The motion sensors of this device: permission, state, and samples.

import { MotionRecognizer } from "./motion.js"

/** Without a sample for this time, in milliseconds, the device has no sensor. */
const PATIENCE = 2500

/** The sensors of Apple's phones and tablets have the opposite sign of the specification. */
const isApple = /iPhone|iPad|iPod/.test(navigator.userAgent)
  || (/Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1)

const reversed = (vector) => vector && { x: opposite(vector.x), y: opposite(vector.y), z: opposite(vector.z) }
const opposite = (number) => (Number.isFinite(number) ? -number : null)

/** A vector of the device in the axes of the screen, which turns with the device. */
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
 * Events: `change` when the state has changed, `gesture` for each sample, with the result of the recogniser and the time stamp as
 * `detail`.
 */
export class MotionSensor extends EventTarget {
  /** `asking`, `insecure`, `denied`, `missing`, `waiting` for the first sample, or `ready`. */
  state = isSecureContext ? "asking" : "insecure"
  recognizer = new MotionRecognizer()
  #timer

  /** Asks for the permission. Must be called by a handler of a user's action, before any await. */
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
