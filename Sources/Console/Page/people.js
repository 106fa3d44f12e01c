// The players: chips with sign, energy, name and instrument. They are in the place *Everyone*, and on wide screens also in a column beside
// *Play* and *Rhythm*.

import { create } from "./elements.js"
import { sharesOf } from "./energy-bar.js"
import { leaderOf } from "./leading.js"
import { createSign, hop, nameOf, setEnergy } from "./sign.js"
import { instrumentName, text } from "./strings.js"

/** Above these numbers of players, a chip shows no instrument, or only the sign. */
const [MANY, VERY_MANY] = [24, 60]
/** The limits of the words for the energy: below the first one it is low, from the second one on high. */
const LIMITS = [20, 60]

export class People {
  #root
  #context
  #open
  #last
  /** The chips by identity: {item, sign, energy}. */
  #chips = new Map()

  /**
   * @param open is called with the identity of a player whose chip was tapped.
   * @param last is the last item of the list, after the players; undefined if there is none.
   */
  constructor(root, context, open, last = undefined) {
    this.#last = last
    this.#root = root
    this.#context = context
    this.#open = open
    context.pulse.onBeat(() => this.#beat())
  }

  /** The players in the order of the display: this player, the leader, then by arrival. */
  get #players() {
    const { player, state } = this.#context
    const leader = leaderOf(state)?.identity
    const rank = ({ identity }) => (identity === player.identity ? 0 : identity === leader ? 1 : 2)
    return sharesOf(this.#context).sort((a, b) => rank(a) - rank(b))
  }

  render() {
    const { player, state } = this.#context
    if (!state.ensemble) return
    const players = this.#players
    const leader = leaderOf(state)?.identity
    const size = players.length > VERY_MANY ? "signs" : players.length > MANY ? "names" : "all"
    this.#root.dataset.size = size
    const identities = new Set(players.map(({ identity }) => identity))
    for (const identity of this.#chips.keys()) if (!identities.has(identity)) this.#chips.delete(identity)
    for (const row of players) {
      const isOwn = row.identity === player.identity
      const leads = row.identity === leader
      const instrument = this.#instrumentOf(row)
      const signature = JSON.stringify([row.name, row.sign, row.isMuted, isOwn, leads, instrument, document.documentElement.lang])
      const known = this.#chips.get(row.identity)
      if (known?.signature === signature) continue
      this.#chips.set(row.identity, this.#chip(row, { isOwn, leads, instrument, signature, item: known?.item }))
    }
    const items = [...players.map(({ identity }) => this.#chips.get(identity).item), ...(this.#last ? [this.#last] : [])]
    const isSame = items.length === this.#root.children.length && items.every((item, index) => item === this.#root.children[index])
    if (!isSame) {
      const focused = document.activeElement
      this.#root.replaceChildren(...items)
      if (focused && this.#root.contains(focused)) focused.focus()
    }
    this.update()
  }

  /** The name of the instrument of a player; an empty string if the page does not know it. */
  #instrumentOf({ program }) {
    const instrument = this.#context.instrument.choices.find((choice) => (program === 128 ? choice.drums.length > 0 : choice.program === program && choice.drums.length === 0))
    return instrument ? instrumentName(instrument) : ""
  }

  /** Creates a chip, or fills the item of an old one, whose button may have the focus. */
  #chip(row, { isOwn, leads, instrument, signature, item = create("li", {}, create("button", { type: "button" })) }) {
    const name = nameOf(row)
    const sign = createSign(row.sign, { name, leads, ring: true })
    const energy = create("span", { className: "hidden" })
    const notes = [isOwn && text("you"), row.isMuted && text("isMuted"), leads && text("leadsWord"), instrument || (row.kind === "local" && text("computer"))].filter(Boolean)
    const button = item.firstElementChild
    button.className = isOwn ? "chip mine" : "chip"
    button.dataset.player = row.identity
    button.onclick = () => this.#open(row.identity)
    button.replaceChildren(sign, create("b", { className: "name", textContent: name }),
      create("small", { textContent: notes.join(" · ") }), energy)
    return { item, sign, energy, signature }
  }

  /** Called after each frame `levels`. While a rhythm plays, the rings change on the beat. */
  update() {
    if (!this.#context.pulse.plays) this.#showEnergies()
  }

  #beat() {
    if (this.#root.offsetParent === null) return
    this.#showEnergies()
    for (const { sign } of this.#chips.values()) hop(sign, Number(sign.dataset.energy), this.#context.pulse.quarter)
  }

  #showEnergies() {
    for (const row of sharesOf(this.#context)) {
      const chip = this.#chips.get(row.identity)
      if (!chip) continue
      setEnergy(chip.sign, row.energy)
      const words = text(row.energy < LIMITS[0] ? "energyLow" : row.energy < LIMITS[1] ? "energyMiddle" : "energyHigh")
      if (chip.energy.textContent !== words) chip.energy.textContent = words
    }
  }
}
