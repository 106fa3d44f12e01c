// The thumb key, for players with one thumb or one switch: each press plays the next key of the instrument, first upwards, then downwards. A
// staircase shows which one is next. With *The whole screen is one button*, a button with the same effect covers the surface.

import { create } from "./elements.js"
import { store, stored } from "./settings.js"
import { colourOf, createShape } from "./sign.js"
import { CLICK_TIME, KEY_STRENGTH } from "./surface.js"
import { text } from "./strings.js"

const element = (id) => document.getElementById(id)

const ONE_KEY = "tutti.one-button"

export class ThumbKey {
  #context
  /** The key that is played next, and the step to the following one. */
  #next = 0
  #step = 1
  #one = create("button", { type: "button", className: "one-button", hidden: true })

  constructor(context) {
    this.#context = context
    const switchBox = element("one-button")
    switchBox.checked = stored(ONE_KEY) === "true"
    switchBox.addEventListener("change", () => {
      store(ONE_KEY, String(switchBox.checked))
      this.render()
    })
    element("surface").append(this.#one)
    for (const button of [element("thumb"), this.#one]) this.#listen(button)
    context.instrument.addEventListener("change", () => {
      this.#next = 0
      this.#step = 1
      this.render()
    })
  }

  #listen(button) {
    const source = `thumb ${button.id}`
    button.addEventListener("pointerdown", (event) => {
      button.setPointerCapture(event.pointerId)
      button.classList.add("down")
      this.#play(source, event)
    })
    for (const type of ["pointerup", "pointercancel"]) {
      button.addEventListener(type, () => {
        button.classList.remove("down")
        this.#context.instrument.release(source)
      })
    }
    // Enter, Space, and switches cause a click without a pointer.
    button.addEventListener("click", (event) => {
      if (event.detail === 0) this.press(event)
    })
  }

  /** Plays the next key for a short time. */
  press(event) {
    const release = this.#play("thumb", event)
    setTimeout(() => release?.(), CLICK_TIME)
  }

  #play(source, event) {
    const { instrument } = this.#context
    const position = instrument.motion.position ?? this.#next
    if (this.#next + this.#step < 0 || this.#next + this.#step >= instrument.positions) this.#step = -this.#step
    this.#next += this.#step
    this.#renderNext()
    return instrument.touch(source, position, KEY_STRENGTH, event)
  }

  render() {
    const { instrument, player } = this.#context
    const isOne = element("one-button").checked
    this.#one.hidden = !isOne
    this.#one.setAttribute("aria-label", text("nextNote"))
    element("surface").classList.toggle("one", isOne)
    element("surface").querySelector(".layer").inert = isOne
    element("thumb").hidden = isOne
    const steps = () => create("span", { className: "steps", attributes: { "aria-hidden": "true" } },
      ...Array.from({ length: instrument.positions }, (_, index) => {
        const step = create("i")
        step.style.setProperty("--step", index)
        return step
      }))
    element("thumb-steps").replaceChildren(...steps().children)
    const sign = create("span", { className: "own-sign" }, createShape(player.sign, "var(--white)"))
    sign.style.setProperty("--c", colourOf(player.sign))
    this.#one.replaceChildren(sign, steps())
    this.#renderNext()
  }

  #renderNext() {
    for (const steps of [element("thumb-steps"), this.#one.querySelector(".steps")]) {
      ;[...(steps?.children ?? [])].forEach((step, index) => step.classList.toggle("next", index === this.#next))
    }
  }
}
