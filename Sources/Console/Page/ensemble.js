// The view of the ensemble: the rhythm, the players, and the sound of this device.

import { LeaderStrip } from "./leader-strip.js"
import { StepGrid } from "./step-grid.js"
import { text } from "./strings.js"

const element = (id) => document.getElementById(id)

/** Creates an element with properties and children. Texts are set as text, never as markup. */
function create(tag, properties = {}, ...children) {
  const { attributes = {}, ...rest } = properties
  const created = Object.assign(document.createElement(tag), rest)
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value)
  created.append(...children)
  return created
}

export class EnsembleView {
  #context
  #grid
  #shownMessage = 0
  /** The cells of the table that the levels update, by identity. */
  #cells = new Map()
  #ownCells

  constructor(context) {
    this.#context = context
    const { connection, audio } = context
    this.#grid = new StepGrid(element("grid"), context)
    element("patch").addEventListener("change", (event) => connection.command({ do: "patch", name: event.target.value }))
    element("rule").addEventListener("change", (event) => connection.command({ do: "total", rule: event.target.value }))
    element("activity").addEventListener("input", (event) => {
      connection.command({ do: "activity", value: Number(event.target.value) })
      element("activity-value").value = event.target.value
    })
    element("loudness").value = String(audio.loudness)
    element("loudness-value").value = `${audio.loudness} %`
    element("loudness").addEventListener("input", (event) => {
      audio.setLoudness(Number(event.target.value))
      element("loudness-value").value = `${event.target.value} %`
    })
    element("delay").value = String(audio.delay)
    element("delay").addEventListener("change", (event) => {
      if (event.target.checkValidity()) audio.setDelay(event.target.valueAsNumber || 0)
    })
    element("sound-on").addEventListener("click", () => audio.start())
    connection.addEventListener("library", ({ detail }) => this.#renderLibrary(detail.rhythms))
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

  /** Selects the patch that plays, which may be none of the library. */
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

  #renderParts({ parts, role }, reason) {
    const names = { drums: "drums", bass: "bass", guitar: "guitarPart", keys: "keysPart" }
    const container = element("parts")
    const signature = JSON.stringify([parts.map(({ name }) => name), document.documentElement.lang])
    if (container.dataset.signature !== signature) {
      container.dataset.signature = signature
      container.replaceChildren(
        ...parts.map(({ name }) => {
          const label = text(names[name])
          const button = create("button", { type: "button", attributes: { "aria-describedby": "reason" } })
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
            create("span", { textContent: label }), button, slider, output)
        }))
    }
    const isDisabled = reason !== undefined || role !== "master"
    for (const { name, percent, plays } of parts) {
      const [, button, slider, output] = container.querySelector(`[data-part="${name}"]`).children
      button.textContent = text(plays ? "on" : "off")
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

  #renderPlayers(ensemble) {
    const body = element("players")
    const focused = document.activeElement?.dataset?.mute
    this.#cells.clear()
    const own = this.#row(text("thisPeer", { name: ensemble.name }), ensemble, undefined)
    this.#ownCells = own
    own.clock.textContent = text("none")
    const rows = [own]
    for (const member of ensemble.members) {
      const row = this.#row(member.name ?? text("unnamed"), member, ensemble.role === "master" ? member : undefined)
      row.lost.textContent = text("none")
      this.#cells.set(member.identity, row)
      rows.push(row)
    }
    body.replaceChildren(...rows.map(({ row }) => row))
    if (focused) body.querySelector(`[data-mute="${focused}"]`)?.focus()
  }

  /** A row of the table. `muted` is the member if the local peer may mute it. */
  #row(name, { role, channel }, muted) {
    const meter = create("meter", { min: 0, max: 127, attributes: { "aria-hidden": "true" } })
    const [value, clock, lost] = [create("span"), create("span"), create("span")]
    // On a narrow screen, each cell shows the heading of its column, which style.css takes from data-label.
    const cell = (label, className, ...children) =>
      create("td", { className, attributes: { role: "cell", "data-label": text(label) } }, ...children)
    const row = create("tr", { attributes: { role: "row" } },
      create("th", { textContent: name, attributes: { scope: "row", role: "rowheader" } }),
      cell("role", "", create("span", { className: `role ${role}`, textContent: text(role) })),
      cell("channel", "number", String(channel ?? text("none"))), cell("activity", "activity", meter, value),
      cell("clock", "number", clock), cell("lostTicks", "number", lost),
      cell("control", "buttons", ...(muted ? [this.#muteButton(name, muted), this.#offerButton(name, muted)] : [])))
    return { row, meter, value, clock, lost }
  }

  /** The button that offers the role of master to a peer. */
  #offerButton(name, { identity }) {
    const button = create("button", {
      type: "button", textContent: text("offer"),
      attributes: { "aria-label": text("offerName", { name }), "data-offer": identity },
    })
    button.addEventListener("click", () => {
      this.#context.connection.command({ do: "offer", peer: identity })
      this.#context.announce(text("offerSent", { name }))
    })
    button.disabled = this.#context.connection.access !== "lead"
    return button
  }

  #muteButton(name, { identity, isMuted }) {
    const button = create("button", {
      type: "button", textContent: text(isMuted ? "unmute" : "mute"),
      attributes: {
        "aria-pressed": String(isMuted), "aria-label": text(isMuted ? "unmuteName" : "muteName", { name }),
        "data-mute": identity,
      },
    })
    button.addEventListener("click", () => {
      this.#context.connection.command({ do: "mute", peer: identity, on: !isMuted })
    })
    button.disabled = this.#context.connection.access !== "lead"
    return button
  }

  renderLevels() {
    const { levels } = this.#context.state
    if (!levels) return
    element("total").value = levels.total
    element("total-value").value = levels.total
    if (document.activeElement !== element("activity")) {
      element("activity").value = String(levels.activity)
      element("activity-value").value = levels.activity
    }
    const set = ({ meter, value }, activity) => {
      meter.value = activity ?? 0
      value.textContent = activity ?? text("none")
    }
    if (this.#ownCells) {
      set(this.#ownCells, levels.activity)
      this.#ownCells.lost.textContent = levels.lostTicks
    }
    for (const member of levels.members) {
      const cells = this.#cells.get(member.identity)
      if (!cells) continue
      set(cells, member.activity)
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
    const failure = audio.samples?.failure
    const missing = audio.samples?.missing ?? 0
    const key = failure ? "soundFailed" : !isOn ? "soundOff" : missing > 0 ? "soundLoading" : "soundPlaying"
    const state = text(key, { reason: failure, count: missing })
    if (element("sound-state").textContent !== state) element("sound-state").textContent = state
    element("sound-on").hidden = isOn
    element("page-clock").textContent = connection.hasClock
      ? text("pageClock", {
        error: connection.uncertainty.toFixed(2), latency: Math.round(audio.outputClock?.latency ?? 0),
      })
      : text("pageClockUnknown")
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
