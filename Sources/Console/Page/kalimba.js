// Draws the kalimba: seven tines on a box with a hole. The longest is in the middle, and the tines alternate to both sides, so that two
// thumbs can alternate too.

import { Drawing, createSVG, place } from "./drawing.js"
import { create } from "./elements.js"

/** The positions from left to right. */
const ORDER = [5, 3, 1, 0, 2, 4, 6]
/** Below this height in pixels, there is no room for the hole. */
const LOW = 330
/** The lengths of the longest tine and the difference to the next one, as shares of the height. */
const [LONGEST, STEP] = [0.66, 0.045]

export class Kalimba extends Drawing {
  noun = "tine"
  className = "kalimba"

  draw() {
    const { width, height } = this.box
    const columns = this.columns(ORDER.length)
    this.addKeys(ORDER.map((_, position) => columns[ORDER.indexOf(position)]), (position, cell) => {
      const size = Math.min(Math.max(cell.width * 0.46, 26), 64)
      return [place(create("i", { className: "picture tine" }),
        { x: (cell.width - size) / 2, y: height * 0.1, width: size, height: height * (LONGEST - STEP * position) })]
    })
    const size = { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }
    return [createSVG("svg", { class: "under", ...size }, ...this.#box()), ...this.keys, createSVG("svg", { class: "over", ...size }, ...this.#bridges())]
  }

  /** The box, with the grain of the wood and the hole. */
  #box() {
    const { width, height } = this.box
    const grain = Array.from({ length: 6 }, (_, line) => {
      const y = height * (0.12 + line * 0.15)
      return createSVG("path", { class: "grain", d: `M8 ${y}q${width / 4} ${line % 2 ? 14 : -14} ${width / 2} 0t${width / 2 - 16} 0` })
    })
    const body = createSVG("rect", { class: "wood", x: 5, y: 5, width: width - 10, height: height - 10, rx: Math.min(48, width * 0.09) })
    if (height < LOW) return [body, ...grain]
    const [radius, middle] = [Math.min(width * 0.17, height * 0.095), { cx: width / 2, cy: height * 0.87 }]
    return [body, ...grain, createSVG("circle", { class: "rim", ...middle, r: radius + 8 }), createSVG("circle", { class: "hole", ...middle, r: radius })]
  }

  /** The bar that holds the tines, and the bridge on which they lie. */
  #bridges() {
    const { width, height } = this.box
    const thick = height < LOW ? 13 : 20
    return [
      createSVG("rect", { class: "clamp", x: width * 0.04, y: height * 0.135, width: width * 0.92, height: thick, rx: 7 }),
      createSVG("rect", { class: "bridge", x: width * 0.06, y: height * 0.145 + thick * 1.7, width: width * 0.88, height: thick * 0.6, rx: 5 }),
    ]
  }

  spot(position) {
    const { x, width } = this.cells[position]
    return { x: x + width / 2, y: this.box.height * (0.08 + LONGEST - STEP * position) }
  }

  /** A tine buzzes sideways for a beat, less and less. */
  animate(picture, quarter) {
    const frames = Array.from({ length: 17 }, (_, n) => ({ transform: `translateX(${(n % 2 ? -4 : 4) * (1 - n / 16)}px)` }))
    picture.animate(frames, { duration: quarter })
  }
}
