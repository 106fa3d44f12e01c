// A ring that runs down while something waits.

import { reducedMotion } from "./frame-loop.js"
import { createSVG } from "./sign.js"

/** The radius of the ring in a square of 24 units, and its length. */
const RADIUS = 9
const AROUND = 2 * Math.PI * RADIUS
/** With reduced motion, the ring runs down in this number of jumps. */
const JUMPS = 6

/** A ring that has run down at `end`, a moment of performance.now(), and began to do so `total` milliseconds before. */
export function createCountdown(total, end) {
  const circle = (className) => createSVG("circle", { class: className, cx: 12, cy: 12, r: RADIUS })
  const arc = circle("arc")
  arc.setAttribute("stroke-dasharray", `${AROUND} ${AROUND}`)
  const ring = createSVG("svg", { class: "countdown", viewBox: "0 0 24 24", "aria-hidden": "true" }, circle("whole"), arc)
  const animation = arc.animate([{ strokeDashoffset: 0 }, { strokeDashoffset: AROUND }], {
    duration: total, fill: "both", easing: reducedMotion.matches ? `steps(${JUMPS})` : "linear",
  })
  animation.currentTime = Math.min(total, Math.max(0, total - (end - performance.now())))
  return ring
}
