// The pictures of the instruments: a tap chooses one. Below the width of a tablet, the six instruments of the page have no names, but screen
// readers read the names. Custom instruments always have a name, because several of them can have the same picture.

import { create } from "./elements.js"
import { surfaceOf } from "./figures.js"
import { createIcon } from "./icons.js"
import { instrumentName } from "./strings.js"

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
    const signature = JSON.stringify([choices.map(({ name, title }) => [name, title]), document.documentElement.lang])
    if (container.dataset.signature !== signature) {
      container.dataset.signature = signature
      const legend = container.querySelector("legend")
      container.replaceChildren(legend, ...choices.map((choice) => this.#picture(choice)))
    }
    for (const radio of container.querySelectorAll("input")) radio.checked = radio.value === instrument.instrument?.name
    container.classList.toggle("many", choices.some(({ custom }) => custom))
  }

  #picture(choice) {
    const { name, custom } = choice
    const label = instrumentName(choice)
    const radio = create("input", { type: "radio", name: "instrument", value: name, attributes: { "aria-label": label } })
    radio.addEventListener("change", () => this.#context.instrument.choose(name))
    // Browsers do not scroll to a focused element of which a part is visible.
    radio.addEventListener("focus", () => radio.parentElement.scrollIntoView({ block: "nearest", inline: "nearest" }))
    return create("label", { title: label, className: custom ? "custom" : "" }, radio, createIcon(surfaceOf(choice)), create("span", { textContent: label, attributes: { "aria-hidden": "true" } }))
  }
}
