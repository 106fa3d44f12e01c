// The sheet of a player: play together, what this peer takes from the player's peer, mute, ask to lead, and numbers. The sheet *You* has the
// name and the sign of this player.

import { canAsk } from "./asking.js"
import { create } from "./elements.js"
import { GATES } from "./gates.js"
import { leadOf, masterOf } from "./leading.js"
import { openSheet } from "./sheet.js"
import { createSign, nameOf, setEnergy, signName } from "./sign.js"
import { text } from "./strings.js"

const element = (id) => document.getElementById(id)

/** The number of signs from which a player can choose, the own one included. */
const SIGNS = 8

export class PersonSheet {
  #context
  /** The identity of the player who is shown. */
  #identity
  #signs = ""

  constructor(context) {
    this.#context = context
    const { connection, player } = context
    element("player-name").value = player.name
    element("player-name").addEventListener("change", ({ target }) => {
      player.setName(target.value)
      context.render()
    })
    element("person-with").addEventListener("click", () => {
      element("person-sheet").close()
      context.partner.choose(this.#identity)
      openSheet("playing-sheet")
    })
    element("person-mute").addEventListener("click", () => {
      connection.command({ do: "mute", peer: this.#identity, on: element("person-mute").getAttribute("aria-pressed") !== "true" })
    })
    element("person-offer").addEventListener("click", () => {
      connection.command({ do: "offer", peer: this.#identity })
      context.announce(text("asked", { name: element("person-title").textContent }))
      element("person-sheet").close()
    })
    for (const gate of Object.keys(GATES)) {
      element(`gate-${gate}`).addEventListener("change", ({ target }) => {
        connection.command({ do: "gate", peer: this.#identity, kind: gate, on: target.checked })
      })
    }
  }

  open(identity) {
    if (identity === this.#context.player.identity) return openSheet("you-sheet")
    this.#identity = identity
    this.render()
    return openSheet("person-sheet")
  }

  render() {
    this.#renderYou()
    const { ensemble, levels } = this.#context.state
    const index = ensemble?.players.findIndex(({ identity }) => identity === this.#identity) ?? -1
    if (index < 0) {
      element("person-sheet").close()
      return
    }
    const row = ensemble.players[index]
    const name = nameOf(row)
    const lead = leadOf(this.#context)
    element("person-title").textContent = name
    const sign = createSign(row.sign, { name, ring: true })
    setEnergy(sign, levels?.energies[index] ?? 0)
    element("person-sign").replaceChildren(sign)
    element("person-with").textContent = text("playWithName", { name })
    element("person-with").hidden = !this.#context.player.hasJoined
    // The peer of the player, if this is its local player. Only this peer has gates, and only it can lead.
    const member = ensemble.members.find((each) => each.identity === row.identity)
    element("person-gates").hidden = !member || this.#context.connection.access !== "lead"
    element("person-gates-title").textContent = text("takeFrom", { name })
    for (const [gate, key] of Object.entries(GATES)) {
      element(`gate-${gate}`).checked = member?.gates.includes(gate) ?? false
      element(`gate-${gate}-name`).textContent = text(key)
    }
    element("person-mute").hidden = lead !== "leads" || row.identity === ensemble.identity
    element("person-mute").setAttribute("aria-pressed", String(row.isMuted === true))
    element("person-offer").hidden = lead !== "leads" || !member
    element("person-ask").hidden = !canAsk(this.#context) || row.identity !== masterOf(ensemble)
    this.#renderNumbers(row, ensemble, levels)
  }

  #renderNumbers({ identity, channel }, ensemble, levels) {
    const member = levels?.members.find((each) => each.identity === identity)
    const lost = identity === ensemble.identity ? levels?.lostTicks : undefined
    const error = member?.offset === undefined ? undefined : (member.uncertainty / 1000).toFixed(3)
    // A small negative number would be shown as -0.000.
    const offset = member?.offset === undefined ? undefined : (Math.round(member.offset / 1000) / 1000 || 0).toFixed(3)
    const numbers = [
      ["channel", channel ?? text("none")], ["clock", error === undefined ? text("none") : text("clockValue", { offset, error })],
      ["lostTicks", lost ?? text("none")],
    ]
    element("person-numbers").replaceChildren(...numbers.flatMap(([key, value]) => [
      create("dt", { textContent: text(key) }), create("dd", { textContent: String(value) })]))
  }

  #renderYou() {
    const { player } = this.#context
    element("player-name").placeholder = signName(player.sign)
    const free = player.freeSigns(SIGNS).filter((sign) => sign !== player.sign)
    const signs = [player.sign, ...free.slice(0, SIGNS - 1)].sort((a, b) => a - b)
    const signature = JSON.stringify([signs, player.sign, document.documentElement.lang])
    if (signature === this.#signs) return
    this.#signs = signature
    const focused = element("signs").contains(document.activeElement) ? document.activeElement.value : undefined
    element("signs").replaceChildren(element("signs").querySelector("legend"), ...signs.map((sign) => {
      const radio = create("input", { type: "radio", name: "sign", value: sign, checked: sign === player.sign, attributes: { "aria-label": signName(sign) } })
      radio.addEventListener("change", () => {
        player.setSign(sign)
        this.#context.render()
      })
      return create("label", { className: "mate" }, radio, createSign(sign))
    }))
    if (focused !== undefined) element("signs").querySelector(`input[value="${focused}"]`)?.focus()
  }
}
