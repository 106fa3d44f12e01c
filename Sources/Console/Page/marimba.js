// Draws the marimba: bars of wood on two cords, the longest at the left. On a narrow screen, the bars lie in two ranks.

import { Drawing, createSVG, place } from "./drawing.js"
import { create } from "./elements.js"

/** The number of bars. */
const COUNT = 8
/** Below this width in pixels, a bar in one rank would be too narrow for a finger. */
const NARROW = 352
/** The lengths of the longest and of the shortest bar, as shares of the cell. */
const [LONGEST, SHORTEST] = [0.94, 0.6]
/** The cords pass under a bar at this share of its length from both ends, where it does not vibrate. */
const NODE = 0.2

export class Marimba extends Drawing {
  /** The share of a cell, at its upper end, that is left for the bars. */
  usable = 1
  className = "marimba"

  draw() {
    const ranks = this.box.width < NARROW ? 2 : 1
    this.addKeys(this.columns(COUNT, ranks), (index, cell) => this.picture(index, cell))
    const perRank = COUNT / ranks
    const cords = Array.from({ length: ranks }, (_, rank) => this.#cords(rank * perRank, (rank + 1) * perRank - 1))
    const size = { class: "cords", viewBox: `0 0 ${this.box.width} ${this.box.height}`, "aria-hidden": "true" }
    return [createSVG("svg", size, ...cords.flat()), ...this.keys]
  }

  /** The rectangle of a bar in its cell. */
  bar(index, { width, height }) {
    const space = height * this.usable
    const length = space * (LONGEST - ((LONGEST - SHORTEST) * index) / (COUNT - 1))
    const gap = Math.max(2, width * 0.06)
    return { x: gap, y: (space - length) / 2, width: width - 2 * gap, height: length }
  }

  picture(index, cell) {
    return [place(create("i", { className: "picture bar" }, create("u"), create("u")), this.bar(index, cell))]
  }

  /** The two cords of a rank, from its first to its last bar. */
  #cords(first, last) {
    return [NODE, 1 - NODE].flatMap((share) => {
      const height = (index) => {
        const bar = this.bar(index, this.cells[index])
        return this.cells[index].y + bar.y + bar.height * share
      }
      const line = `M0 ${height(first)}L${this.box.width} ${height(last)}`
      return [createSVG("path", { class: "cord", d: line }), createSVG("path", { class: "thread", d: line })]
    })
  }
}
