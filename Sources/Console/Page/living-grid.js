// The living grid: the bar that sounds now, with one row for each drum and each pitched part. The rows are sorted by the energy at which they
// wake. What always sounds is at the bottom. The energy bar stands upright to the left of the rows, and its surface reaches the middle of a
// row exactly when this row wakes. So everybody sees: more movement, more rows.
//
// A stroke is a filled cell. Its height is its strength: a dot, a normal stroke, an accent. A stroke whose layer sleeps is dotted: it is a
// stroke of the bar at the largest energy that does not sound at the present one.

import { create } from "./elements.js"
import { endsOf, sharesOf } from "./energy-bar.js"
import { onEachFrame, reducedMotion, wakeFrames } from "./frame-loop.js"
import { beatAt, groupsOf } from "./meter.js"
import { colourOf } from "./sign.js"
import { text, voiceName } from "./strings.js"

const MAXIMUM = 127
/** The names of the parts by their codes. The code of the drums is 0. */
const PARTS = ["drums", "bass", "guitar", "keys"]
const PART_TEXTS = ["drums", "bass", "guitarPart", "keysPart"]
/** The velocities halfway between a soft, a normal and a loud stroke, whose velocities are 56, 88 and 120 (VELOCITIES in table.js). */
const [NORMAL, LOUD] = [72, 104]
/** The gap between two beats in pixels, as in places.css. */
const GAP = 6
const STRENGTHS = ["soft", "hit", "loud"]
/** The number of steps whose strokes are drawn in one frame. */
const COLUMNS = 2

export class LivingGrid {
  #root
  #context
  /** The rows from the top to the bottom: {name, lines, from, matches, cells, label}. `from`: the energy at which a row first sounds. */
  #rows = []
  #tower = create("div", { className: "tower", attributes: { "aria-hidden": "true" } })
  #now = create("i", { className: "line", hidden: true })
  #table = create("div", { className: "rows" })
  #patch
  /** The bar, the energy and the run whose strokes are drawn, and whether a rhythm plays, as one text; the energy. */
  #drawn = ""
  #energy
  /** What is still to be drawn: {bar, energy, isPlaying, column}; undefined if all strokes are drawn. */
  #pending
  /** The velocities of the rows at the largest energy, by step of the pattern. */
  #whole = []
  /** The step that is marked; -1 for none. */
  #step = -1

