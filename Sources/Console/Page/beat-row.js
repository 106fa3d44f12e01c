// The beat row: one pill for each beat of the bar, as wide as the beat is long. The pill of the present beat fills from left to right. Below
// it lies the lane, on which each note of the player leaves a dot for one bar. So a player sees her own rhythm, and whether it lies on the
// beats. A note that waits for the grid is a ring first. The notes of the others leave dots in their colours.

import { create } from "./elements.js"
import { onEachFrame, reducedMotion, wakeFrames } from "./frame-loop.js"
import { groupsOf } from "./meter.js"
import { text } from "./strings.js"

/** The largest number of dots of other players. */
const MAXIMUM_OTHERS = 96

export class BeatRow {
  #root
  #context
  #pills = []
  /** The parts of the lane, one for each beat. */
  #lanes = []
  /** The patch whose beats are shown, and the notes on the lane: {dot, tick, isOther}. */
  #patch
  #notes = []
  /** What the pills show, as one text. */
  #shown = ""

  /** @param hasLane whether the row has a lane. */
  constructor(root, context, { hasLane = false } = {}) {
    this.#root = root
    this.#context = context
    const pills = create("div", { className: "pills" })
    root.append(pills, ...(hasLane ? [create("div", { className: "lane" })] : []))
    onEachFrame((moment) => this.#draw(moment))
  }

  /** Draws the beats of the newest patch. */
  render() {
    const { patch } = this.#context.rhythm
    this.#root.setAttribute("aria-label", patch ? text("bar", { meter: `${patch.beats}/${patch.unit}` }) : text("barUnknown"))
    this.#show(patch)
    wakeFrames()
  }

  #show(patch) {
    if (patch === this.#patch) return
    this.#patch = patch
    this.#shown = ""
    this.#notes = []
    const groups = patch ? groupsOf(patch) : [4, 4, 4, 4]
    const sized = (className, length, ...children) => {
      const part = create("span", { className }, ...children)
      part.style.setProperty("--length", length)
      return part
    }
    this.#pills = groups.map((length) => sized("pill", length, create("i"), create("b")))
    this.#lanes = groups.map((length) => sized("beat-lane", length))
    const [pills, lane] = this.#root.children
    pills.replaceChildren(...this.#pills)
    lane?.replaceChildren(...this.#lanes)
  }

  /** Shows a note of the player: one that sounds now, or one that will sound at a moment of performance.now(). */
  add(moment) {
    this.#addDot(create("i", { className: moment === undefined ? "dot" : "dot waits" }), moment, false)
  }

  /** Shows a note of another player in the colour of this player. It sounds at a moment of performance.now(). */
  addOther(moment, colour) {
    const others = this.#notes.filter(({ isOther }) => isOther)
    if (others.length >= MAXIMUM_OTHERS) this.#remove(others[0])
    const dot = create("i", { className: moment > performance.now() ? "dot other waits" : "dot other" })
    dot.style.setProperty("--c", colour)
    this.#addDot(dot, moment, true)
  }

  #addDot(dot, moment, isOther) {
    const { connection, pulse, rhythm } = this.#context
    if (!pulse.plays || this.#lanes.length === 0) return
    const tick = rhythm.schedule.position(connection.peerTime(moment))
    const position = pulse.placeOf(tick)
    if (position?.patch !== this.#patch) return
    const { beat, place } = position
    dot.style.setProperty("left", `${(((place - beat.from) / beat.length) * 100).toFixed(1)}%`)
    this.#lanes[beat.index].append(dot)
    this.#notes.push({ dot, tick, isOther })
    wakeFrames()
  }

  #remove(note) {
    note.dot.remove()
    this.#notes = this.#notes.filter((each) => each !== note)
  }

  #draw(moment) {
    if (this.#root.offsetParent === null) return false
    const position = this.#context.pulse.at(moment)
    if (position && position.patch !== this.#patch) this.#show(position.patch)
    this.#drawPills(position)
    this.#drawNotes(position)
    return this.#context.pulse.plays
  }

  #drawPills(position) {
    const present = position ? position.beat.index : -1
    const signature = `${present}/${position?.countsIn}`
    if (signature !== this.#shown) {
      this.#shown = signature
      this.#pills.forEach((pill, index) => {
        pill.classList.toggle("now", index === present)
        pill.classList.toggle("past", index < present && !position.countsIn)
        pill.lastChild.textContent = position?.countsIn ? String(this.#pills.length - index) : ""
        if (index !== present) pill.firstChild.style.setProperty("transform", "scaleX(0)")
      })
    }
    if (!position) return
    const phase = reducedMotion.matches || position.countsIn ? 1 : position.phase
    this.#pills[present].firstChild.style.setProperty("transform", `scaleX(${phase.toFixed(3)})`)
  }

  /** A note that waits becomes a dot when it sounds. After a bar, the dot disappears. */
  #drawNotes(position) {
    const barTicks = (this.#patch?.table.barSteps ?? 16) * 6
    this.#notes = this.#notes.filter(({ dot, tick }) => {
      const isOver = !position || position.tick > tick + barTicks - 3 || position.tick < tick - barTicks
      if (isOver) dot.remove()
      else if (position.tick >= tick) dot.classList.remove("waits")
      return !isOver
    })
  }
}
