// The energy bar: what each player gives, as a stack of shares in the colours of the players, the own share first. Ticks below the bar are
// the thresholds of the layers of the rhythm.
//
// Each share is a full bar, moved to the left so far that it ends where its share ends. The shares lie on each other, the own one on top, so
// each one is seen from the end of the share before it. Only `transform` changes, so nothing is laid out.

import { create } from "./elements.js"
import { onEachFrame, wakeFrames } from "./frame-loop.js"
import { colourOf, createShape } from "./sign.js"
import { text } from "./strings.js"

/** The largest energy, of a player and of all together. */
const MAXIMUM = 127
/** A touch moves the own energy by this share towards its strength. The peer computes the exact energy. */
const RISE = 0.5

/** The players with their energies, the own player first. */
export function sharesOf({ player, state }) {
  const energies = state.levels?.energies ?? []
  const players = (state.ensemble?.players ?? []).map((row, index) => ({ ...row, energy: row.isMuted ? 0 : energies[index] ?? 0 }))
  const isOwn = ({ identity }) => identity === player.identity
  return [...players.filter(isOwn), ...players.filter((row) => !isOwn(row))]
}

/** The ends of the shares on a bar of the length 1, by the rule of the total. */
export function endsOf(shares, rule) {
  const energies = shares.map(({ energy }) => energy)
  const sum = energies.reduce((total, energy) => total + energy, 0)
  const greatest = Math.max(0, ...energies)
  let end = 0
  return energies.map((energy, index) => {
    if (rule === "maximum") end += energy === greatest && energies.indexOf(greatest) === index ? energy / MAXIMUM : 0
    else if (rule === "mean") end += energy / (MAXIMUM * energies.length)
    else end += energy / Math.max(MAXIMUM, sum)
    return end
  })
}

export class EnergyBar {
  #root
  #context
  #track = create("div", { className: "track" })
  #ticks = create("div", { className: "ticks" })
  #own = create("i", { className: "own" })
  /** The bars of the players, by identity, and the shares that are shown. */
  #bars = new Map()
  #shares = []
  #sign
  /** The total at which the ticks were drawn last, and the thresholds of the layers. */
  #reached
  #thresholds = []

  constructor(root, context) {
    this.#root = root
    this.#context = context
    root.append(this.#track, this.#ticks, this.#own)
    context.pulse.onBeat(() => this.#adopt())
    onEachFrame((moment) => this.#drawTicks(moment))
  }

  /** Called after each frame `levels` or `ensemble`. While a rhythm plays, the shares of the others move on the beat. */
  update() {
    if (!this.#context.pulse.plays) this.#adopt()
    const total = this.#context.state.levels?.total ?? 0
    this.#root.setAttribute("aria-valuenow", total)
    this.#root.setAttribute("aria-valuetext", text("energyShare", { percent: Math.round((total / MAXIMUM) * 100) }))
    if (total !== this.#reached) wakeFrames()
  }

  /** Draws the thresholds of the newest patch. */
  render() {
    this.#root.setAttribute("aria-label", text("energyOfAll"))
    const layers = this.#context.rhythm.patch?.layers ?? []
    this.#thresholds = [...new Set(layers.map(({ from }) => from))].filter((from) => from > 0)
    this.#ticks.replaceChildren(...this.#thresholds.map((from) => {
      const tick = create("i")
      tick.style.setProperty("left", `${(from / MAXIMUM) * 100}%`)
      return tick
    }))
    this.#reached = undefined
    this.update()
  }

  /** The share of this player grows in the frame of the touch. The peer does not know the touch yet. */
  play(strength) {
    const own = this.#shares.find(({ identity }) => identity === this.#context.player.identity)
    if (!own || own.isMuted) return
    own.energy += Math.max(0, strength * MAXIMUM - own.energy) * RISE
    this.#draw()
  }

  #adopt() {
    this.#shares = sharesOf(this.#context)
    const identities = new Set(this.#shares.map(({ identity }) => identity))
    for (const [identity, bar] of this.#bars) {
      if (identities.has(identity)) continue
      bar.remove()
      this.#bars.delete(identity)
    }
    for (const { identity, sign } of this.#shares) {
      if (!this.#bars.has(identity)) this.#bars.set(identity, create("i"))
      this.#bars.get(identity).style.setProperty("--c", colourOf(sign))
    }
    // The first share is on top, so it is the last child.
    const bars = this.#shares.map(({ identity }) => this.#bars.get(identity)).reverse()
    if (bars.some((bar, index) => bar !== this.#track.children[index])) this.#track.replaceChildren(...bars)
    const { sign } = this.#context.player
    if (sign !== this.#sign) {
      this.#sign = sign
      this.#own.style.setProperty("--c", colourOf(sign))
      this.#own.replaceChildren(createShape(sign))
    }
    this.#draw()
  }

  #draw() {
    const ends = endsOf(this.#shares, this.#context.state.ensemble?.totalRule)
    this.#shares.forEach(({ identity }, index) => {
      const end = ends[index] - (ends[index - 1] ?? 0) < 0.002 ? -0.01 : ends[index]
      this.#bars.get(identity)?.style.setProperty("transform", `translateX(${((end - 1) * 100).toFixed(2)}%)`)
    })
  }

  /** A tick changes on the beat on which its layer enters or leaves. */
  #drawTicks(moment) {
    const { pulse, rhythm, state } = this.#context
    const position = pulse.at(moment)
    const total = position ? rhythm.schedule.intensityAt(Math.floor(position.tick)) : state.levels?.total ?? 0
    if (total !== this.#reached) {
      this.#reached = total
      this.#thresholds.forEach((from, index) => this.#ticks.children[index].classList.toggle("reached", from <= total))
    }
    return pulse.plays
  }
}
