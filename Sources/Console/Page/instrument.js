// The view of the player's own instrument: movements, a touch pad and keys. Its notes sound on this device.

import { BeatView } from "./beat-view.js"
import { POSITIONS, keyAt } from "./figures.js"
import { MotionPlayer } from "./motion-player.js"
import { placed } from "./placement.js"
import { store, stored } from "./settings.js"
import { SharedNotes } from "./shared-notes.js"
import { text } from "./strings.js"

const element = (id) => document.getElementById(id)

/** The letters of a keyboard for the keys of the page. */
const LETTERS = [..."asdfghjk"]
const INSTRUMENT_KEY = "tutti.instrument"
const LETTERS_KEY = "tutti.letters"
const SENSITIVITY_KEY = "tutti.sensitivity"
const IN_TIME_KEY = "tutti.in-time"
/** The activity is reported this often, in milliseconds. It is not filtered here; the peer filters it. */
const REPORT_INTERVAL = 50
/** A struck note counts as activity for this time, in milliseconds. */
const NOTE_TIME = 400
const KEY_STRENGTH = 0.75
/** A click has no end. Its note is released after this time, in milliseconds. */
const CLICK_TIME = 300

export class InstrumentView {
  instrument
  isVisible = false
  figure
  motion
  #context
  #hasPlayed = false
  /** The functions that release the sounding notes, by pointer or key. */
  #held = new Map()
  /** The present strengths: of the last note, and of the movement on the pad, 0...1. */
  #note = { strength: 0, until: 0 }
  #movement = 0
  #reported = 0
  #lastPoint
  /** The position that the single key plays next, and its direction. */
  #walk = { position: 0, step: 1 }
  /** The instant up to which the notes of the figure have been sent to other players. */
  #shared
  #sharedNotes

