// The pictures of the instruments: a tap chooses one. Below the width of a tablet, they have no names, but screen readers read the names.

import { create } from "./elements.js"
import { createIcon } from "./icons.js"
import { text } from "./strings.js"

const element = (id) => document.getElementById(id)

export class InstrumentChoice {
  #context

  constructor(context) {
    this.#context = context
    context.instrument.addEventListener("change", () => this.render())
  }

  render() {
    const { instrument } = this.#context
    const { choices } = instrument
    const container = element("instruments")
    const signature = JSON.stringify([choices.map(({ name }) => name), document.documentElement.lang])
    if (container.dataset.signature !== signature) {
      container.dataset.signature = signature
      const legend = container.querySelector("legend")
      container.replaceChildren(legend, ...choices.map((choice) => this.#picture(choice)))
    }
    for (const radio of container.querySelectorAll("input")) radio.checked = radio.value === instrument.instrument?.name
  }

  #picture({ name, drums }) {
    const label = text(drums.length > 0 ? "drumsInstrument" : name)
    const radio = create("input", { type: "radio", name: "instrument", value: name, attributes: { "aria-label": label } })
    radio.addEventListener("change", () => this.#context.instrument.choose(name))
    return create("label", { title: label }, radio, createIcon(name), create("span", { textContent: label, attributes: { "aria-hidden": "true" } }))
  }
}
