// The view of the tab *Instrument*: the player plays by movements, on a touch pad and on keys. The notes sound on this device.

import { BeatView } from "./beat-view.js"
import { POSITIONS, keyAt } from "./figures.js"
import { MotionPlayer } from "./motion-player.js"
import { placed } from "./placement.js"
import { store, stored } from "./settings.js"
import { SharedNotes } from "./shared-notes.js"
import { text } from "./strings.js"

const element = (id) => document.getElementById(id)

/** The letters of a computer keyboard that play the keys of the page. */
const LETTERS = [..."asdfghjk"]
const INSTRUMENT_KEY = "tutti.instrument"
const LETTERS_KEY = "tutti.letters"
const SENSITIVITY_KEY = "tutti.sensitivity"
const IN_TIME_KEY = "tutti.in-time"
/** The time between two reports of the activity, in milliseconds. The page does not smooth the activity, because the peer does. */
const REPORT_INTERVAL = 50
/** A note that was played by a touch or a key counts as activity for this time, in milliseconds. */
const NOTE_TIME = 400
/** The strength of a note that is played by a key, 0...1. */
const KEY_STRENGTH = 0.75
/** A note that was played by a click without a pointer is released after this time, in milliseconds. */
const CLICK_TIME = 300

export class InstrumentView {
  /** The chosen instrument, from the frame `sounds`; undefined before this frame has arrived. */
  instrument
  isVisible = false
  /** The figure of the instrument. Without a figure or a rhythm, `figure.isAvailable` is false. */
  figure
  motion
  #context
  #hasPlayed = false
  /** The functions that release the sounding notes. The key is the source of the note, such as a pointer, a key or `motion`. */
  #held = new Map()
  /** The strength of the last note, 0...1, and the moment until which it counts as activity. */
  #note = { strength: 0, until: 0 }
  /** The largest movement of the device or on the pad since the last report, 0...1. */
  #movement = 0
  /** The activity that was reported last, 0...127. */
  #reported = 0
  /** The position that the button *Play* plays next, and the step to the following position. */
  #walk = { position: 0, step: 1 }
  /** The notes of the figure before this instant have been sent to the peer; undefined while none are sent. */
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
    // A peer knows nothing about what was reported on an earlier connection.
    context.connection.addEventListener("welcome", () => { this.#reported = undefined })
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

  /** Ends all notes, also those that are sent to the peer. */
  #endAll() {
    this.#releaseAll()
    this.figure.stop()
    this.#sharedNotes.endAll()
  }

  #renderSensitivity() {
    element("sensitivity-value").value = element("sensitivity").value
    this.motion.setSensitivity(this.#sensitivity)
  }

  /** The factor for the activity and for the strength of movements: 0.2 to 2. */
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
    this.#instrumentChanged()
  }

  #choose(instrument) {
    this.#releaseAll()
    this.instrument = instrument
    store(INSTRUMENT_KEY, instrument.name)
    this.#instrumentChanged()
    this.motion.render()
  }

  #instrumentChanged() {
    this.figure.setInstrument(this.instrument)
    this.#context.player.setInstrument(this.instrument)
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

  /** The MIDI key of a position. While a style plays, the key belongs to the chord at an instant of the peer's clock (by default, now). */
  #key(position, instant) {
    const { connection, rhythm } = this.#context
    const chord = connection.hasClock ? rhythm.chord(instant ?? connection.peerTime()) : undefined
    return keyAt(this.instrument, position, chord)
  }

  // Playing.

  /**
   * Begins a touch or the press of a key, which plays a note. If the instrument plays a figure, the touch bends the figure instead, and the
   * figure sounds as long as the touch lasts. Returns a function that ends the touch.
   */
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

  /** Stores the function that ends a note, for `release`. The returned function releases this note, but not a later note of the source. */
  #hold(source, end) {
    this.#held.set(source, end)
    return () => {
      if (this.#held.get(source) === end) this.release(source)
    }
  }

  /** Bends the figure (see Figure.bend), and shows the position and the strength on the pad. */
  bend(position, strength, options) {
    this.figure.bend(position, strength, options)
    this.#context.audio.update()
    this.showMark(position, strength)
  }

  /**
   * Begins a note, at once or on the next sixteenth of the rhythm. The note sounds until it is released. `timeStamp` is the time stamp of
   * the event that caused the note. Returns a function that releases the note.
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
    const touched = now === undefined ? undefined : connection.base + BigInt(Math.round(now))
    const share = element("share").checked && this.#sharedNotes.begin(key, velocity, moment, touched)
    // The activity of a movement is counted by `move`.
    if (source !== "motion") this.#played(strength)
    this.showMark(position, strength)
    return this.#hold(source, () => {
      release?.()
      button?.classList.remove("down")
      if (share) share()
    })
  }

  /** Counts a note of the given strength as activity. */
  #played(strength) {
    this.#hasPlayed = true
    this.#note = { strength, until: performance.now() + NOTE_TIME }
  }

  /** Sends the peer the notes of the figure that begin before the next report, if the player has chosen to send notes. */
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

  /** Whether a finger or a key, but not a movement, holds a note. */
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

  /** The button *Play*, for players with one thumb or one switch: each press plays the next position, first upwards, then downwards. */
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
    // Enter, space, and switch controls cause a click without a pointer.
    button.addEventListener("click", (event) => {
      if (event.detail > 0) return
      const release = play("single", event)
      setTimeout(() => release?.(), CLICK_TIME)
    })
  }

  /** The touch pad: the position from left to right selects the pitch. Touches near the lower edge are softer. */
  #listenToPad() {
    const pad = element("pad")
    // For each finger on the pad, by its pointerId: the index of its key, and the point from which its speed is measured.
    const fingers = new Map()
    // Returns the position 0...7, the strength 0.3...1, the coordinates in pixels, and the time stamp of an event.
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
      fingers.set(event.pointerId, { index: point.index, point })
      this.#touch(`pad ${event.pointerId}`, point.index, point.strength, event)
    })
    pad.addEventListener("pointermove", (event) => {
      const finger = fingers.get(event.pointerId)
      if (!finger || !this.#held.has(`pad ${event.pointerId}`)) return
      const point = place(event)
      this.#move(finger, point)
      // A movement across the pad plays each key that it crosses. While a figure is available, each movement bends the figure instead.
      if (point.index === finger.index && !this.figure.isAvailable) return
      finger.index = point.index
      this.#touch(`pad ${event.pointerId}`, point.index, point.strength, event)
    })
    for (const end of ["pointerup", "pointercancel"]) {
      pad.addEventListener(end, (event) => {
        fingers.delete(event.pointerId)
        this.release(`pad ${event.pointerId}`)
      })
    }
  }

  /**
   * Adds the speed of a finger that has moved to `point` to the activity. 1.5 pixels per millisecond are the largest activity. The speed is measured
   * over at least 8 ms.
   */
  #move(finger, point) {
    const passed = point.moment - finger.point.moment
    if (passed < 8) return
    const distance = Math.hypot(point.x - finger.point.x, point.y - finger.point.y)
    this.#movement = Math.max(this.#movement, Math.min(1, distance / passed / 1.5))
    finger.point = point
  }

  /** Reports the activity since the last report: the strength of the last note or of the largest movement, whichever is greater. */
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

