// The card *Also in this network* of the place *Everyone*: the devices on the network to which the peer can connect, and who may come in. Only a
// page that may lead has the controls.

import { create } from "./elements.js"
import { text } from "./strings.js"

const element = (id) => document.getElementById(id)

export class ConnectionsView {
  #context
  /** The rows of the list of hosts, by name. */
  #rows = new Map()

  constructor(context) {
    this.#context = context
    element("policy").addEventListener("change", ({ target }) => {
      context.connection.command({ do: "policy", who: target.value })
    })
    // While the menu of policies has the focus, it shows the player's choice. Afterwards, it shows the policy of the peer.
    element("policy").addEventListener("blur", () => this.render())
  }

  render() {
    const { connection, state: { ensemble } } = this.#context
    const mayLead = connection.state === "open" && connection.access === "lead"
    element("who").hidden = !mayLead
    if (!ensemble) return
    const select = element("policy")
    const contacts = select.querySelector("[value=contacts]")
    contacts.disabled = !ensemble.hasContacts
    contacts.textContent = text(ensemble.hasContacts ? "policyContacts" : "policyNoContacts")
    if (document.activeElement !== select) select.value = ensemble.policy
    this.#renderHosts(ensemble, mayLead)
  }

  /** Updates the list of hosts. The row of a host stays the same element, so that its button keeps the focus. */
  #renderHosts({ hosts, furtherHosts }, mayLead) {
    const note = !hosts ? text("hostsOff") : hosts.length === 0 ? text("hostsNone")
      : furtherHosts > 0 ? text("hostsFurther", { count: furtherHosts }) : text("hostsFound")
    if (element("hosts-note").textContent !== note) element("hosts-note").textContent = note
    const list = element("hosts")
    list.hidden = !hosts?.length
    const names = new Set(hosts?.map(({ name }) => name))
    const focused = [...list.children].findIndex((row) => row.contains(document.activeElement))
    let isFocusLost = false
    for (const [name, { row }] of this.#rows) {
      if (names.has(name)) continue
      isFocusLost ||= row === list.children[focused]
      this.#rows.delete(name)
    }
    const kept = new Set([...this.#rows.values()].map(({ row }) => row))
    for (const row of [...list.children]) if (!kept.has(row)) row.remove()
    hosts?.forEach((host, index) => {
      if (!this.#rows.has(host.name)) this.#rows.set(host.name, this.#row(host.name))
      const cells = this.#rows.get(host.name)
      this.#renderHost(cells, host, mayLead)
      if (list.children[index] !== cells.row) list.insertBefore(cells.row, list.children[index] ?? null)
    })
    // The host with the focused button has left the list. The button of the host that is now in its place gets the focus, or the button of
    // the last host. Without a button there, the heading gets the focus.
    if (isFocusLost) {
      const next = list.children[Math.min(focused, list.children.length - 1)]?.querySelector("button:not([hidden])")
      ;(next ?? element("connections-title")).focus()
    }
  }

  #renderHost({ kind, button }, { name, isTuttiPeer, isInvited }, mayLead) {
    const set = (target, value) => { if (target.textContent !== value) target.textContent = value }
    set(kind, text(isTuttiPeer ? "hostTutti" : "hostDevice"))
    set(button, text(isInvited ? "hostInvited" : "connect"))
    button.setAttribute("aria-label", isInvited ? `${name}: ${text("hostInvited")}` : text("connectName", { name }))
    // While the peer invites the host, the button has no effect, but keeps the focus.
    button.setAttribute("aria-disabled", String(isInvited))
    button.hidden = !mayLead
  }

  /** Creates the row of a host. */
  #row(name) {
    const { connection, announce } = this.#context
    const kind = create("span", { className: "kind" })
    const button = create("button", { type: "button" })
    button.addEventListener("click", () => {
      if (button.getAttribute("aria-disabled") === "true") return
      connection.command({ do: "connect", host: name })
      announce(text("hostInvitedName", { name }))
    })
    const row = create("li", {}, create("span", { className: "name", textContent: name }), kind, button)
    return { row, kind, button }
  }
}
