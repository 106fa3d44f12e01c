// Shows the steps of the present bar as a grid, with one row for each drum and each pitched part. The present step is marked.

import { onEachFrame } from "./frame-loop.js"

const TICKS_PER_STEP = 6
/** The names of the parts by their codes. The code of the drums is 0. */
const PART_NAMES = ["", "bass", "guitar", "keys"]
/** The velocities halfway between a soft, a normal and a loud stroke, whose velocities are 56, 88 and 120 (VELOCITIES in table.js). */
const [NORMAL, LOUD] = [72, 104]

export class StepGrid {
  #container
  #context
  /** The elements of each row, one per step. */
  #cells = []
  /** The name of each row, and a function that returns whether a hit belongs to the row. */
  #rows = []
  #stepsPerBar = 16
  /** The bar that is shown. */
  #bar = 0
  /** The marked step of the bar; -1 for none. */
  #step = -1
  #activity = 0
  /** The bar, the activity and the run whose hits are drawn, and whether a rhythm plays. */
  #drawn = ""
  #reducedMotion = matchMedia("(prefers-reduced-motion: reduce)")

  constructor(container, context) {
    this.#container = container
    this.#context = context
    onEachFrame((moment) => this.#draw(moment))
  }

  /** Creates the rows for the newest patch. */
  render() {
    const { patch } = this.#context.rhythm
    this.#stepsPerBar = patch.table.barSteps
    const voices = patch.voices.map(({ name, note }) => ({ name, matches: (hit) => hit.part === 0 && hit.note === note }))
    const parts = new Set(patch.table.lines.filter((line) => line.isPitched).map((line) => line.part))
    const pitched = [...parts].map((part) => ({ name: PART_NAMES[part], matches: (hit) => hit.part === part }))
    this.#rows = [...voices, ...pitched]
    this.#container.style.setProperty("--steps", String(this.#stepsPerBar))
    const stepsPerBeat = 16 / patch.unit
    this.#cells = []
    const children = []
    for (const { name } of this.#rows) {
      const label = document.createElement("span")
      label.className = "voice"
      label.textContent = name
      children.push(label)
      const cells = []
      for (let step = 0; step < this.#stepsPerBar; step += 1) {
        const cell = document.createElement("i")
        if (step % stepsPerBeat === 0) cell.className = "beat"
        cells.push(cell)
        children.push(cell)
      }
      this.#cells.push(cells)
    }
    this.#container.replaceChildren(...children)
    this.#step = -1
    this.#drawn = ""
  }

  /** Sets the total activity. While no rhythm plays, the grid shows the hits at this activity. */
  setActivity(activity) {
    this.#activity = activity
  }

  /** The step at a moment, counted from the first downbeat; undefined while no rhythm plays. */
  #stepAt(moment) {
    const { connection, rhythm } = this.#context
    if (!rhythm.schedule?.plays || !connection.hasClock) return undefined
    const position = rhythm.schedule.position(connection.peerTime(moment))
    if (position < rhythm.schedule.firstSound || position >= rhythm.schedule.end) return undefined
    return Math.floor(position / TICKS_PER_STEP)
  }

  #draw(moment) {
    if (this.#cells.length === 0 || this.#container.offsetParent === null) return
    const present = this.#stepAt(moment)
    const length = this.#stepsPerBar
    const { rhythm } = this.#context
    const { firstStep } = rhythm.patch
    const bar = present === undefined ? 0 : Math.floor((present - firstStep) / length)
    // While no rhythm plays, the grid shows the first bar at the present total activity.
    const signature = `${bar}/${this.#activity}/${present === undefined}/${rhythm.schedule?.run}`
    if (signature !== this.#drawn) {
      this.#drawn = signature
      this.#bar = bar
      this.#drawHits(present !== undefined)
    }
    const column = present === undefined ? -1 : present - firstStep - bar * length
    // With reduced motion, the mark moves only once per quarter note (four steps).
    const step = this.#reducedMotion.matches && column >= 0 ? column - (column % 4) : column
    if (step === this.#step) return
    for (const cells of this.#cells) {
      cells[this.#step]?.classList.remove("now")
      cells[step]?.classList.add("now")
    }
    this.#step = step
    this.#container.dataset.step = present === undefined ? "" : String(present)
  }

  #drawHits(isPlaying) {
    const { rhythm } = this.#context
    for (let column = 0; column < this.#stepsPerBar; column += 1) {
      const step = this.#bar * this.#stepsPerBar + column
      const hits = isPlaying
        ? rhythm.hits(step + rhythm.patch.firstStep)
        : rhythm.patch.table.hits(step, this.#activity)
      this.#rows.forEach((row, index) => {
        const loudest = hits.filter(row.matches).reduce((level, hit) => Math.max(level, hit.velocity), 0)
        const cell = this.#cells[index][column]
        cell.classList.toggle("soft", loudest > 0 && loudest < NORMAL)
        cell.classList.toggle("hit", loudest >= NORMAL)
        cell.classList.toggle("loud", loudest > LOUD)
      })
    }
  }
}
