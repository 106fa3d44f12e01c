// Shows the beats of the bar as a row of dots. The dot of the present beat is filled.

import { onEachFrame } from "./frame-loop.js"

const TICKS_PER_STEP = 6

export class BeatView {
  #container
  #context
  /** The number of beats and the present beat that are shown, as one text. */
  #shown = ""

  constructor(container, context) {
    this.#container = container
    this.#context = context
    onEachFrame((moment) => this.#draw(moment))
  }

  #draw(moment) {
    if (this.#container.offsetParent === null) return
    const { rhythm, connection } = this.#context
    const { schedule, patch } = rhythm
    if (!patch) return
    // A whole note has 16 steps. `unit` is the lower number of the time signature.
    const stepsPerBeat = 16 / patch.unit
    const count = Math.ceil(patch.table.barSteps / stepsPerBeat)
    let beat = -1
    if (schedule?.plays && connection.hasClock) {
      const tick = schedule.position(connection.peerTime(moment))
      const { barSteps } = patch.table
      const step = (((Math.floor(tick / TICKS_PER_STEP) - patch.firstStep) % barSteps) + barSteps) % barSteps
      if (tick >= schedule.start && tick < schedule.end) beat = Math.floor(step / stepsPerBeat)
    }
    const signature = `${count}/${beat}`
    if (signature === this.#shown) return
    this.#shown = signature
    if (this.#container.children.length !== count) {
      this.#container.replaceChildren(...Array.from({ length: count }, () => document.createElement("i")))
    }
    ;[...this.#container.children].forEach((dot, index) => dot.classList.toggle("now", index === beat))
  }
}
