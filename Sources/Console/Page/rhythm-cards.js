// The cards of the rhythms of the library: name, print, meter and tempo. The print shows the first bar of the rhythm as dots. For a page that
// may choose, the cards are buttons. On a card that was chosen, a ring runs once with the bar, and the rhythm begins at the next bar.

import { create } from "./elements.js"
import { onEachFrame, wakeFrames } from "./frame-loop.js"
import { createIcon } from "./icons.js"
import { leadOf, leaderOf } from "./leading.js"
import { createSVG, nameOf } from "./sign.js"
import { text } from "./strings.js"

const element = (id) => document.getElementById(id)

/** The height of a row of the print in units, and the widths and heights of a soft, a normal and a loud stroke, in shares of a step. */
const ROW = 2
const STROKES = [undefined, [0.5, 0.9], [0.7, 1.4], [0.95, 1.8]]
/** The largest numbers of rows, steps and strokes in a row that are drawn. */
const [ROWS, STEPS] = [6, 128]
/** The radius of the ring of a chosen card, and its length. */
const RADIUS = 9
const AROUND = 2 * Math.PI * RADIUS

/** The print of a rhythm. The first row is at the bottom. */
function createPrint({ beats, unit, print }) {
  const steps = Math.min((beats * 16) / unit, STEPS)
  const rows = print.slice(0, ROWS)
  const height = Math.max(rows.length, 1) * ROW
  const cells = rows.flatMap((row, index) => row.slice(0, STEPS).flatMap(({ step, strength }) => {
    if (!STROKES[strength] || !(step >= 0 && step < steps)) return []
    const [width, tall] = STROKES[strength]
    const y = height - (index + 0.5) * ROW - tall / 2
    return [createSVG("rect", { class: strength === 1 ? "soft" : "", x: step + (1 - width) / 2, y, width, height: tall, rx: 0.25 })]
  }))
  return createSVG("svg", { class: "print", viewBox: `0 0 ${steps} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" }, ...cells)
}

export class RhythmCards {
  #context
  /** The ring of the card that was chosen; undefined if no rhythm is coming. */
  #ring

  constructor(context) {
    this.#context = context
    context.pulse.onBeat(() => this.#mark())
    onEachFrame((moment) => this.#turn(moment))
  }

  /** Whether the newest rhythm has been chosen and begins only at a later bar. */
  get #isComing() {
    const { pulse, rhythm } = this.#context
    const position = pulse.at(performance.now())
    return position !== undefined && position.patch !== rhythm.patch
  }

  /** The rhythms of the library, and the present one if it is not in the library. */
  get #rhythms() {
    const { rhythm: { patch }, state: { ensemble, rhythms } } = this.#context
    if (rhythms.some(({ name }) => name === ensemble.patch)) return rhythms
    return [{ name: ensemble.patch, beats: patch?.beats ?? 4, unit: patch?.unit ?? 4, print: [] }, ...rhythms]
  }

  render() {
    const { ensemble } = this.#context.state
    if (!ensemble) return
    const lead = leadOf(this.#context)
    const canChoose = lead === "leads" || lead === "start"
    const leader = leaderOf(this.#context.state)
    element("cards-title").textContent = canChoose ? text("otherRhythms")
      : leader ? text("choosesRhythm", { name: nameOf(leader) }) : text("rhythms")
    const rhythms = this.#rhythms
    const list = element("cards")
    const signature = JSON.stringify([rhythms, canChoose])
    if (list.dataset.signature !== signature) {
      list.dataset.signature = signature
      const focused = document.activeElement?.dataset?.rhythm
      list.replaceChildren(...rhythms.map((rhythm) => create("li", {}, this.#card(rhythm, canChoose))))
      if (focused !== undefined) list.querySelector(`[data-rhythm="${CSS.escape(focused)}"]`)?.focus()
    }
    this.#mark()
  }

  /** Marks the card of the rhythm that plays, or that begins at the next bar. */
  #mark() {
    const { ensemble } = this.#context.state
    const isComing = this.#isComing
    this.#ring = undefined
    for (const card of element("cards").querySelectorAll(".rhythm-card")) {
      const isChosen = card.dataset.rhythm === ensemble?.patch
      card.classList.toggle("chosen", isChosen && !isComing)
      card.classList.toggle("coming", isChosen && isComing)
      if (isChosen && isComing) this.#ring = card.querySelector(".turn .arc")
      if (card.matches("button")) card.setAttribute("aria-pressed", String(isChosen))
      else if (isChosen) card.setAttribute("aria-current", "true")
      else card.removeAttribute("aria-current")
    }
    if (this.#ring) wakeFrames()
  }

  #turn(moment) {
    if (!this.#ring) return false
    const position = this.#context.pulse.at(moment)
    const share = position ? position.place / position.patch.table.barSteps : 0
    this.#ring.setAttribute("stroke-dasharray", `${(share * AROUND).toFixed(1)} ${AROUND}`)
    return true
  }

  #card({ name, beats, unit, bpm, ...rest }, canChoose) {
    const circle = (className) => createSVG("circle", { class: className, cx: 12, cy: 12, r: RADIUS })
    const turn = createSVG("svg", { class: "turn", viewBox: "0 0 24 24", "aria-hidden": "true" }, circle("whole"), circle("arc"))
    const tempo = bpm === undefined ? [] : [create("span", { className: "pace" }, createIcon("note"), String(Math.round(bpm)))]
    const card = create(canChoose ? "button" : "span", {
      className: "rhythm-card", attributes: { "data-rhythm": name, ...(canChoose ? { type: "button" } : {}) },
    }, create("b", { textContent: name, lang: "en" }), createPrint({ beats, unit, ...rest }),
    create("small", {}, create("span", { textContent: `${beats}/${unit}` }), ...tempo), turn)
    if (canChoose) card.addEventListener("click", () => this.#context.connection.command({ do: "patch", name }))
    return card
  }
}
