// The view of the player's own instrument: a touch pad and keys. Its notes sound on this device.

import { store, stored } from "./settings.js"
import { text } from "./strings.js"

const element = (id) => document.getElementById(id)

/** The letters of a keyboard for the keys of the page. */
const LETTERS = [..."asdfghjk"]
const KEY_COUNT = 8
/** The notes of a major pentatonic scale, which sound well together in any order. */
const SCALE = [0, 2, 4, 7, 9]
const INSTRUMENT_KEY = "tutti.instrument"
const LETTERS_KEY = "tutti.letters"
/** The activity is reported this often, in milliseconds. It is not filtered here; the peer filters it. */
const REPORT_INTERVAL = 50
/** A struck note counts as activity for this time, in milliseconds. */
const NOTE_TIME = 400
const KEY_STRENGTH = 0.75

export class InstrumentView {
  #context
  #instrument
  #isVisible = false
  #hasPlayed = false
  /** The functions that release the sounding notes, by pointer or key. */
  #held = new Map()
  /** The present strengths: of the last note, and of the movement on the pad, 0...1. */
  #note = { strength: 0, until: 0 }
  #movement = 0
  #reported = 0
  #lastPoint

  constructor(context) {
    this.#context = context
    this.#listenToPad()
    this.#listenToLetters()
    element("sensitivity").addEventListener("input", () => this.#renderSensitivity())
    this.#renderSensitivity()
    context.connection.addEventListener("sounds", () => this.#renderInstruments())
    setInterval(() => this.#report(), REPORT_INTERVAL)
  }

  render() {
    this.#renderInstruments()
  }

  setVisible(isVisible) {
    this.#isVisible = isVisible
    if (!isVisible) this.#releaseAll()
  }

  #renderSensitivity() {
    element("sensitivity-value").value = element("sensitivity").value
  }

  // The choice of the instrument.

  #renderInstruments() {
    const instruments = this.#context.audio.samples.instruments
    const container = element("instruments")
    const signature = JSON.stringify([instruments.map(({ name }) => name), document.documentElement.lang])
    if (container.dataset.signature === signature || instruments.length === 0) return
    container.dataset.signature = signature
    const chosen = this.#instrument?.name ?? stored(INSTRUMENT_KEY)
    this.#instrument = instruments.find(({ name }) => name === chosen) ?? instruments[0]
    const legend = container.querySelector("legend")
    legend.textContent = text("chooseInstrument")
    const choices = instruments.map((instrument) => {
      const label = document.createElement("label")
      const radio = Object.assign(document.createElement("input"), {
        type: "radio", name: "instrument", value: instrument.name, checked: instrument === this.#instrument,
      })
      radio.addEventListener("change", () => this.#choose(instrument))
      const name = document.createElement("span")
      name.textContent = text(instrument.drums.length > 0 ? "drumsInstrument" : instrument.name)
      label.append(radio, name)
      return label
    })
    container.replaceChildren(legend, ...choices)
    this.#renderKeys()
  }

  #choose(instrument) {
    this.#releaseAll()
    this.#instrument = instrument
    store(INSTRUMENT_KEY, instrument.name)
    this.#renderKeys()
  }

  #renderKeys() {
    const keys = LETTERS.slice(0, KEY_COUNT).map((letter, index) => {
      const button = document.createElement("button")
      button.type = "button"
      button.setAttribute("aria-label", text("keyName", { number: index + 1 }))
      if (element("letters").checked) {
        button.setAttribute("aria-keyshortcuts", letter)
        const label = document.createElement("kbd")
        label.textContent = letter.toUpperCase()
        button.append(label)
      } else {
        button.textContent = String(index + 1)
      }
      button.addEventListener("pointerdown", (event) => {
        button.setPointerCapture(event.pointerId)
        this.#strike(`pointer ${event.pointerId}`, this.#key(index), KEY_STRENGTH, button)
      })
      for (const end of ["pointerup", "pointercancel"]) {
        button.addEventListener(end, (event) => this.#release(`pointer ${event.pointerId}`))
      }
      // Enter, space, and switch controls cause a click without a pointer.
      button.addEventListener("click", (event) => {
        if (event.detail > 0) return
        this.#strike("click", this.#key(index), KEY_STRENGTH, button)
        setTimeout(() => this.#release("click"), 300)
      })
      return button
    })
    element("keys").replaceChildren(...keys)
  }

  /** The note of a key of the page. */
  #key(index) {
    const { drums, low } = this.#instrument
    if (drums.length > 0) return drums[index % drums.length]
    const { connection, rhythm } = this.#context
    const chord = connection.hasClock ? rhythm.chord(connection.peerTime()) : undefined
    if (chord === undefined) return low + 12 * Math.floor(index / SCALE.length) + SCALE[index % SCALE.length]
    // In a style, the keys are the notes of the chord that sounds now.
    let key = low - 1
    for (let found = -1; found < index; ) {
      key += 1
      if (chord & (1 << (key % 12))) found += 1
    }
    return Math.min(key, 127)
  }

  // Playing.

  #strike(source, key, strength, button) {
    if (!this.#instrument) return
    this.#release(source)
    key = this.#context.partner.key(key, this.#instrument)
    const release = this.#context.audio.play(this.#instrument, key, strength)
    button?.classList.add("down")
    const isShared = element("share").checked
    const velocity = Math.max(1, Math.round(strength * 127))
    if (isShared) this.#context.connection.command({ do: "note", key, velocity })
    this.#held.set(source, () => {
      release?.()
      button?.classList.remove("down")
      if (isShared) this.#context.connection.command({ do: "note", key, velocity: 0 })
    })
    this.#hasPlayed = true
    this.#note = { strength, until: performance.now() + NOTE_TIME }
  }

  #release(source) {
    this.#held.get(source)?.()
    this.#held.delete(source)
  }

  #releaseAll() {
    for (const source of [...this.#held.keys()]) this.#release(source)
  }

  #listenToLetters() {
    const index = (event) => LETTERS.indexOf(event.key.toLowerCase())
    const letters = element("letters")
    letters.checked = stored(LETTERS_KEY) !== "false"
    letters.addEventListener("change", () => {
      this.#releaseAll()
      store(LETTERS_KEY, String(letters.checked))
      if (this.#instrument) this.#renderKeys()
    })
    const isText = ({ target }) => target.matches?.("input:not([type=radio]):not([type=range]):not([type=checkbox]), select")
    document.addEventListener("keydown", (event) => {
      if (!letters.checked || !this.#isVisible || event.repeat || event.ctrlKey || event.metaKey || event.altKey || isText(event)) return
      const number = index(event)
      if (number < 0) return
      this.#strike(`key ${number}`, this.#key(number), KEY_STRENGTH, element("keys").children[number])
    })
    document.addEventListener("keyup", (event) => this.#release(`key ${index(event)}`))
    addEventListener("blur", () => this.#releaseAll())
  }

  /** On the pad, the position from left to right is the pitch. Touches near the lower edge are softer. */
  #listenToPad() {
    const pad = element("pad")
    let lastKey
    const place = (event) => {
      const box = pad.getBoundingClientRect()
      const x = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 0.999)
      const y = Math.min(Math.max((event.clientY - box.top) / box.height, 0), 1)
      return { index: Math.floor(x * KEY_COUNT), strength: 1 - 0.7 * y, x: event.clientX, y: event.clientY, moment: event.timeStamp }
    }
    pad.addEventListener("pointerdown", (event) => {
      event.preventDefault()
      pad.setPointerCapture(event.pointerId)
      const point = place(event)
      lastKey = point.index
      this.#lastPoint = point
      this.#strike(`pad ${event.pointerId}`, this.#key(point.index), point.strength)
    })
    pad.addEventListener("pointermove", (event) => {
      if (!this.#held.has(`pad ${event.pointerId}`)) return
      const point = place(event)
      this.#move(point)
      // A movement across the pad plays each key that it crosses.
      if (point.index === lastKey) return
      lastKey = point.index
      this.#strike(`pad ${event.pointerId}`, this.#key(point.index), point.strength)
    })
    for (const end of ["pointerup", "pointercancel"]) {
      pad.addEventListener(end, (event) => this.#release(`pad ${event.pointerId}`))
    }
  }

  /** The speed of the movement in pixels per millisecond becomes activity. */
  #move(point) {
    const passed = point.moment - this.#lastPoint.moment
    if (passed < 8) return
    const distance = Math.hypot(point.x - this.#lastPoint.x, point.y - this.#lastPoint.y)
    this.#movement = Math.max(this.#movement, Math.min(1, distance / passed / 1.5))
    this.#lastPoint = point
  }

  /** Reports the strength of what was played since the last report. */
  #report() {
    if (!this.#hasPlayed) return
    const note = performance.now() < this.#note.until ? this.#note.strength : 0
    const strength = Math.max(note, this.#movement)
    this.#movement = 0
    const sensitivity = Number(element("sensitivity").value) / 5
    const activity = Math.min(127, Math.round(strength * 127 * sensitivity))
    if (activity === this.#reported) return
    this.#reported = activity
    element("played").value = activity
    element("played-value").value = activity
    this.#context.connection.activity(activity)
  }
}

