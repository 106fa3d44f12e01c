// The surface: the instrument that the player touches. It answers each touch twice: at once, the key moves and a ring surrounds the finger;
// then, when the note sounds, the key rings. Between the two, the ring runs down.
//
// The surface handles the fingers and calls the instrument. It shows all notes of the instrument, also those that are played by letters,
// by the thumb key or by movements, because it listens to the events of the instrument. The drawings of the instruments only draw.

import { Drawing } from "./drawing.js"
import { create } from "./elements.js"
import { Finger } from "./finger.js"
import { surfaceOf } from "./figures.js"
import { Flute } from "./flute.js"
import { onEachFrame, reducedMotion, wakeFrames } from "./frame-loop.js"
import { Guitar } from "./guitar.js"
import { HandDrums } from "./hand-drums.js"
import { createIcon } from "./icons.js"
import { Kalimba } from "./kalimba.js"
import { Mallet } from "./mallet.js"
import { Marimba } from "./marimba.js"
import { store, stored } from "./settings.js"
import { instrumentName, text } from "./strings.js"
import { Vibraphone } from "./vibraphone.js"

const DRAWINGS = { marimba: Marimba, vibraphone: Vibraphone, kalimba: Kalimba, guitar: Guitar, flute: Flute, drums: HandDrums }
const TOUCHED_KEY = "tutti.touched"
/** The strength of a touch at the lower edge of the surface. At the upper edge, it is 1. */
const SOFTEST = 0.3
/** The strength of a key that is played without a finger, and with Shift, 0...1. */
export const [KEY_STRENGTH, SOFT_STRENGTH] = [0.75, 0.4]
/** A note that was played by a click without a pointer, such as with Enter, is released after this time, in milliseconds. */
export const CLICK_TIME = 180
/** The ring of a movement stays for this time after the last movement, in milliseconds. */
const HAND_TIME = 600

export class Surface {
  #root
  #context
  #drawing = new Drawing({ width: 0, height: 0 })
  #layer = create("div", { className: "layer" })
  #mallet
  /** The fingers by the source of their notes. */
  #fingers = new Map()
  /** The keys that are held, by source, and the notes that wait for the grid: {source, key, began, moment}. */
  #pressed = new Map()
  #waiting = []
  #level = create("i", { className: "level", hidden: true })
  #hand = create("i", { className: "hand", hidden: true })
  #handTimer
  #count = create("p", { className: "count", hidden: true, attributes: { "aria-hidden": "true" } })
  #hint = create("p", { className: "hint" })

