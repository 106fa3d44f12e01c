// Draws the signs of the players. A sign is a shape in a colour, by which children recognise each other without reading.

const SVG = "http://www.w3.org/2000/svg"
/** Yellow, blue, pink, green, violet, turquoise, lime, apricot. */
const COLOURS = ["#ffd03d", "#5bb8ff", "#ff8fc8", "#56d38b", "#b69cff", "#43d9d0", "#bfe04f", "#ffb38a"]
/** The outlines in a square of 24 units: star, circle, square, triangle, clover, hexagon, diamond, plus. */
const SHAPES = [
  "M12 1.5 15.1 8.4 22.7 9.2 17 14.3 18.6 21.8 12 18 5.4 21.8 7 14.3 1.3 9.2 8.9 8.4Z",
  "M2 12A10 10 0 1 1 22 12A10 10 0 1 1 2 12Z",
  "M3 3H21V21H3Z",
  "M12 2 22.5 21H1.5Z",
  "M12 7.5A4.5 4.5 0 1 1 16.5 12A4.5 4.5 0 1 1 12 16.5A4.5 4.5 0 1 1 7.5 12A4.5 4.5 0 1 1 12 7.5Z",
  "M12 1.5 21.1 6.75V17.25L12 22.5 2.9 17.25V6.75Z",
  "M12 1 21 12 12 23 3 12Z",
  "M8.5 2H15.5V8.5H22V15.5H15.5V22H8.5V15.5H2V8.5H8.5Z",
]

function createSVG(tag, attributes) {
  const created = document.createElementNS(SVG, tag)
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value)
  return created
}

/** The sign with a number 0...63, as an SVG image. Screen readers do not read it, because the name of the player is next to it. */
export function createSign(number) {
  const image = createSVG("svg", { class: "sign", viewBox: "0 0 24 24", "aria-hidden": "true", "data-sign": number })
  const shape = SHAPES[(number + Math.floor(number / 8)) % 8]
  image.append(createSVG("path", { d: shape, fill: COLOURS[number % 8], stroke: "currentColor", "stroke-linejoin": "round" }))
  return image
}
