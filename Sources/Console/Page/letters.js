// The letters of a computer keyboard: A S D F G H J K play the keys of the instrument, Space is the thumb key. A player can switch all single
// letters off, because they disturb players who speak to their computer (WCAG 2.1.4).

import { create } from "./elements.js"
import { store, stored } from "./settings.js"
import { KEY_STRENGTH, SOFT_STRENGTH } from "./surface.js"

const element = (id) => document.getElementById(id)

const LETTERS = [..."asdfghjk"]
const LETTERS_KEY = "tutti.letters"

export class Letters {
  #context
  #box = element("letters")

  constructor(context) {
    this.#context = context
    this.#box.checked = stored(LETTERS_KEY) !== "false"
    this.#box.addEventListener("change", () => {
      context.instrument.releaseAll()
      store(LETTERS_KEY, String(this.#box.checked))
      context.surface.render()
    })
    document.addEventListener("keydown", (event) => this.#press(event))
    document.addEventListener("keyup", ({ key }) => context.instrument.release(`key ${LETTERS.indexOf(key.toLowerCase())}`))
  }

  /** Whether an event of the keyboard may be a letter of the page: letters are on, no sheet is open, and no text field has the focus. */
  accepts({ target, ctrlKey, metaKey, altKey, repeat }) {
    if (!this.#box.checked || repeat || ctrlKey || metaKey || altKey || document.querySelector("dialog[open]")) return false
    return !target.matches?.("input:not([type=radio]):not([type=range]):not([type=checkbox]), select")
  }

  #press(event) {
    const { instrument, surface, thumbKey } = this.#context
    if (!instrument.isVisible || !this.accepts(event)) return
    if (event.key === " " && (event.target === document.body || event.target === element("main"))) {
      event.preventDefault()
      thumbKey.press(event)
      return
    }
    const index = LETTERS.indexOf(event.key.toLowerCase())
    if (index < 0 || index >= surface.keys.length) return
    instrument.touch(`key ${index}`, index, event.shiftKey ? SOFT_STRENGTH : KEY_STRENGTH, event)
  }

  /** Writes the letters on the keys. */
  label(keys) {
    if (!this.#box.checked) return
    keys.forEach((key, index) => {
      key.setAttribute("aria-keyshortcuts", LETTERS[index])
      key.append(create("kbd", { textContent: LETTERS[index].toUpperCase(), attributes: { "aria-hidden": "true" } }))
    })
  }
}
