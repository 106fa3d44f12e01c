// Draws the signs of the players. A sign is a shape in a colour, by which children recognise each other without reading.

import { create } from "./elements.js"
import { reducedMotion } from "./frame-loop.js"
import { createIcon } from "./icons.js"
import { text } from "./strings.js"

const SVG = "http://www.w3.org/2000/svg"
/** The names of the colours and of the shapes, as the peer uses them for the names of players, by their numbers. */
const COLOURS = ["Yellow", "Blue", "Pink", "Green", "Violet", "Turquoise", "Lime", "Apricot"]
const SHAPE_NAMES = ["Star", "Circle", "Square", "Triangle", "Clover", "Hexagon", "Diamond", "Plus"]
/** The outlines in a square of 24 units: star, circle, square, triangle, clover, hexagon, diamond, plus. */
const SHAPES = [
  "M12 3 14.8 8.4 20.8 9.4 16.5 13.7 17.4 19.7 12 16.9 6.6 19.7 7.5 13.7 3.2 9.4 9.2 8.4Z",
  "M3 12A9 9 0 1 1 21 12A9 9 0 1 1 3 12Z",
  "M4.5 4.5H19.5V19.5H4.5Z",
  "M12 4 20.5 19H3.5Z",
  "M12 5.5A4.9 4.9 0 0 1 18.5 12A4.9 4.9 0 0 1 12 18.5A4.9 4.9 0 0 1 5.5 12A4.9 4.9 0 0 1 12 5.5Z",
  "M12 3 20 7.5V16.5L12 21 4 16.5V7.5Z",
  "M12 2.5 21 12 12 21.5 3 12Z",
  "M8.5 4H15.5V8.5H20V15.5H15.5V20H8.5V15.5H4V8.5H8.5Z",
]
/** The corners of a shape are round: a line of this width in the colour of the shape surrounds it. The outline is wider. */
const [ROUND, OUTLINE] = [2.6, 4.8]
/** The radius of the ring of energy, in a square of 100 units, and its length. */
const RADIUS = 46
const AROUND = 2 * Math.PI * RADIUS

const shapeOf = (number) => (number + Math.floor(number / 8)) % 8

/** The colour of a sign, as a value for a custom property. */
export const colourOf = (number) => `var(--p${(number % 8) + 1})`

/** Creates an SVG element with attributes and children. Strings become text. */
export function createSVG(tag, attributes, ...children) {
  const created = document.createElementNS(SVG, tag)
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value)
  created.append(...children)
  return created
}

/** The paths of the shape of a sign, filled with a colour, in a square of 24 units. */
export function shapePaths(number, fill) {
  const d = SHAPES[shapeOf(number)]
  const path = (className, colour, width) => createSVG(
    "path", { class: className, d, fill: colour, stroke: colour, "stroke-width": width, "stroke-linejoin": "round" })
  return [path("outline", "var(--edge)", OUTLINE), path("", fill, ROUND)]
}

/** The shape of a sign alone, filled with a colour. */
export function createShape(number, fill = "var(--c)") {
  return createSVG("svg", { class: "shape", viewBox: "0 0 24 24", "aria-hidden": "true" }, ...shapePaths(number, fill))
}

/**
 * The sign with a number 0...63. Screen readers do not read it, because the name of the player is next to it. `name`: its first letter is
 * written on the sign. `leads`: with a baton. `ring`: with a ring of energy, for `setEnergy`.
 */
export function createSign(number, { name = "", leads = false, ring = false } = {}) {
  const sign = create("span", { className: "sign", attributes: { "aria-hidden": "true", "data-sign": number } })
  sign.style.setProperty("--c", colourOf(number))
  const body = create("span", { className: "body" }, createShape(number))
  if (name) body.append(create("b", { className: shapeOf(number) === 3 ? "low" : "", textContent: [...name][0].toUpperCase() }))
  sign.append(body)
  if (ring) {
    const circle = (className) => createSVG("circle", { class: className, cx: 50, cy: 50, r: RADIUS })
    sign.prepend(createSVG("svg", { class: "ring", viewBox: "0 0 100 100" }, circle("whole"), circle("edge"), circle("arc")))
  }
  if (leads) sign.append(create("span", { className: "baton" }, createIcon("baton")))
  return sign
}

/** Shows an energy of 0...127 in the ring of a sign. */
export function setEnergy(sign, energy) {
  if (sign.dataset.energy === String(energy)) return
  sign.dataset.energy = String(energy)
  const length = (Math.min(energy, 127) / 127) * AROUND
  for (const circle of sign.querySelectorAll(".edge, .arc")) circle.setAttribute("stroke-dasharray", `${length.toFixed(1)} ${AROUND}`)
  sign.classList.toggle("silent", energy < 1)
}

/** Lets a sign hop once, the higher the energy. `quarter` is the length of a quarter note in milliseconds. */
export function hop(sign, energy, quarter) {
  if (energy < 1 || reducedMotion.matches) return
  const height = Math.min(18, 3 + energy / 5)
  sign.querySelector(".body").animate(
    [{ transform: "none" }, { transform: `translateY(${-height}px)`, offset: 0.3 }, { transform: "none" }],
    { duration: quarter * 0.6, easing: "ease-out" })
}

/** The name of a sign in the present language. */
export const signName = (number) => text(`shape-${shapeOf(number)}`, { colour: text(`colour-${number % 8}`) })

/** The name of a player for a display. A player without a name of its own has the English name of the sign, which is translated here. */
export function nameOf({ name, sign }) {
  return name === `${COLOURS[sign % 8]} ${SHAPE_NAMES[shapeOf(sign)]}` ? signName(sign) : name
}
