// The mallet of the instruments that play a figure: the sign of the player, in white. It hops from note to note and lands on each note
// exactly when it sounds. At rest, it nods on the beat.

import { create } from "./elements.js"
import { figureOf } from "./figures.js"
import { reducedMotion } from "./frame-loop.js"
import { createShape } from "./sign.js"

/** The largest height of a hop and of a nod, in pixels. */
const [HOP, NOD] = [90, 8]
/** A hop lasts at most this time, in milliseconds: the page does not know the notes of the figure earlier. */
const LONGEST = 200
/** Above this tempo in quarter notes per minute, the mallet nods on every second beat. */
const FAST = 180

export class Mallet {
  element = create("i", { className: "mallet", hidden: true, attributes: { "aria-hidden": "true" } })
  #context
  /** Is called with the key of each note of the figure when it sounds. */
  #sounds
  #drawing
  #sign
  /** The last note of the figure that has sounded: {tick, position, moment}. */
  #last

  constructor(context, sounds) {
    this.#context = context
    this.#sounds = sounds
  }

  /** Whether the figure sounds. */
  get isPlaying() {
    return this.#context.instrument.figure.isSounding
  }

  setDrawing(drawing) {
    this.#drawing = drawing
    this.#last = undefined
  }

  /** Moves the mallet. Returns whether it needs a further frame. */
  frame(moment) {
    const { instrument, pulse, player } = this.#context
    const isShown = instrument.instrument !== undefined && figureOf(instrument.instrument) !== undefined && pulse.plays
    if (this.element.hidden === isShown) this.element.hidden = !isShown
    if (!isShown || !this.#drawing?.keys.length) return false
    if (this.#sign !== player.sign) {
      this.#sign = player.sign
      this.element.replaceChildren(createShape(player.sign, "var(--white)"))
    }
    const next = this.#advance(moment)
    const { x, y } = this.isPlaying && this.#last ? this.#hopping(moment, next) : this.#resting(moment)
    this.element.style.setProperty("transform", `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`)
    return true
  }

  /** Lets the notes sound that are due. Returns the next note: {tick, position, moment}; undefined if it is not known. */
  #advance(moment) {
    const { connection, instrument } = this.#context
    const notes = instrument.figure.planned(-Infinity, Infinity)
      .map(({ tick, position, instant }) => ({ tick, position, moment: connection.moment(instant) }))
    for (const note of notes) {
      if (note.moment > moment) return note
      // Each new run of the rhythm counts its ticks from 0.
      const isNew = !this.#last || note.tick > this.#last.tick || note.moment > this.#last.moment + 2 * LONGEST
      if (!isNew) continue
      this.#last = note
      this.#sounds(Math.min(note.position, this.#drawing.keys.length - 1))
    }
    return undefined
  }

  #spot(position) {
    return this.#drawing.spot(Math.min(position, this.#drawing.keys.length - 1))
  }

  /** On the way from the last note to the next one, on a parabola. With reduced motion, the mallet stands on the key that sounds. */
  #hopping(moment, next) {
    const from = this.#spot(this.#last.position)
    if (!next || reducedMotion.matches) return from
    const to = this.#spot(next.position)
    const began = Math.max(this.#last.moment, next.moment - LONGEST)
    const share = Math.min(Math.max((moment - began) / (next.moment - began), 0), 1)
    const height = Math.min(HOP, (next.moment - began) / 3) * 4 * share * (1 - share)
    return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share - height }
  }

  #resting(moment) {
    const { pulse } = this.#context
    const { width, height } = this.#drawing.box
    const position = pulse.at(moment)
    const beats = position ? (position.tick / 24) * (60_000 / pulse.quarter > FAST ? 0.5 : 1) : 0
    const nod = reducedMotion.matches || !position ? 0 : NOD * Math.abs(Math.cos(beats * Math.PI))
    return { x: width / 2, y: height * 0.9 - nod }
  }
}
