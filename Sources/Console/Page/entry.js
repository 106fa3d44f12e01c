// The entry: who plays here, and the large button *Join* with the sign of this player. The connection is open already, so the beat row runs
// and the signs of the others hop. Only the sound needs the touch.

import { createCountdown } from "./countdown.js"
import { create } from "./elements.js"
import { sharesOf } from "./energy-bar.js"
import { leaderOf } from "./leading.js"
import { colourOf, createShape, createSign, hop, nameOf, setEnergy, signName } from "./sign.js"
import { text } from "./strings.js"

const element = (id) => document.getElementById(id)

/** After too many wrong codes, the page tries again after this time, in milliseconds (LIMITED_INTERVAL in connection.js). */
const WAIT = 30_000
/** The largest number of signs and of names on the entry. */
const [SIGNS, NAMES] = [24, 2]

export class Entry {
  #context
  #signs = []
  #shown = ""

  constructor(context) {
    this.#context = context
    context.pulse.onBeat(() => this.#hop())
    context.connection.addEventListener("state", ({ detail }) => {
      if (detail === "limited") element("entry-wait").replaceChildren(createCountdown(WAIT, performance.now() + WAIT))
    })
  }

  /** Shows the entry, or the session. */
  show(isShown) {
    element("entry").hidden = !isShown
    element("session").hidden = isShown
  }

  get isShown() {
    return !element("entry").hidden
  }

  /** The problem of the connection that prevents *Join*; undefined if there is none. */
  get #problem() {
    return { refused: "refusedText", limited: "limitedText" }[this.#context.connection.state]
  }

  render() {
    const { player } = this.#context
    const problem = this.#problem
    const { sign } = player
    const signature = JSON.stringify([sign, player.name, document.documentElement.lang])
    if (signature !== this.#shown) {
      this.#shown = signature
      element("join-sign").replaceChildren(createShape(sign, "var(--white)"))
      element("own-name").replaceChildren(createSign(sign), create("span", { textContent: player.name || signName(sign) }))
      document.documentElement.style.setProperty("--me", colourOf(sign))
    }
    element("join").hidden = this.#context.connection.state === "limited"
    element("join-word").textContent = text(problem ? "scanAgain" : "join")
    element("join").disabled = problem !== undefined
    element("entry-problem").textContent = problem ? text(problem) : ""
    element("entry-wait").hidden = this.#context.connection.state !== "limited"
    this.#renderPeople(problem !== undefined)
  }

  #renderPeople(isHidden) {
    const { player, state } = this.#context
    const others = sharesOf(this.#context).filter(({ identity }) => identity !== player.identity)
    const leader = leaderOf(state)
    const stage = element("stage")
    stage.hidden = isHidden
    element("people").hidden = isHidden
    const rows = others.slice(0, SIGNS)
    const signature = JSON.stringify(rows.map(({ identity, sign, name }) => [identity, sign, name, identity === leader?.identity]))
    if (stage.dataset.signature !== signature) {
      stage.dataset.signature = signature
      this.#signs = rows.map(({ identity, sign, name }) => ({
        identity, sign: createSign(sign, { name: nameOf({ name, sign }), leads: identity === leader?.identity, ring: true }),
      }))
      stage.replaceChildren(...this.#signs.map(({ sign }) => sign))
    }
    this.update()
    const names = others.slice(0, NAMES).map(nameOf)
    const key = !state.ensemble ? "connecting" : others.length === 0 ? "nobodyYet" : others.length === 1 ? "onePlays"
      : others.length === 2 ? "twoPlay" : others.length === 3 ? "threePlay" : "manyPlay"
    const line = text(key, { first: names[0], second: names[1], count: others.length - 2 })
    if (element("people").textContent !== line) element("people").textContent = line
  }

  /** Shows the energies of the others. */
  update() {
    if (!this.isShown) return
    const shares = sharesOf(this.#context)
    for (const { identity, sign } of this.#signs) setEnergy(sign, shares.find((row) => row.identity === identity)?.energy ?? 0)
  }

  #hop() {
    if (!this.isShown) return
    for (const { sign } of this.#signs) hop(sign, Number(sign.dataset.energy), this.#context.pulse.quarter)
  }
}
