// The sheet *Settings*: the language, the sound of this device, the rule of the energy, and the numbers and messages of the peer. The
// calibration has its own module.

import { create } from "./elements.js"
import { showValue } from "./slider.js"
import { language, languages, setLanguage, text } from "./strings.js"
import { store, stored } from "./settings.js"

const element = (id) => document.getElementById(id)

const LEFT_KEY = "tutti.left-hand"
/** The number of messages that are shown. */
const MESSAGES = 8
/** The step of the buttons beside the delay, in milliseconds. On a phone, a minus sign cannot be typed into a field for numbers. */
const DELAY_STEP = 5

export class SettingsView {
  #context
  /** The number of the newest message that is shown. */
  #shownMessage = 0
  /** The `instance` in the frame `welcome` of the peer whose messages are shown: a random number, new after each start of the peer. */
  #instance

  /** @param translate is called after a change of the language. */
  constructor(context, translate) {
    this.#context = context
    const { audio, connection, player } = context
    for (const select of document.querySelectorAll(".language")) {
      select.append(...Object.entries(languages).map(([code, strings]) => (
        create("option", { value: code, lang: code, textContent: strings.languageName }))))
      select.value = language()
      select.addEventListener("change", () => {
        setLanguage(select.value)
        for (const other of document.querySelectorAll(".language")) other.value = select.value
        translate()
      })
    }
    element("rule").addEventListener("change", ({ target }) => connection.command({ do: "total", rule: target.value }))
    element("activity").value = String(player.base ?? 0)
    showValue(element("activity"))
    element("activity").addEventListener("input", ({ target }) => player.setBase(Number(target.value)))
    element("delay").addEventListener("change", ({ target }) => {
      if (target.checkValidity()) audio.setDelay(target.valueAsNumber || 0)
      else target.value = String(audio.delay)
    })
    for (const [id, step] of [["delay-less", -DELAY_STEP], ["delay-more", DELAY_STEP]]) {
      element(id).addEventListener("click", () => audio.setDelay(Math.min(Math.max(Math.round(audio.delay + step), -200), 2000)))
    }
    const left = element("left-hand")
    left.checked = stored(LEFT_KEY) === "true"
    const arrange = () => element("place-play").classList.toggle("left", left.checked)
    left.addEventListener("change", () => {
      store(LEFT_KEY, String(left.checked))
      arrange()
    })
    arrange()
    connection.addEventListener("welcome", ({ detail }) => this.#forgetMessages(detail.instance))
    connection.addEventListener("notices", ({ detail }) => this.#renderMessages(detail))
    connection.addEventListener("clock", () => this.#renderClock())
  }

  render() {
    const { connection, state: { ensemble } } = this.#context
    element("when-you-lead").hidden = connection.access !== "lead"
    if (ensemble && document.activeElement !== element("rule")) element("rule").value = ensemble.totalRule
    element("devices").textContent = ensemble?.devices > 0 ? text("devices", { count: ensemble.devices }) : ""
    this.#renderClock()
  }

  #renderClock() {
    const { audio, connection } = this.#context
    element("page-clock").textContent = connection.hasClock
      ? text("pageClock", { error: connection.uncertainty.toFixed(2), latency: Math.round(audio.outputClock?.latency ?? 0) })
      : text("pageClockUnknown")
  }

  /** If the peer was restarted or is another one, its messages are numbered from 1 again. The view then shows them from number 1 on. */
  #forgetMessages(instance) {
    if (instance !== this.#instance) this.#shownMessage = 0
    this.#instance = instance
  }

  #renderMessages(messages) {
    const list = element("messages")
    element("messages-title").hidden = messages.length === 0
    for (const { number, level, text: message } of messages) {
      if (number <= this.#shownMessage) continue
      this.#shownMessage = number
      list.append(create("li", { className: level, textContent: message }))
    }
    while (list.children.length > MESSAGES) list.firstElementChild.remove()
  }
}
