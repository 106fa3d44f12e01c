// Draws the flute as pan pipes, the longest at the left, so that the position sideways is the pitch. The air in a pipe that is held swings.

import { Drawing, createSVG, place } from "./drawing.js"
import { create } from "./elements.js"
import { reducedMotion } from "./frame-loop.js"

const COUNT = 8
/** Below this width in pixels, the pipes hang in two ranks. */
const NARROW = 352
/** The length of the longest pipe and the difference to the next one, as shares of the cell. */
const [LONGEST, STEP] = [0.9, 0.068]
/** The swings of the air that are seen in a pipe, and their turns per second. */
const [WAVES, RATE] = [3, 2]

export class Flute extends Drawing {
  noun = "pipe"
  className = "flute"
  #air = []

  draw() {
    const ranks = this.box.width < NARROW ? 2 : 1
    const perRank = COUNT / ranks
    this.addKeys(this.columns(COUNT, ranks), (index, cell) => {
      const step = cell.height < 330 ? STEP * 0.7 : STEP
      const rect = { x: cell.width * 0.06, y: cell.height * 0.04, width: cell.width * 0.88, height: cell.height * (LONGEST - step * index) }
      this.#air[index] = createSVG("path", {})
      const air = createSVG("svg", { viewBox: "0 0 20 100", preserveAspectRatio: "none", "aria-hidden": "true" }, this.#air[index])
      return [place(create("i", { className: "picture pipe" }, create("u"), air), rect)]
    })
    const straps = Array.from({ length: ranks }, (_, rank) => {
      const { y, height } = this.cells[rank * perRank]
      return [0.16, 0.27].map((share, n) => place(
        create("i", { className: "strap" }), { x: -4, y: y + height * share, width: this.box.width + 8, height: Math.min(24 - n * 11, height * 0.07) }))
    })
    return [...this.keys, ...straps.flat()]
  }

  spot(index) {
    const { x, y, width, height } = this.cells[index]
    return { x: x + width / 2, y: y + height * 0.4 }
  }

  press(index, isDown) {
    super.press(index, isDown)
    if (!isDown || reducedMotion.matches) this.#air[index]?.setAttribute("d", isDown ? this.#wave(0) : "")
  }

  /** The line of the air, a standing wave between both ends of the pipe, at a time in turns. */
  #wave(turns) {
    const points = Array.from({ length: 33 }, (_, n) => {
      const share = n / 32
      const size = 6 * Math.sin(share * Math.PI) * Math.sin(share * WAVES * 2 * Math.PI + turns * 2 * Math.PI)
      return `${(10 + size).toFixed(2)} ${(share * 100).toFixed(1)}`
    })
    return `M${points.join("L")}`
  }

  frame(moment) {
    if (reducedMotion.matches) return false
    let moves = false
    this.keys.forEach((key, index) => {
      if (!key.classList.contains("down")) return
      moves = true
      this.#air[index].setAttribute("d", this.#wave((moment / 1000) * RATE))
    })
    return moves
  }
}
