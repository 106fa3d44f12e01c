// What one peer takes from another, below the picture *Who hears whom*: two menus with the peers, and the four gates of the pair. The gates
// of the peer of the page are switches if the page may lead. All other gates are text.

import { create } from "./elements.js"
import { GATES, gatesFor } from "./gates.js"
import { createIcon } from "./icons.js"
import { nameOf } from "./sign.js"
import { text } from "./strings.js"

const element = (id) => document.getElementById(id)

export class PairGates {
  #context
  #from = element("pair-from")
  #to = element("pair-to")
  #pair = {}
  /** What the list of gates and the menus show, as texts. */
  #list = ""
  #names = ""

  /** @param choose is called with the identities {from, to} that the player has chosen. */
  constructor(context, choose) {
    this.#context = context
    for (const select of [this.#from, this.#to]) {
      select.addEventListener("change", () => {
        const [from, to] = [this.#from.value, this.#to.value]
        // A peer takes nothing from itself. The other peer then takes the former place.
        if (from !== to) choose({ from, to })
        else choose(select === this.#from ? { from, to: this.#pair.from } : { from: this.#pair.to, to })
      })
    }
  }

  render(peers, from, to) {
    const { connection, state: { ensemble } } = this.#context
    this.#pair = { from, to }
    const names = peers.map((peer) => [peer.identity, nameOf(peer)])
    this.#renderMenus(names)
    const nameOfPeer = (identity) => names.find(([each]) => each === identity)?.[1] ?? ""
    const title = text("takesFrom", { to: nameOfPeer(to), from: nameOfPeer(from) })
    if (element("pair-title").textContent !== title) element("pair-title").textContent = title
    const open = gatesFor(ensemble, from, to)
    const canSwitch = to === ensemble.identity && connection.state === "open" && connection.access === "lead"
    const kind = JSON.stringify([canSwitch, open === undefined, document.documentElement.lang])
    if (kind !== this.#list) {
      this.#list = kind
      element("pair-gates").replaceChildren(...Object.entries(GATES).map(([gate, key]) => this.#row(gate, text(key), canSwitch)))
    }
    for (const gate of Object.keys(GATES)) this.#show(gate, open?.includes(gate))
  }

  #renderMenus(names) {
    const signature = JSON.stringify(names)
    for (const [select, identity] of [[this.#from, this.#pair.from], [this.#to, this.#pair.to]]) {
      if (signature !== this.#names) select.replaceChildren(...names.map(([value, name]) => create("option", { value, textContent: name })))
      if (select.value !== identity) select.value = identity
    }
    this.#names = signature
  }

  #row(gate, name, canSwitch) {
    const attributes = { "data-gate": gate }
    if (!canSwitch) return create("p", { className: "gate", attributes }, create("span"), name, create("span", { className: "hidden" }))
    const box = create("input", { type: "checkbox", attributes: { role: "switch" } })
    box.addEventListener("change", () => {
      this.#context.connection.command({ do: "gate", peer: this.#pair.from, kind: gate, on: box.checked })
    })
    return create("label", { className: "switch", attributes }, box, create("i"), create("span", { textContent: name }))
  }

  /** Shows whether a gate is open; undefined if this is not known. */
  #show(gate, isOpen) {
    const row = element("pair-gates").querySelector(`[data-gate="${gate}"]`)
    if (row.matches("label")) {
      row.querySelector("input").checked = isOpen === true
      return
    }
    const state = isOpen === undefined ? "gateUnknown" : isOpen ? "gateOpen" : "gateClosed"
    const [mark, , words] = row.childNodes
    const wording = `: ${text(state)}`
    if (words.textContent === wording) return
    words.textContent = wording
    mark.className = isOpen ? "" : "shut"
    mark.replaceChildren(...(isOpen === undefined ? ["?"] : [createIcon(isOpen ? "dot" : "close")]))
  }
}
