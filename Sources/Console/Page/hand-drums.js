// Draws eight hand drums, the lowest and largest in front. They are packed into any form of surface.
//
// The packing: each drum begins at its place on a plan, a wide one or a tall one, so the same drum is always at about the same place. Then
// the drums push each other apart, and the edges push them back, until nothing overlaps. The largest common scale for which this succeeds
// is found by bisection.

import { Drawing, createSVG, place } from "./drawing.js"
import { create } from "./elements.js"

/** The relative radii, from the lowest drum to the highest. */
const SIZES = [1.5, 1.38, 1.2, 1.1, 1, 0.94, 0.88, 0.84]
/** The plans: the middle of each drum as shares of the width and the height. */
const TALL = [[0.28, 0.84], [0.75, 0.84], [0.25, 0.52], [0.7, 0.54], [0.2, 0.2], [0.55, 0.3], [0.85, 0.3], [0.7, 0.08]]
const WIDE = [[0.15, 0.6], [0.4, 0.68], [0.64, 0.7], [0.88, 0.68], [0.3, 0.2], [0.52, 0.2], [0.72, 0.2], [0.9, 0.2]]
/** The gap between two drums, and between a drum and the edge, in pixels. */
const GAP = 6
/** The rounds of pushing, and of the bisection. */
const [PUSHES, HALVINGS] = [200, 11]

/** The circles {x, y, radius} of the drums in a box. */
export function packed({ width, height }) {
  const plan = width > height ? WIDE : TALL
  const attempt = (scale) => {
    const circles = plan.map(([x, y], index) => ({ x: x * width, y: y * height, radius: SIZES[index] * scale }))
    let overlap
    for (let round = 0; round < PUSHES; round += 1) {
      overlap = 0
      circles.forEach((a, index) => {
        for (const b of circles.slice(index + 1)) {
          const [dx, dy] = [b.x - a.x, b.y - a.y]
          const distance = Math.hypot(dx, dy) || 1
          const lack = a.radius + b.radius + GAP - distance
          if (lack <= 0) continue
          overlap = Math.max(overlap, lack)
          const push = lack / distance / 2
          a.x -= dx * push
          a.y -= dy * push
          b.x += dx * push
          b.y += dy * push
        }
      })
      for (const circle of circles) {
        const edge = circle.radius + GAP
        circle.x = Math.min(Math.max(circle.x, edge), width - edge)
        circle.y = Math.min(Math.max(circle.y, edge), height - edge)
      }
      if (overlap < 0.5) return circles
    }
    return overlap < 2 ? circles : undefined
  }
  let [low, high] = [8, Math.max(width, height) / 3]
  let best = attempt(low) ?? []
  for (let n = 0; n < HALVINGS; n += 1) {
    const scale = (low + high) / 2
    const circles = attempt(scale)
    if (circles) [best, low] = [circles, scale]
    else high = scale
  }
  return best
}

export class HandDrums extends Drawing {
  noun = "drum"
  className = "drums"
  #circles = []

  draw() {
    this.#circles = packed(this.box)
    const cells = this.#circles.map(({ x, y, radius }) => ({ x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius }))
    this.addKeys(cells, () => {
      const lugs = Array.from({ length: 8 }, (_, n) => {
        const angle = ((n + 0.5) * Math.PI) / 4
        return createSVG("circle", { cx: 50 + 45.5 * Math.cos(angle), cy: 50 + 45.5 * Math.sin(angle), r: 2 })
      })
      return [createSVG("svg", { class: "lugs", viewBox: "0 0 100 100", "aria-hidden": "true" }, ...lugs), create("i", { className: "picture skin" })]
    })
    return this.keys
  }

  /** The drum whose edge is nearest to a point. */
  keyAt(x, y) {
    const distances = this.#circles.map((circle) => Math.hypot(circle.x - x, circle.y - y) - circle.radius)
    return Math.max(0, distances.indexOf(Math.min(...distances)))
  }

  animate(picture, quarter, duration) {
    picture.animate([{ transform: "scale(1.06)" }, { transform: "none" }], { duration, easing: "ease-out" })
  }
}
