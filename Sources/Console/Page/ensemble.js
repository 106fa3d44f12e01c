// The view of the tab *Ensemble*: the rhythm, the players, the sound of this device, and the messages of the peer.

import { create } from "./elements.js"
import { LeaderStrip } from "./leader-strip.js"
import { createSign } from "./sign.js"
import { StepGrid } from "./step-grid.js"
import { text } from "./strings.js"

const element = (id) => document.getElementById(id)

export class EnsembleView {
  #context
  #grid
  /** The number of the newest message that is shown. */
  #shownMessage = 0
  /** The `instance` in the frame `welcome` of the peer whose messages are shown: a random number, new after each start of the peer. */
  #instance
  /** The key of the text that shows the state of the sound. */
  #soundState
  /** The rows of the table of players, by identity. */
  #rows = new Map()

  constructor(context) {
    this.#context = context
    const { connection, audio, player } = context
    this.#grid = new StepGrid(element("grid"), context)
    element("patch").addEventListener("change", (event) => connection.command({ do: "patch", name: event.target.value }))
    element("rule").addEventListener("change", (event) => connection.command({ do: "total", rule: event.target.value }))
    element("player-name").value = player.name
    element("player-name").addEventListener("change", (event) => player.setName(event.target.value))
    element("activity").value = String(player.base ?? 0)
    element("activity-value").value = element("activity").value
    element("activity").addEventListener("input", (event) => {
      player.setBase(Number(event.target.value))
      element("activity-value").value = event.target.value
    })
    element("loudness").value = String(audio.loudness)
    element("loudness-value").value = `${audio.loudness} %`
    element("loudness").addEventListener("input", (event) => {
      audio.setLoudness(Number(event.target.value))
      element("loudness-value").value = `${event.target.value} %`
    })
    element("delay").addEventListener("change", (event) => {
      if (event.target.checkValidity()) audio.setDelay(event.target.valueAsNumber || 0)
    })
    element("sound-on").addEventListener("click", () => audio.start())
    connection.addEventListener("library", ({ detail }) => this.#renderLibrary(detail.rhythms))
    connection.addEventListener("welcome", ({ detail }) => this.#forgetMessages(detail.instance))
    connection.addEventListener("notices", ({ detail }) => this.#renderMessages(detail))
    connection.addEventListener("clock", () => this.renderSound())
  }

  render() {
    const { ensemble } = this.#context.state
    const reason = LeaderStrip.reason(this.#context)
    element("patch").disabled = reason !== undefined
    element("rule").disabled = this.#context.connection.access !== "lead"
    this.renderSound()
    if (!ensemble) return
    element("rule").value = ensemble.totalRule
    this.#selectPatch()
    this.#renderParts(ensemble, reason)
    this.#renderPlayers(ensemble)
    element("devices").textContent = ensemble.devices > 0 ? text("devices", { count: ensemble.devices }) : ""
    this.renderLevels()
  }

  #renderLibrary(names) {
    element("patch").replaceChildren(...names.map((name) => create("option", { value: name, textContent: name })))
    this.#selectPatch()
  }

  /** Selects the name of the patch that plays. If the patch is not in the library, the list gets an entry for its name. */
  #selectPatch() {
    const name = this.#context.state.ensemble?.patch
    if (name === undefined) return
    const select = element("patch")
    for (const option of select.querySelectorAll("[data-foreign]")) option.remove()
    if (![...select.options].some((option) => option.value === name)) {
      select.append(create("option", { value: name, textContent: name, attributes: { "data-foreign": "" } }))
    }
    if (document.activeElement !== select) select.value = name
  }

  renderPatch() {
    const { patch } = this.#context.rhythm
    if (!patch) return
    element("patch-description").textContent = patch.description
    this.#grid.render()
    this.renderLevels()
  }

  /** Shows a button and a slider for each part. `reason`: why the rhythm cannot be controlled here; undefined if it can. */
  #renderParts({ parts, role }, reason) {
    const names = { drums: "drums", bass: "bass", guitar: "guitarPart", keys: "keysPart" }
    const container = element("parts")
    const signature = JSON.stringify([parts.map(({ name }) => name), document.documentElement.lang])
    if (container.dataset.signature !== signature) {
      container.dataset.signature = signature
      container.replaceChildren(
        ...parts.map(({ name }) => {
          const label = text(names[name])
          const button = create("button", {
            type: "button", textContent: label, attributes: { "aria-describedby": "reason" },
          })
          const slider = create("input", {
            type: "range", min: "0", max: "100", step: "5",
            attributes: { "aria-label": text("partLevel", { part: label }), "aria-describedby": "reason" },
          })
          const output = create("output")
          button.addEventListener("click", () => {
            this.#context.connection.command({ do: "plays", part: name, on: button.getAttribute("aria-pressed") !== "true" })
          })
          slider.addEventListener("input", () => { output.value = `${slider.value} %` })
          slider.addEventListener("change", () => {
            this.#context.connection.command({ do: "level", part: name, percent: Number(slider.value) })
          })
          return create("div", { className: "part", attributes: { "data-part": name, role: "group", "aria-label": label } },
            button, slider, output)
        }))
    }
    const isDisabled = reason !== undefined || role !== "master"
    for (const { name, percent, plays } of parts) {
      const [button, slider, output] = container.querySelector(`[data-part="${name}"]`).children
      button.setAttribute("aria-pressed", String(plays))
      button.disabled = isDisabled
      slider.disabled = isDisabled
      if (document.activeElement !== slider) {
        slider.value = String(percent)
        output.value = `${percent} %`
      }
    }
    container.title = isDisabled ? (reason ?? text("reasonIdle")) : ""
  }

  /** Updates the table of players. The row of a player stays the same element, so that a control in it keeps the focus. */
  #renderPlayers(ensemble) {
    const body = element("players")
    const { lang } = document.documentElement
    if (body.dataset.language !== lang) this.#rows.clear()
    body.dataset.language = lang
    const { players } = ensemble
    for (const key of this.#rows.keys()) if (!players.some(({ identity }) => identity === key)) this.#rows.delete(key)
    for (const player of players) {
      const { identity } = player
      if (!this.#rows.has(identity)) this.#rows.set(identity, this.#row(identity))
      this.#renderPlayer(this.#rows.get(identity), player, ensemble)
    }
    const rows = players.map(({ identity }) => this.#rows.get(identity).row)
    // Without a name of its own, the player of this page has the name of its sign.
    element("player-name").placeholder = this.#context.player.row?.name ?? ""
    const isSame = rows.length === body.children.length && rows.every((row, index) => row === body.children[index])
    if (isSame) return
    const { mute, offer } = document.activeElement?.dataset ?? {}
    body.replaceChildren(...rows)
    if (mute) body.querySelector(`[data-mute="${mute}"]`)?.focus()
    if (offer) body.querySelector(`[data-offer="${offer}"]`)?.focus()
  }

  /**
   * Shows a player in its row. Only the local player of a peer has a role: that of the peer. The master can mute each player except its own
   * local player, and can offer its role to the local players of other peers.
   */
  #renderPlayer(row, player, ensemble) {
    const set = (cell, value) => { if (cell.textContent !== value) cell.textContent = value }
    const { identity, sign, channel, isMuted } = player
    const name = this.#context.player.label(player)
    // The local player of a peer has the identity of the peer.
    const peer = identity === ensemble.identity ? ensemble : ensemble.members.find((member) => member.identity === identity)
    const role = peer?.role
    set(row.name, name)
    if (row.sign?.dataset.sign !== String(sign)) {
      row.sign?.remove()
      row.sign = createSign(sign)
      row.name.before(row.sign)
    }
    row.row.classList.toggle("own", identity === this.#context.player.identity)
    set(row.role, role ? text(role) : text("none"))
    row.role.className = `role ${role ?? ""}`
    set(row.channel, String(channel ?? text("none")))
    const isMutable = ensemble.role === "master" && identity !== ensemble.identity
    const controls = isMutable ? (peer ? [row.mute, row.offer] : [row.mute]) : []
    if (row.controls.children.length !== controls.length) row.controls.replaceChildren(...controls)
    row.mute.setAttribute("aria-pressed", String(isMuted === true))
    row.mute.setAttribute("aria-label", text("muteName", { name }))
    row.offer.setAttribute("aria-label", text("offerName", { name }))
    for (const button of [row.mute, row.offer]) button.disabled = this.#context.connection.access !== "lead"
  }

  /** Creates the row of a player. */
  #row(identity) {
    const { connection, announce } = this.#context
    const meter = create("meter", { min: 0, max: 127, attributes: { "aria-hidden": "true" } })
    const [name, role, channel, value] = [create("span"), create("span"), create("span"), create("span")]
    const [clock, lost] = [create("span", { textContent: text("none") }), create("span", { textContent: text("none") })]
    const mute = create("button", { type: "button", textContent: text("mute"), attributes: { "data-mute": identity } })
    mute.addEventListener("click", () => {
      connection.command({ do: "mute", peer: identity, on: mute.getAttribute("aria-pressed") !== "true" })
    })
    const offer = create("button", { type: "button", textContent: text("offer"), attributes: { "data-offer": identity } })
    offer.addEventListener("click", () => {
      connection.command({ do: "offer", peer: identity })
      announce(text("offerSent", { name: name.textContent }))
    })
    // On a narrow screen, each cell shows the heading of its column, which style.css takes from data-label.
    const cell = (label, className, ...children) =>
      create("td", { className, attributes: { role: "cell", "data-label": text(label) } }, ...children)
    const controls = cell("control", "buttons")
    const header = create("th", { attributes: { scope: "row", role: "rowheader" } }, name)
    const row = create("tr", { attributes: { role: "row" } }, header, cell("role", "", role),
      cell("channel", "number", channel), cell("activity", "activity", meter, value),
      cell("clock", "number", clock), cell("lostTicks", "number", lost), controls)
    return { row, name, role, channel, meter, value, clock, lost, controls, mute, offer }
  }

  renderLevels() {
    const { levels, ensemble } = this.#context.state
    if (!levels) return
    element("total").value = levels.total
    element("total-value").value = levels.total
    for (const [index, { identity }] of (ensemble?.players ?? []).entries()) {
      const cells = this.#rows.get(identity)
      const energy = levels.energies[index]
      cells.meter.value = energy ?? 0
      cells.value.textContent = energy ?? text("none")
    }
    const own = this.#rows.get(ensemble?.identity)
    if (own) own.lost.textContent = levels.lostTicks
    for (const member of levels.members) {
      const cells = this.#rows.get(member.identity)
      if (!cells) continue
      cells.clock.textContent = member.offset === undefined ? text("none")
        : text("clockValue", { offset: (member.offset / 1e6).toFixed(3), error: (member.uncertainty / 1000).toFixed(3) })
    }
    this.#renderLayers(levels.total)
    this.#grid.setActivity(levels.total)
  }

  #renderLayers(total) {
    const layers = this.#context.rhythm.patch?.layers
    if (!layers) return
    const sounding = layers.filter(({ from, to }) => from <= total && total <= to).length
    const description = text("layers", { sounding, count: layers.length })
    if (element("layers").textContent !== description) element("layers").textContent = description
  }

  renderSound() {
    const { audio, connection } = this.#context
    const isOn = audio.isRunning
    const { failure, missing } = audio.samples
    const key = failure ? "soundFailed" : !isOn ? "soundOff"
      : missing === undefined ? "soundPreparing" : missing > 0 ? "soundLoading" : "soundPlaying"
    const state = text(key, { reason: failure, count: missing })
    if (element("sound-state").textContent !== state) element("sound-state").textContent = state
    // Screen readers read each change of the state, but not the first state, and not how many sounds are still missing.
    const hasChanged = this.#soundState !== undefined && this.#soundState !== key
    const isProgress = ["soundLoading", "soundPreparing"].includes(key)
    if (hasChanged && !isProgress) this.#context.announce(state)
    this.#soundState = key
    element("sound-on").hidden = isOn
    element("page-clock").textContent = connection.hasClock
      ? text("pageClock", {
        error: connection.uncertainty.toFixed(2), latency: Math.round(audio.outputClock?.latency ?? 0),
      })
      : text("pageClockUnknown")
  }

  /** If the peer was restarted or is another one, its messages are numbered from 1 again. The view then shows them from number 1 on. */
  #forgetMessages(instance) {
    if (instance !== this.#instance) this.#shownMessage = 0
    this.#instance = instance
  }

  #renderMessages(messages) {
    element("messages-card").hidden = messages.length === 0
    const list = element("messages")
    for (const { number, level, text: message } of messages) {
      if (number <= this.#shownMessage) continue
      this.#shownMessage = number
      list.append(create("li", { className: level, textContent: message }))
    }
    while (list.children.length > 8) list.firstElementChild.remove()
  }
}
