// The place *Rhythm*: what sounds, how loud it is, and which rhythms there are. The leader also chooses and mixes here.

import { create } from "./elements.js"
import { createIcon } from "./icons.js"
import { leadOf } from "./leading.js"
import { LivingGrid } from "./living-grid.js"
import { RhythmCards } from "./rhythm-cards.js"
import { fatSlider, showValue } from "./slider.js"
import { text } from "./strings.js"

const element = (id) => document.getElementById(id)

const PARTS = { drums: ["drums", "drums"], bass: ["bass", "bass"], guitar: ["guitarPart", "guitar"], keys: ["keysPart", "keys"] }

export class RhythmView {
  #context
  #grid
  #cards

  constructor(context) {
    this.#context = context
    const { audio } = context
    this.#cards = new RhythmCards(context)
    this.#grid = new LivingGrid(element("grid"), context)
    this.#loudness("loudness", audio.loudness, (percent) => audio.setLoudness(percent))
    this.#loudness("instrument-loudness", audio.instrumentLoudness, (percent) => audio.setInstrumentLoudness(percent))
  }

  /** Connects a slider for a loudness on this device. */
  #loudness(id, percent, set) {
    const slider = element(id)
    slider.value = String(percent)
    showValue(slider)
    slider.addEventListener("input", () => set(Number(slider.value)))
  }

  /** Shows the newest patch. */
  renderPatch() {
    const { patch } = this.#context.rhythm
    if (!patch) return
    element("rhythm-name").textContent = patch.name
    element("rhythm-meter").textContent = `${patch.beats}/${patch.unit}`
    element("patch-description").textContent = patch.description
    this.#grid.render()
    this.#cards.render()
  }

  render() {
    const { ensemble } = this.#context.state
    if (!ensemble) return
    this.#grid.update()
    this.#renderParts(ensemble)
    this.#cards.render()
  }

  /** Called after each frame `levels`. */
  update() {
    this.#grid.update()
  }

  /** The leader has a button and a slider for each part. */
  #renderParts({ parts }) {
    const leads = leadOf(this.#context) === "leads"
    const container = element("parts")
    element("mix").hidden = !leads
    const signature = JSON.stringify([parts.map(({ name }) => name), document.documentElement.lang])
    if (container.dataset.signature !== signature) {
      container.dataset.signature = signature
      container.replaceChildren(...parts.map(({ name }) => this.#part(name)))
    }
    for (const { name, percent, plays } of parts) {
      const row = container.querySelector(`[data-part="${name}"]`)
      const [button, slider] = [row.querySelector("button"), row.querySelector("input")]
      button.setAttribute("aria-pressed", String(plays))
      row.classList.toggle("stopped", !plays)
      if (document.activeElement === slider) continue
      slider.value = String(percent)
      showValue(slider)
    }
  }

  #part(name) {
    const [key, icon] = PARTS[name]
    const label = text(key)
    const { connection } = this.#context
    const button = create("button", { type: "button", attributes: { "aria-label": label } }, createIcon(icon))
    button.addEventListener("click", () => {
      connection.command({ do: "plays", part: name, on: button.getAttribute("aria-pressed") !== "true" })
    })
    const slider = create("input", {
      type: "range", min: "0", max: "100", step: "5", attributes: { "aria-label": text("partLevel", { part: label }), "data-unit": " %" },
    })
    slider.addEventListener("change", () => connection.command({ do: "level", part: name, percent: Number(slider.value) }))
    return create("div", { className: "part", attributes: { "data-part": name, role: "group", "aria-label": label } }, button, fatSlider(slider, label))
  }
}