  constructor(root, context) {
    this.#root = root
    this.#context = context
    this.#mallet = new Mallet(context, (key) => this.#sounds(key))
    root.append(this.#layer, this.#level, this.#mallet.element, this.#hand, this.#count, this.#hint)
    this.#hint.hidden = stored(TOUCHED_KEY) !== null
    const { instrument } = context
    instrument.addEventListener("change", () => this.render())
    instrument.addEventListener("begin", ({ detail }) => this.#begin(detail))
    instrument.addEventListener("end", ({ detail }) => this.#end(detail))
    instrument.addEventListener("hand", ({ detail }) => this.#showHand(detail))
    new ResizeObserver(() => this.render()).observe(root)
    root.addEventListener("pointerdown", (event) => this.#down(event))
    root.addEventListener("pointermove", (event) => this.#move(event))
    for (const type of ["pointerup", "pointercancel", "lostpointercapture"]) {
      root.addEventListener(type, ({ pointerId }) => this.#up(`pointer ${pointerId}`))
    }
    root.addEventListener("click", (event) => this.#click(event))
    root.addEventListener("keydown", (event) => this.#walk(event))
    root.addEventListener("contextmenu", (event) => event.preventDefault())
    onEachFrame((moment) => this.#frame(moment))
  }

  /** Draws the instrument again after a change of the instrument, the size or the language. Held keys stay held. */
  render() {
    const { instrument } = this.#context.instrument
    const { width, height } = this.#root.getBoundingClientRect()
    if (!instrument || width === 0 || height === 0) return
    const isFocused = this.#layer.contains(document.activeElement)
    this.#drawing = new (DRAWINGS[surfaceOf(instrument)] ?? Marimba)({ width, height })
    this.#layer.className = `layer ${this.#drawing.className}`
    this.#layer.replaceChildren(...this.#drawing.draw())
    this.#drawing.keys.forEach((key, index) => {
      key.tabIndex = index === 0 ? 0 : -1
      key.dataset.key = index
    })
    this.#context.letters.label(this.#drawing.keys)
    for (const key of this.#pressed.values()) this.#drawing.press(key, true)
    if (isFocused) this.#drawing.keys[0]?.focus()
    this.#root.setAttribute("aria-label", instrumentName(instrument))
    this.#mallet.setDrawing(this.#drawing)
    this.#hint.replaceChildren(createIcon("hand"), text("touch"))
    wakeFrames()
  }

  get keys() {
    return this.#drawing.keys
  }

  // Fingers.

  #point({ clientX, clientY }) {
    const box = this.#root.getBoundingClientRect()
    return { x: clientX - box.left, y: clientY - box.top }
  }

  /** The strength of a touch: the higher on the surface, the stronger. */
  #strength({ y }) {
    const share = Math.min(Math.max(y / this.#drawing.box.height, 0), 1)
    return 1 - (1 - SOFTEST) * share
  }

  #down(event) {
    if (event.target.closest(".one-button") || this.keys.length === 0) return
    event.preventDefault()
    this.#root.setPointerCapture(event.pointerId)
    const point = this.#point(event)
    const source = `pointer ${event.pointerId}`
    const key = this.#drawing.keyAt(point.x, point.y)
    const finger = new Finger(key, point, event.timeStamp)
    this.#fingers.set(source, finger)
    // First the sound, then the ring.
    this.#context.instrument.touch(source, key, this.#strength(point), event, finger.slide)
    this.#root.append(finger.showRing())
    if (this.#hint.hidden) return
    this.#hint.hidden = true
    store(TOUCHED_KEY, "yes")
  }

  #place(target, { x, y }) {
    target.style.setProperty("transform", `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`)
  }

  /** A finger slides: it plays each key that it crosses, in the order and at the times of its way. */
  #move(event) {
    const source = `pointer ${event.pointerId}`
    const finger = this.#fingers.get(source)
    if (!finger) return
    const { instrument } = this.#context
    const to = this.#point(event)
    for (const point of finger.move(to, event.timeStamp)) {
      const key = this.#drawing.keyAt(point.x, point.y)
      if (key === finger.key) continue
      finger.key = key
      finger.slide.isLater = true
      instrument.touch(source, key, this.#strength(point), point, finger.slide)
    }
    instrument.press(source, this.#strength(to))
    instrument.move(finger.speed() ?? 0)
    if (!this.#level.hidden) this.#place(this.#level, { x: 0, y: to.y })
  }

  #up(source) {
    const finger = this.#fingers.get(source)
    if (!finger) return
    this.#fingers.delete(source)
    finger.ring.remove()
    if (this.#fingers.size === 0) this.#level.hidden = true
    this.#context.instrument.release(source)
  }

  /** Enter, Space, switches and screen readers cause a click without a pointer. */
  #click(event) {
    const key = event.target.closest(".key")
    if (event.detail > 0 || !key) return
    const release = this.#context.instrument.touch("click", Number(key.dataset.key), KEY_STRENGTH, event)
    setTimeout(() => release?.(), CLICK_TIME)
  }

  /** The surface is one stop of the tab order. The arrow keys move between its keys. */
  #walk(event) {
    const { keys } = this
    const index = keys.indexOf(event.target)
    if (index < 0) return
    const next = { ArrowRight: index + 1, ArrowUp: index + 1, ArrowLeft: index - 1, ArrowDown: index - 1, Home: 0, End: keys.length - 1 }[event.key]
    if (next === undefined) return
    event.preventDefault()
    const key = keys[Math.min(Math.max(next, 0), keys.length - 1)]
    for (const each of keys) each.tabIndex = each === key ? 0 : -1
    key.focus()
  }

  // What the instrument plays.

  #begin({ source, position, strength, moment, isFigure, isNew, isSilent }) {
    const key = Math.min(position, this.keys.length - 1)
    this.#pressed.set(source, key)
    this.#drawing.press(key, true)
    const finger = this.#fingers.get(source)
    if (isFigure && finger) {
      this.#level.hidden = false
      this.#place(this.#level, { x: 0, y: finger.point.y })
    }
    if (isSilent) return
    this.#context.energy.play(strength)
    if (isFigure) {
      if (isNew) this.#sounds(key)
    } else if (moment === undefined) {
      this.#sounds(key)
    } else {
      this.#waiting.push({ source, key, began: performance.now(), moment })
      this.#context.beatRow.add(moment)
    }
    wakeFrames()
  }

  #end({ source }) {
    const key = this.#pressed.get(source)
    this.#pressed.delete(source)
    if (![...this.#pressed.values()].includes(key)) this.#drawing.press(key, false)
  }

  /** A key sounds now. */
  #sounds(key) {
    const quarter = this.#context.pulse.quarter ?? 500
    this.#drawing.sound(key, quarter)
    this.#context.beatRow.add()
    if (!this.#mallet.isPlaying) this.#ripple(key, quarter)
    wakeFrames()
  }

  #ripple(key, quarter) {
    if (reducedMotion.matches || !this.keys[key]) return
    const ripple = create("i", { className: "ripple" })
    const { x, y } = this.#drawing.spot(key)
    const at = `translate(${x}px, ${y}px)`
    this.#root.append(ripple)
    const animation = ripple.animate(
      [{ transform: `${at} scale(0.8)`, opacity: 0.9 }, { transform: `${at} scale(3.4)`, opacity: 0 }],
      { duration: quarter * 0.75, easing: "ease-out" })
    animation.finished.finally(() => ripple.remove())
  }

  /** A ring without a finger shows the place of a movement. */
  #showHand({ position, strength }) {
    const key = Math.min(position, this.keys.length - 1)
    if (!this.keys[key]) return
    const { x } = this.#drawing.spot(key)
    this.#place(this.#hand, { x, y: this.#drawing.box.height * (0.9 - 0.8 * strength) })
    this.#hand.hidden = false
    clearTimeout(this.#handTimer)
    this.#handTimer = setTimeout(() => { this.#hand.hidden = true }, HAND_TIME)
  }

  // Frames.

  #frame(moment) {
    if (this.#root.offsetParent === null) return false
    for (const note of [...this.#waiting]) this.#wait(note, moment)
    this.#showCount(moment)
    const isMoving = this.#drawing.frame(moment, this.#context.pulse)
    return this.#mallet.frame(moment) || isMoving || this.#waiting.length > 0
  }

  /** The ring round the finger runs down until the note sounds. With reduced motion, it stands still. */
  #wait(note, moment) {
    const finger = this.#fingers.get(note.source)
    if (moment < note.moment) {
      finger?.wait(reducedMotion.matches ? 1 : Math.min(1, (note.moment - moment) / (note.moment - note.began)))
      return
    }
    finger?.wait(0)
    this.#waiting = this.#waiting.filter((other) => other !== note)
    const quarter = this.#context.pulse.quarter ?? 500
    this.#drawing.sound(note.key, quarter)
    this.#ripple(note.key, quarter)
  }

  /** The number of the beats that remain of the count-in. */
  #showCount(moment) {
    const position = this.#context.pulse.at(moment)
    const count = position?.countsIn ? String(position.groups.length - position.beat.index) : ""
    if (this.#count.textContent === count) return
    this.#count.textContent = count
    this.#count.hidden = count === ""
  }
}
