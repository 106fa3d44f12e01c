// Draws the vibraphone: bars of metal, each with a fan below that turns while the rhythm plays.

import { place } from "./drawing.js"
import { create } from "./elements.js"
import { reducedMotion } from "./frame-loop.js"
import { Marimba } from "./marimba.js"

/** A fan turns by this angle per quarter note, in degrees. */
const TURN = 180
/** Above this tempo in quarter notes per minute, the fans turn at half the speed. */
const FAST = 180

export class Vibraphone extends Marimba {
  className = "marimba metal"
  usable = 0.86
  #fans = []

  picture(index, cell) {
    const size = Math.min(cell.width * 0.6, cell.height * 0.12, 48)
    const fan = create("i", { className: "fan" }, create("u"))
    place(fan, { x: (cell.width - size) / 2, y: cell.height * 0.985 - size, width: size, height: size })
    this.#fans[index] = fan.firstChild
    return [...super.picture(index, cell), fan]
  }

  frame(moment, pulse) {
    const position = pulse.at(moment)
    if (!position || reducedMotion.matches) return false
    const speed = 60_000 / pulse.quarter > FAST ? TURN / 2 : TURN
    const angle = ((position.tick / 24) * speed) % 360
    for (const fan of this.#fans) fan.style.setProperty("transform", `rotate(${angle.toFixed(1)}deg)`)
    return true
  }
}
