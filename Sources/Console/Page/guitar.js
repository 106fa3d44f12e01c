// Draws the guitar from above: six strings over the hole, the fretboard above, the bridge below. The lowest string is at the left.

import { Drawing, createSVG } from "./drawing.js"
import { reducedMotion } from "./frame-loop.js"

const COUNT = 6
/** A string swings for this number of quarter notes. */
const SWING = 1.5
/** The largest deflection of a string that swings and of one that is pulled, in pixels, and the swings per second that can be seen. */
const [WIDE, PULLED, RATE] = [14, 12, 11]

export class Guitar extends Drawing {
  noun = "string"
  className = "guitar"
  #strings = []
  /** The moment at which each string was struck, and the length of a quarter note then. */
  #struck = []

  draw() {
    const { width, height } = this.box
    this.addKeys(this.columns(COUNT), () => [])
    const isLow = height < 330
    const [neck, bridge] = [height * (isLow ? 0.15 : 0.24), height * (isLow ? 0.84 : 0.87)]
    const [middle, radius] = [(neck + bridge) / 2 + height * 0.02, Math.min(width * 0.37, (bridge - neck) * 0.38)]
    const circle = (className, r) => createSVG("circle", { class: className, cx: width / 2, cy: middle, r })
    const planks = Array.from({ length: 8 }, (_, n) => createSVG("path", { class: "grain", d: `M${(width * (n + 0.5)) / 8} 0V${height}` }))
    const frets = [0.4, 0.78].map((share) => createSVG("path", { class: "fret", d: `M0 ${neck * share}H${width}` }))
    const pegs = this.cells.map(({ x, width: cell }) => createSVG("circle", { class: "peg", cx: x + cell / 2, cy: bridge + height * 0.055, r: 5 }))
    this.#strings = this.cells.map((_, index) => createSVG("g", { class: "string" },
      createSVG("path", { class: "shade", "stroke-width": 9 - index }), createSVG("path", { class: "wire", "stroke-width": 6 - index * 0.75 })))
    this.#strings.forEach((string, index) => this.#bend(index, 0))
    return [createSVG("svg", { class: "under", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
      createSVG("rect", { class: "wood", width, height }), ...planks,
      circle("rosette", radius + 20), circle("ring-line", radius + 30), circle("ring-line", radius + 10), circle("hole", radius),
      createSVG("rect", { class: "neck", y: -4, width, height: neck + 4 }), ...frets,
      createSVG("circle", { class: "peg", cx: width / 2, cy: neck * 0.59, r: Math.min(8, neck * 0.1) }),
      createSVG("rect", { class: "neck", x: width * 0.03, y: bridge, width: width * 0.94, height: height * 0.085, rx: 8 }),
      createSVG("path", { class: "saddle", d: `M${width * 0.05} ${bridge + 7}H${width * 0.95}` }), ...pegs, ...this.#strings), ...this.keys]
  }

  /** Draws a string whose middle is deflected by some pixels. */
  #bend(index, deflection) {
    const { x, width } = this.cells[index]
    const [at, end] = [x + width / 2, this.box.height * (this.box.height < 330 ? 0.84 : 0.87) + 8]
    const line = `M${at} -6Q${(at + 2 * deflection).toFixed(1)} ${(end * 0.6).toFixed(1)} ${at} ${end}V${end + this.box.height * 0.045}`
    for (const path of this.#strings[index].children) path.setAttribute("d", line)
  }

  spot(index) {
    const { x, y } = super.spot(index)
    return { x, y: y * 1.3 }
  }

  /** A string that is touched is pulled aside. */
  press(index, isDown) {
    super.press(index, isDown)
    this.#strings[index]?.classList.toggle("down", isDown)
    if (isDown) this.#bend(index, PULLED)
    else if (!this.#struck[index]) this.#bend(index, 0)
  }

  sound(index, quarter) {
    this.#struck[index] = { moment: performance.now(), quarter }
    super.sound(index, quarter)
  }

  /** The string itself moves in `frame`. */
  animate() {}

  frame(moment) {
    if (reducedMotion.matches) return false
    let moves = false
    this.#struck.forEach((struck, index) => {
      if (!struck) return
      const age = (moment - struck.moment) / (struck.quarter * SWING)
      if (age >= 1) {
        this.#struck[index] = undefined
        this.#bend(index, 0)
        return
      }
      moves = true
      this.#bend(index, WIDE * (1 - Math.max(age, 0)) ** 2 * Math.cos(((moment - struck.moment) / 1000) * RATE * 2 * Math.PI))
    })
    return moves
  }
}