  constructor(root, context) {
    this.#root = root
    this.#context = context
    root.append(this.#tower, this.#table)
    onEachFrame((moment) => this.#draw(moment))
    context.pulse.onBeat(() => this.#drawTower())
  }

  /** Creates the rows of the newest patch. */
  render() {
    const { patch } = this.#context.rhythm
    this.#patch = patch
    const { table } = patch
    const steps = table.barSteps
    const groups = groupsOf(patch)
    // The lines of a voice. A line without strokes does not count.
    const hasStrokes = ({ firstStroke, bars, strokesPerBar }) => (
      table.strokes.slice(firstStroke, firstStroke + bars * strokesPerBar).some((stroke) => stroke >= 1 && stroke <= 5))
    const linesOf = (matches) => table.lines.filter((line) => matches(line) && hasStrokes(line))
    const drums = patch.voices.map(({ name, note }) => ({
      ...voiceName(name), part: 0, lines: linesOf((line) => !line.isPitched && line.voice === note), matches: (hit) => hit.part === 0 && hit.note === note,
    }))
    const parts = [...new Set(table.lines.filter(({ isPitched }) => isPitched).map(({ part }) => part))].map((part) => ({
      name: text(PART_TEXTS[part]), part, lines: linesOf((line) => line.isPitched && line.part === part), matches: (hit) => hit.part === part,
    }))
    this.#rows = [...drums, ...parts].filter(({ lines }) => lines.length > 0)
      .map((row) => ({ ...row, from: Math.min(...row.lines.map(({ from }) => from)) })).sort((a, b) => b.from - a.from)
    this.#table.replaceChildren(...this.#rows.map((row) => {
      row.label = create("span", { className: "voice", textContent: row.name, lang: row.lang ?? "" })
      row.cells = Array.from({ length: steps }, () => create("i"))
      const beats = groups.map((length, index) => {
        const from = groups.slice(0, index).reduce((sum, each) => sum + each, 0)
        const beat = create("span", { className: "beat-cells" }, ...row.cells.slice(from, from + length))
        beat.style.setProperty("--length", length)
        return beat
      })
      return create("div", { className: `row ${PARTS[row.part]}` }, row.label, create("div", { className: "cells" }, ...beats))
    }), this.#now)
    this.#drawn = ""
    this.#pending = undefined
    this.#whole = []
    this.#step = -1
    wakeFrames()
  }

  /** Called after each frame `levels` or `ensemble`. */
  update() {
    if (this.#context.pulse.plays) return
    this.#drawTower()
    if (this.#total !== this.#energy) wakeFrames()
  }

  /**
   * The height of an energy on the tower, as a share. The surface reaches the middle of the row n from the bottom at the energy of this row.
   * Between two rows, the scale is linear. Several rows with the same energy wake together, so the highest of them counts.
   */
  #height(energy) {
    const count = this.#rows.length
    const points = [[0, 0]]
    for (const [index, { from }] of [...this.#rows].reverse().entries()) {
      const point = [from, (index + 0.5) / count]
      if (points.at(-1)[0] === from) points[points.length - 1] = point
      else points.push(point)
    }
    points.push([MAXIMUM + 1, 1])
    const above = points.findIndex(([from]) => from > energy)
    const [[low, bottom], [high, top]] = [points[above - 1], points[above]]
    return bottom + ((energy - low) / (high - low)) * (top - bottom)
  }

  /** The shares of the players, stacked from the bottom. */
  #drawTower() {
    if (this.#root.offsetParent === null || this.#rows.length === 0) return
    const shares = sharesOf(this.#context)
    const ends = endsOf(shares, this.#context.state.ensemble?.totalRule)
    const total = this.#total
    const last = ends.at(-1) || 1
    while (this.#tower.children.length < shares.length) this.#tower.prepend(create("i"))
    while (this.#tower.children.length > shares.length) this.#tower.firstChild.remove()
    // The first share is on top of the others, so it is the last child.
    ;[...this.#tower.children].reverse().forEach((bar, index) => {
      const height = this.#height(Math.min(MAXIMUM, (ends[index] / last) * total))
      bar.style.setProperty("--c", colourOf(shares[index].sign))
      bar.style.setProperty("transform", `translateY(${((1 - (total > 0 ? height : 0)) * 100).toFixed(1)}%)`)
    })
  }

  /** The total energy that the rhythm has now. */
  get #total() {
    return this.#context.state.levels?.total ?? 0
  }

  #draw(moment) {
    if (this.#rows.length === 0 || this.#root.offsetParent === null) return false
    const { pulse, rhythm } = this.#context
    const position = pulse.at(moment)
    const isHere = position?.patch === this.#patch
    const bar = isHere ? position.bar : 0
    const energy = isHere ? rhythm.schedule.intensityAt(Math.floor(position.tick)) : this.#total
    const signature = `${bar}/${energy}/${isHere}/${position?.countsIn}/${rhythm.schedule?.run}`
    if (signature !== this.#drawn) {
      this.#drawn = signature
      this.#energy = energy
      this.#pending = { bar, energy, isPlaying: isHere, column: 0 }
      this.#describe(energy)
      this.#drawTower()
    }
    if (this.#pending) this.#drawColumns()
    this.#drawLine(isHere ? position : undefined)
    return pulse.plays || this.#pending !== undefined
  }

  /** Marks the present step, and moves the line. With reduced motion, both jump from beat to beat. */
  #drawLine(position) {
    const exact = position ? Math.floor(position.tick / 6) : -1
    this.#root.dataset.step = exact < 0 ? "" : String(exact)
    const place = position && (reducedMotion.matches ? position.beat.from : position.place)
    const step = position ? Math.floor(place) : -1
    if (this.#now.hidden === (position !== undefined)) this.#now.hidden = position === undefined
    if (position) this.#now.style.setProperty("transform", this.#across(place, position))
    if (step === this.#step) return
    for (const { cells } of this.#rows) {
      cells[this.#step]?.classList.remove("now")
      cells[step]?.classList.add("now")
    }
    this.#step = step
  }

  /** The way of the line across the cells, with the gaps between the beats. */
  #across(place, { groups, patch }) {
    const { index } = beatAt(groups, place)
    return `translateX(calc((100% - ${(groups.length - 1) * GAP}px) * ${(place / patch.table.barSteps).toFixed(4)} + ${index * GAP}px))`
  }

  /**
   * Draws the strokes of the next columns. A step of a style takes a few milliseconds on a slow phone. If all steps were drawn in one frame,
   * the sound would have to wait. The line of the present moves more slowly than the columns are drawn.
   */
  #drawColumns() {
    const { bar, energy, isPlaying } = this.#pending
    const { rhythm } = this.#context
    const { table, firstStep } = this.#patch
    const end = Math.min(this.#pending.column + COLUMNS, table.barSteps)
    for (let column = this.#pending.column; column < end; column += 1) {
      const step = bar * table.barSteps + column
      const awake = this.#loudest(isPlaying ? rhythm.hits(step + firstStep) : table.hits(step, energy))
      const sleeping = this.#sleeping(bar, column)
      this.#rows.forEach(({ cells }, index) => {
        const isAsleep = awake[index] === 0 && sleeping[index] > 0
        const velocity = awake[index] || sleeping[index]
        const strength = velocity === 0 ? "" : STRENGTHS[velocity > LOUD ? 2 : velocity >= NORMAL ? 1 : 0]
        cells[column].className = `${strength}${isAsleep ? " asleep" : ""}${column === this.#step ? " now" : ""}`
      })
    }
    this.#pending = end < table.barSteps ? { ...this.#pending, column: end } : undefined
  }

  /** The velocity of the loudest of some hits, for each row. */
  #loudest(hits) {
    return this.#rows.map(({ matches }) => hits.reduce((level, hit) => (matches(hit) ? Math.max(level, hit.velocity) : level), 0))
  }

  /** The velocities of a step at the largest energy. They repeat with the pattern, so they are computed only once. */
  #sleeping(bar, column) {
    const { table } = this.#patch
    const step = (((bar % table.bars) + table.bars) % table.bars) * table.barSteps + column
    this.#whole[step] ??= this.#loudest(table.hits(step, MAXIMUM))
    return this.#whole[step]
  }

  /** Marks the rows that sleep, and says for screen readers what sounds. */
  #describe(energy) {
    const isAwake = ({ lines }) => lines.some(({ from, to }) => from <= energy && energy <= to)
    for (const row of this.#rows) row.label.classList.toggle("asleep", !isAwake(row))
    const names = (rows) => rows.map(({ name }) => name).reverse().join(", ")
    const [awake, asleep] = [names(this.#rows.filter(isAwake)), names(this.#rows.filter((row) => !isAwake(row)))]
    this.#root.setAttribute("aria-label", [awake && text("sounding", { names: awake }), asleep && text("sleeping", { names: asleep })].filter(Boolean).join(" "))
  }
}