  constructor(context) {
    this.#context = context
    this.#sharedNotes = new SharedNotes(context.connection)
    this.figure = context.audio.figure
    this.motion = new MotionPlayer(this)
    this.#listenToPad()
    this.#listenToLetters()
    this.#listenToSingleKey()
    new BeatView(element("beats"), context)
    const sensitivity = Number(stored(SENSITIVITY_KEY))
    if (sensitivity >= 1 && sensitivity <= 10) element("sensitivity").value = sensitivity
    element("sensitivity").addEventListener("input", () => {
      store(SENSITIVITY_KEY, element("sensitivity").value)
      this.#renderSensitivity()
    })
    this.#renderSensitivity()
    element("in-time").checked = stored(IN_TIME_KEY) !== "false"
    element("in-time").addEventListener("change", () => store(IN_TIME_KEY, String(element("in-time").checked)))
    context.connection.addEventListener("sounds", () => this.#renderInstruments())
    setInterval(() => this.#report(), REPORT_INTERVAL)
    // The browser stops the timers and sensors of a hidden page, and sends no event when a finger leaves a locked screen.
    document.addEventListener("visibilitychange", () => document.hidden && this.#endAll())
    addEventListener("pagehide", () => this.#endAll())
  }

  render() {
    this.#renderInstruments()
    this.motion.render()
  }

  setVisible(isVisible) {
    this.isVisible = isVisible
    if (isVisible) return
    this.#releaseAll()
    this.figure.stop()
  }

  #endAll() {
    this.#releaseAll()
    this.figure.stop()
    this.#sharedNotes.endAll()
  }

  #renderSensitivity() {
    element("sensitivity-value").value = element("sensitivity").value
    this.motion.setSensitivity(this.#sensitivity)
  }

  get #sensitivity() {
    return Number(element("sensitivity").value) / 5
  }

  // The choice of the instrument.

  #renderInstruments() {
    const instruments = this.#context.audio.samples.instruments
    const container = element("instruments")
    const signature = JSON.stringify([instruments.map(({ name }) => name), document.documentElement.lang])
    if (container.dataset.signature === signature || instruments.length === 0) return
    container.dataset.signature = signature
    const chosen = this.instrument?.name ?? stored(INSTRUMENT_KEY)
    this.instrument = instruments.find(({ name }) => name === chosen) ?? instruments[0]
    const legend = container.querySelector("legend")
    legend.textContent = text("chooseInstrument")
    this.figure.setInstrument(this.instrument)
    const choices = instruments.map((instrument) => {
      const label = document.createElement("label")
      const radio = Object.assign(document.createElement("input"), {
        type: "radio", name: "instrument", value: instrument.name, checked: instrument === this.instrument,
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
    this.instrument = instrument
    store(INSTRUMENT_KEY, instrument.name)
    this.figure.setInstrument(instrument)
    this.motion.render()
    this.#renderKeys()
  }

  #renderKeys() {
    const keys = LETTERS.slice(0, POSITIONS).map((letter, index) => {
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
        this.#touch(`pointer ${event.pointerId}`, index, KEY_STRENGTH, event, button)
      })
      for (const end of ["pointerup", "pointercancel"]) {
        button.addEventListener(end, (event) => this.release(`pointer ${event.pointerId}`))
      }
      // Enter, space, and switch controls cause a click without a pointer.
      button.addEventListener("click", (event) => {
        if (event.detail > 0) return
        const release = this.#touch("click", index, KEY_STRENGTH, event, button)
        setTimeout(() => release?.(), CLICK_TIME)
      })
      return button
    })
    element("keys").replaceChildren(...keys)
  }

  /** The note of a position. In a style, it is a note of the chord that sounds at an instant of the peer's clock. */
  #key(position, instant) {
    const { connection, rhythm } = this.#context
    const chord = connection.hasClock ? rhythm.chord(instant ?? connection.peerTime()) : undefined
    return keyAt(this.instrument, position, chord)
  }

  // Playing.

  /** A touch or a key. It bends the figure, if the instrument plays one, as long as it is held. Returns a function that ends it. */
  #touch(source, position, strength, { timeStamp }, button) {
    if (!this.instrument) return
    this.motion.touch()
    if (!this.figure.isAvailable) return this.strike(source, position, strength, { timeStamp, button })
    this.release(source)
    this.bend(position, strength, { holder: source })
    button?.classList.add("down")
    this.#played(strength)
    return this.#hold(source, () => {
      button?.classList.remove("down")
      this.figure.release(source)
      this.#context.audio.update()
    })
  }

  /** Keeps what ends a note until `release`. Returns a function that releases this note, but not a later one of the same source. */
  #hold(source, end) {
    this.#held.set(source, end)
    return () => {
      if (this.#held.get(source) === end) this.release(source)
    }
  }

  /** Bends the figure. */
  bend(position, strength, options) {
    this.figure.bend(position, strength, options)
    this.#context.audio.update()
    this.showMark(position, strength)
  }

  /**
   * Sounds a note until `release`: at once, or on the next line of the rhythm. `timeStamp` is that of the event that caused it.
   * Returns a function that releases this note.
   */
  strike(source, position, strength, { timeStamp, button } = {}) {
    if (!this.instrument) return
    this.release(source)
    const { audio, connection, rhythm } = this.#context
    const now = connection.hasClock ? connection.peerTime(timeStamp) : undefined
    const instant = now !== undefined && element("in-time").checked ? placed(rhythm.schedule, now) : undefined
    const key = this.#context.partner.key(this.#key(position, instant), this.instrument)
    const moment = instant && connection.moment(instant)
    const release = audio.play(this.instrument, key, strength, moment)
    button?.classList.add("down")
    const velocity = Math.max(1, Math.round(strength * 127))
    const share = element("share").checked && this.#sharedNotes.begin(key, velocity, moment)
    // The activity of a movement is that of the sensor.
    if (source !== "motion") this.#played(strength)
    this.showMark(position, strength)
    return this.#hold(source, () => {
      release?.()
      button?.classList.remove("down")
      if (share) share()
    })
  }

  #played(strength) {
    this.#hasPlayed = true
    this.#note = { strength, until: performance.now() + NOTE_TIME }
  }

  /** Sends the notes of the figure that sound in the next interval. */
  #shareFigure() {
    const { connection } = this.#context
    if (!element("share").checked || !this.figure.isSounding) {
      this.#shared = undefined
      return
    }
    const now = connection.peerTime()
    const end = now + REPORT_INTERVAL * 1e6
    for (const { hit, instant, end: last } of this.figure.planned(Math.max(now, this.#shared ?? now), end)) {
      const stop = this.#sharedNotes.begin(hit.note, hit.velocity, connection.moment(instant))
      setTimeout(stop, connection.moment(last) - performance.now())
    }
    this.#shared = end
  }

  /** Whether a finger or a key holds a note. */
  get isTouched() {
    return [...this.#held.keys()].some((source) => source !== "motion")
  }

  /** Adds the movement of the device, 0...1, to the activity. */
  move(activity) {
    if (activity > 0) this.#hasPlayed = true
    this.#movement = Math.max(this.#movement, activity)
  }

  /** Shows a position and a strength on the pad. */
  showMark(position, strength) {
    const mark = element("mark")
    const key = `${position}/${Math.round(strength * 8)}`
    if (mark.dataset.key === key) return
    mark.dataset.key = key
    mark.hidden = false
    mark.style.left = `${((position + 0.5) / POSITIONS) * 100}%`
    mark.style.top = `${(1 - (Math.round(strength * 8) / 8)) * 80 + 10}%`
  }

  release(source) {
    this.#held.get(source)?.()
    this.#held.delete(source)
  }

  #releaseAll() {
    for (const source of [...this.#held.keys()]) this.release(source)
  }

  #listenToLetters() {
    const index = (event) => LETTERS.indexOf(event.key.toLowerCase())
    const letters = element("letters")
    letters.checked = stored(LETTERS_KEY) !== "false"
    letters.addEventListener("change", () => {
      this.#releaseAll()
      store(LETTERS_KEY, String(letters.checked))
      if (this.instrument) this.#renderKeys()
    })
    const isText = ({ target }) => target.matches?.("input:not([type=radio]):not([type=range]):not([type=checkbox]), select")
    document.addEventListener("keydown", (event) => {
      if (!letters.checked || !this.isVisible || event.repeat || event.ctrlKey || event.metaKey || event.altKey || isText(event)) return
      const number = index(event)
      if (number < 0) return
      this.#touch(`key ${number}`, number, KEY_STRENGTH, event, element("keys").children[number])
    })
    document.addEventListener("keyup", (event) => this.release(`key ${index(event)}`))
    addEventListener("blur", () => this.#releaseAll())
  }

  /** One key, one thumb or one switch plays everything: each press plays the next position, up and down. */
  #listenToSingleKey() {
    const button = element("single")
    const play = (source, event) => {
      const walk = this.#walk
      const position = this.motion.position ?? walk.position
      if (walk.position + walk.step < 0 || walk.position + walk.step >= POSITIONS) walk.step = -walk.step
      walk.position += walk.step
      return this.#touch(source, position, KEY_STRENGTH, event, button)
    }
    button.addEventListener("pointerdown", (event) => {
      button.setPointerCapture(event.pointerId)
      play("single", event)
    })
    for (const end of ["pointerup", "pointercancel"]) button.addEventListener(end, () => this.release("single"))
    // Enter, space, and switch controls.
    button.addEventListener("click", (event) => {
      if (event.detail > 0) return
      const release = play("single", event)
      setTimeout(() => release?.(), CLICK_TIME)
    })
  }

  /** On the pad, the position from left to right is the pitch. Touches near the lower edge are softer. */
  #listenToPad() {
    const pad = element("pad")
    let lastKey
    const place = (event) => {
      const box = pad.getBoundingClientRect()
      const x = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 0.999)
      const y = Math.min(Math.max((event.clientY - box.top) / box.height, 0), 1)
      return { index: Math.floor(x * POSITIONS), strength: 1 - 0.7 * y, x: event.clientX, y: event.clientY, moment: event.timeStamp }
    }
    pad.addEventListener("pointerdown", (event) => {
      event.preventDefault()
      pad.setPointerCapture(event.pointerId)
      const point = place(event)
      lastKey = point.index
      this.#lastPoint = point
      this.#touch(`pad ${event.pointerId}`, point.index, point.strength, event)
    })
    pad.addEventListener("pointermove", (event) => {
      if (!this.#held.has(`pad ${event.pointerId}`)) return
      const point = place(event)
      this.#move(point)
      // A movement across the pad plays each key that it crosses, and bends a figure.
      if (point.index === lastKey && !this.figure.isAvailable) return
      lastKey = point.index
      this.#touch(`pad ${event.pointerId}`, point.index, point.strength, event)
    })
    for (const end of ["pointerup", "pointercancel"]) {
      pad.addEventListener(end, (event) => this.release(`pad ${event.pointerId}`))
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
    this.#shareFigure()
    if (!this.#hasPlayed) return
    const note = performance.now() < this.#note.until ? this.#note.strength : 0
    const strength = Math.max(note, this.#movement)
    this.#movement = 0
    const activity = Math.min(127, Math.round(strength * 127 * this.#sensitivity))
    if (activity === this.#reported) return
    this.#reported = activity
    element("played").value = activity
    element("played-value").value = activity
    this.#context.connection.activity(activity)
  }
}

