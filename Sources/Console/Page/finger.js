// A finger on the surface: its way, its speed, and the ring round it, which is large enough to be seen beside the finger. While a note waits
// for the grid, an outer ring runs down.

import { createSVG } from "./drawing.js"

/** A way is looked at every few pixels, so that no key between two events is left out. */
const STRIDE = 6
/** The speed that counts as the largest activity, in pixels per millisecond, and the least time over which it is measured. */
const [FASTEST, LEAST_TIME] = [1.5, 8]

export class Finger {
  /** The key under the finger. */
  key
  /** What all notes of a slide share (see placedInSlide). */
  slide = {}
  /** The ring; undefined before `showRing`. */
  ring
  /** The place {x, y} of the last event, and the time stamp of this event. */
  point
  #moment
  /** The place and the time stamp from which the speed is measured. */
  #measured

  constructor(key, point, moment) {
    this.key = key
    this.point = point
    this.#moment = moment
    this.#measured = { ...point, moment }
  }

  /** Creates the ring. */
  showRing() {
    const circles = ["halo", "line", "wait"].map((name) => (
      createSVG("circle", { class: name, cx: 60, cy: 60, r: name === "wait" ? 56 : 44, pathLength: 1 })))
    this.ring = createSVG("svg", { class: "finger", viewBox: "0 0 120 120", "aria-hidden": "true" }, ...circles)
    this.#placeRing()
    return this.ring
  }

  #placeRing() {
    this.ring?.style.setProperty("transform", `translate(${this.point.x.toFixed(1)}px, ${this.point.y.toFixed(1)}px)`)
  }

  /** Shows the share of the time that a note still waits. */
  wait(share) {
    this.ring?.lastChild.setAttribute("stroke-dasharray", `${share.toFixed(3)} 1`)
  }

  /** Moves the finger. Returns the points on its way, as {x, y, timeStamp}. */
  move(to, moment) {
    const { point: from } = this
    const strides = Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / STRIDE)
    const way = Array.from({ length: strides }, (_, index) => {
      const share = (index + 1) / strides
      return {
        x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share,
        timeStamp: this.#moment + (moment - this.#moment) * share,
      }
    })
    this.point = to
    this.#moment = moment
    this.#placeRing()
    return way
  }

  /** The speed of the finger since the last measurement, 0...1; undefined if too little time has passed. */
  speed() {
    const passed = this.#moment - this.#measured.moment
    if (passed < LEAST_TIME) return undefined
    const distance = Math.hypot(this.point.x - this.#measured.x, this.point.y - this.#measured.y)
    this.#measured = { ...this.point, moment: this.#moment }
    return Math.min(1, distance / passed / FASTEST)
  }
}
