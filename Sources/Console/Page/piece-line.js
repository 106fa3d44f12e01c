// The line of the piece: one cell for each bar, or for several bars of a long piece, with the letters of the sections. A frame shows the
// present bar. A touch looks at a place while nothing plays.

import { create } from "./elements.js"
import { text } from "./strings.js"

/** The largest number of cells. */
const MAXIMUM = 64

export class PieceLine {
  #root
  #context
  #cells = []
  /** The number of bars of a cell. */
  #step = 1
  #shown = ""

  /** @param choose is called with the written bar that the player has touched. */
  constructor(root, context, choose) {
    this.#root = root
    this.#context = context
    root.addEventListener("click", ({ target }) => {
      const index = this.#cells.indexOf(target.closest(".piece-cell"))
      if (index >= 0) choose(index * this.#step)
    })
    root.setAttribute("role", "slider")
    root.tabIndex = 0
    root.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: this.#step * 8, PageDown: -this.#step * 8 }[event.key]
      if (!step) return
      event.preventDefault()
      const count = this.#context.state.score.bars.length
      choose(Math.min(Math.max(Number(root.getAttribute("aria-valuenow")) - 1 + step, 0), count - 1))
    })
  }

  /** Draws the cells of the score. */
  render() {
    const { digest, name, bars, sections } = this.#context.state.score
    this.#root.setAttribute("aria-label", name ?? "")
    const shown = `${digest}/${bars.length}`
    if (shown === this.#shown) return
    this.#shown = shown
    this.#step = Math.max(Math.ceil(bars.length / MAXIMUM), 1)
    const count = Math.ceil(bars.length / this.#step)
    this.#cells = Array.from({ length: count }, () => create("i", { className: "piece-cell" }))
    for (const { bar, name: letter } of sections) {
      const cell = this.#cells[Math.floor(bar / this.#step)]
      if (cell && !cell.firstChild) cell.append(create("b", { textContent: letter.slice(0, 3) }))
    }
    this.#root.setAttribute("aria-valuemin", "1")
    this.#root.setAttribute("aria-valuemax", String(Math.max(bars.length, 1)))
    this.#root.replaceChildren(...this.#cells)
  }

  /** Shows the present bar. */
  update(bar) {
    const present = bar === undefined ? -1 : Math.floor(bar / this.#step)
    this.#cells.forEach((cell, index) => {
      cell.classList.toggle("now", index === present)
      cell.classList.toggle("past", index < present)
    })
    const { score } = this.#context.state
    this.#root.setAttribute("aria-valuenow", String((bar ?? 0) + 1))
    const number = this.#context.scoreView?.numberOf(bar ?? 0) ?? ""
    this.#root.setAttribute("aria-valuetext", text("pieceBar", { name: score.name ?? "", bar: number, count: score.bars.length }))
  }
}
