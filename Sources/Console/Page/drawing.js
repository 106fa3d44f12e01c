// What the drawings of all instruments have in common: keys in cells, which answer touches and sounds.
//
// A drawing only draws, and maps points to keys. The surface tells it what happens. A key is a button, so it has a name, can have the focus,
// and works with a screen reader. It fills its cell. The picture of the key, such as a bar, lies inside.

import { create } from "./elements.js"
import { reducedMotion } from "./frame-loop.js"
import { text } from "./strings.js"

const SVG = "http://www.w3.org/2000/svg"
/** A key that sounds is lifted for this number of sixteenth notes. */
const LIFTED = 1.2

/** Creates an element of an SVG image. */
export function createSVG(tag, attributes = {}, ...children) {
  const created = document.createElementNS(SVG, tag)
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value)
  created.append(...children)
  return created
}

/** Places an element in a rectangle of pixels. */
export function place(target, { x, y, width, height }) {
  for (const [name, value] of Object.entries({ left: x, top: y, width, height })) target.style.setProperty(name, `${value}px`)
  return target
}

export class Drawing {
  /** The key of the text that names a key, with {number}. */
  noun = "bar-key"
  /** The width and the height of the surface in pixels. */
  box
  /** The buttons, from the lowest to the highest key, and their cells as rectangles. */
  keys = []
  cells = []

  constructor(box) {
    this.box = box
  }

  /** Creates the keys in their cells. `picture` returns the picture of a key. */
  addKeys(cells, picture) {
    this.cells = cells
    this.keys = cells.map((cell, index) => {
      const key = create(
        "button", { type: "button", className: "key", attributes: { "aria-label": text(this.noun, { number: index + 1 }) } },
        ...picture(index, cell))
      return place(key, cell)
    })
  }

  /** The cells of columns. With `ranks` = 2, the lower half of the keys is in front, that is, below. */
  columns(count, ranks = 1) {
    const perRank = Math.ceil(count / ranks)
    const [width, height] = [this.box.width / perRank, this.box.height / ranks]
    return Array.from({ length: count }, (_, index) => {
      const rank = Math.floor(index / perRank)
      return { x: (index % perRank) * width, y: (ranks - 1 - rank) * height, width, height }
    })
  }

  /** The key at a point. Points outside belong to the nearest key. */
  keyAt(x, y) {
    const distance = ({ x: left, y: top, width, height }) => (
      Math.max(left - x, 0, x - left - width) + Math.max(top - y, 0, y - top - height))
    let nearest = 0
    this.cells.forEach((cell, index) => { if (distance(cell) < distance(this.cells[nearest])) nearest = index })
    return nearest
  }

  /** The point of a key from which a ripple spreads, and on which the mallet lands. */
  spot(index) {
    const { x, y, width, height } = this.cells[index]
    return { x: x + width / 2, y: y + height / 2 }
  }

  /** Shows whether a key is touched. */
  press(index, isDown) {
    this.keys[index]?.classList.toggle("down", isDown)
  }

  /** Shows that a key sounds now. `quarter` is the length of a quarter note in milliseconds. */
  sound(index, quarter) {
    const key = this.keys[index]
    if (!key) return
    const duration = (quarter / 4) * LIFTED
    if (reducedMotion.matches) {
      key.classList.add("rings")
      setTimeout(() => key.classList.remove("rings"), duration)
      return
    }
    this.animate(key.querySelector(".picture"), quarter, duration)
  }

  /** The movement of the picture of a key that sounds. */
  animate(picture, quarter, duration) {
    picture.animate([{ transform: "translateY(-4px) scaleX(1.05)" }, { transform: "translateY(-4px) scaleX(1.05)", offset: 0.5 },
      { transform: "none" }], { duration, easing: "ease-out" })
  }

  /** Draws what moves, for a moment of performance.now(). Returns whether it needs a further frame. */
  frame() {
    return false
  }
}
