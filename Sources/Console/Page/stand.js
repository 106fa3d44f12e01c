// The music stand: shows the engraved part, turns it by halves, and draws the cursor. What is seen at a moment is what is heard at this
// moment (see pulse.js).

import { create } from "./elements.js"
import { onEachFrame, wakeFrames } from "./frame-loop.js"
import { PageTurns } from "./page-turns.js"
import { text } from "./strings.js"

/** From this size on, in pixels, the stand shows two pages side by side. */
const [TWO_PAGES_WIDTH, TWO_PAGES_HEIGHT] = [700, 300]
/** The space beside and between the systems, in pixels. */
const [MARGIN, GAP] = [12, 10]
/** The largest further space between two systems, in pixels. */
const LARGEST_SPREAD = 36
/** A swipe is longer than this, in pixels. */
const SWIPE = 48
/** The share of the width at each edge in which a touch turns the page. */
const EDGE = 0.22

/**
 * The stand. Events: `bar` when another bar is played or the player has turned (see `present` and `isManual`); `choose` when the player has
 * touched a bar, with its index as `detail`.
 */
export class Stand extends EventTarget {
  #root
  #context
  /** The engraved part ({@link SheetMusic}); undefined while there is none. */
  #music
  /** The pieces: some systems that fit into one place of the stand, as {systems, bars, svg}. */
  #pieces = []
  /** The bars in which the part plays. */
  #places = []
  #turns = new PageTurns([], 1)
  #cursor = create("i", { className: "stand-cursor", hidden: true })
  #tint = create("i", { className: "stand-tint", hidden: true })
  /** What is drawn: the pieces in the places, and the bar of the tint. */
  #drawn = ""
  #isVisible = false
  /** The bar that the player has looked up while nothing plays. */
  #looked
  /** The position that is heard, see ScoreRoute.at; undefined while nothing plays. */
  present

  constructor(root, context) {
    super()
    this.#root = root
    this.#context = context
    new ResizeObserver(() => this.#resized()).observe(root)
    onEachFrame((moment) => this.#draw(moment))
    this.#listen()
  }

  get isVisible() {
    return this.#isVisible
  }

  set isVisible(isVisible) {
    if (isVisible === this.#isVisible) return
    this.#isVisible = isVisible
    this.#drawn = ""
    if (isVisible) this.#resized()
  }

  get isManual() {
    return this.#turns.isManual
  }

  /** The number of pages side by side. */
  get columns() {
    return this.#root.clientWidth > TWO_PAGES_WIDTH && this.#root.clientHeight > TWO_PAGES_HEIGHT ? 2 : 1
  }

  /** The width of the music in pixels; 0 while the stand is not visible. */
  get width() {
    const { clientWidth } = this.#root
    return clientWidth > 0 ? Math.max(Math.floor(clientWidth / this.columns) - 2 * MARGIN, 50) : 0
  }

  #resized() {
    if (!this.#isVisible || this.width === 0) return
    this.dispatchEvent(new CustomEvent("resize"))
    this.#arrange()
  }

  /** Shows an engraved part; undefined shows none. The stand stays at the bar that it shows. */
  show(music) {
    this.#music = music
    this.#arrange()
  }

  /** Divides the systems into pieces, each as high as one place of the stand. */
  #arrange() {
    const music = this.#music
    const [shown, isManual] = [this.#firstBar, this.#turns.isManual]
    this.#root.replaceChildren()
    this.#pieces = []
    this.#drawn = ""
    if (!music || this.width === 0) return
    const { columns } = this
    const height = this.#root.clientHeight
    const tallest = Math.max(...music.systems.map((system) => system.bottom - system.top), 1)
    // If a system does not fit into half of a narrow stand, the stand has one place, and a system that is still too high is made smaller.
    const count = columns === 2 || tallest + GAP <= height / 2 ? 2 : 1
    const room = columns === 2 || count === 1 ? height : height / 2
    let piece
    for (const system of music.systems) {
      const needed = system.bottom - system.top + GAP
      if (!piece || piece.height + needed > room) {
        piece = { systems: [], height: 0, bars: new Set() }
        this.#pieces.push(piece)
      }
      piece.systems.push({ system, y: piece.height + GAP / 2 - system.top })
      piece.height += needed
      for (const { from, to } of system.measures) for (let bar = from; bar <= to; bar += 1) piece.bars.add(bar)
    }
    for (const each of this.#pieces) this.#spread(each, room)
    for (const each of this.#pieces) each.svg = music.picture(each.systems, { height: Math.max(each.height, 1) })
    this.#places = Array.from({ length: count }, () => create("div", { className: "stand-place" }))
    this.#root.classList.toggle("pages", columns === 2)
    this.#root.classList.toggle("whole", count === 1)
    this.#root.append(music.definitions, ...this.#places, this.#tint, this.#cursor)
    this.#turns = new PageTurns(this.#pieces.map(({ bars }) => bars), count)
    if (isManual) this.#turns.show(shown, true)
    else this.#turns.show(this.present?.bar ?? this.#looked ?? shown ?? 0)
    this.#place()
    wakeFrames()
  }

  /** Spreads the systems of a piece, if it nearly fills its place. */
  #spread(piece, room) {
    const rest = room - piece.height
    const count = piece.systems.length
    if (count < 2 || rest > LARGEST_SPREAD * count) return
    piece.systems.forEach((each, index) => { each.y += (rest * index) / (count - 1) })
    piece.height = room
  }

  /** The first written bar that is shown. */
  get #firstBar() {
    const piece = this.#pieces[this.#turns.shown[this.#turns.place]]
    return piece && Math.min(...piece.bars)
  }

  /** Puts the pieces into their places. */
  #place() {
    const { shown, place } = this.#turns
    this.#places.forEach((element, index) => {
      const svg = this.#pieces[shown[index]]?.svg
      if (element.firstChild !== (svg ?? null)) element.replaceChildren(...(svg ? [svg] : []))
      element.classList.toggle("read", index === place)
    })
    this.#root.classList.toggle("divided", this.#places.length === 2 && shown[1] !== undefined && shown[1] < shown[0])
    const bars = shown.flatMap((piece) => [...(this.#pieces[piece]?.bars ?? [])])
    if (bars.length > 0) {
      const [from, to] = [Math.min(...bars), Math.max(...bars)]
      this.#root.setAttribute("aria-label", text("musicOf", { part: this.#music.part, from: this.#context.scoreView.numberOf(from), to: this.#context.scoreView.numberOf(to) }))
    }
  }

  #draw(moment) {
    const position = this.#context.pulse.at(moment)
    const heard = position && this.#context.state.route.at(position.tick)
    const before = this.present
    this.present = heard
    if (heard?.start !== before?.start) this.dispatchEvent(new CustomEvent("bar"))
    if (!this.#isVisible || !this.#music || this.#pieces.length === 0) return this.#context.pulse.plays
    const wasManual = this.#turns.isManual
    if (heard) {
      this.#looked = undefined
      this.#turns.follow(heard.bar, (test) => this.#context.state.route.find(heard, test)?.position.bar)
    }
    if (wasManual !== this.#turns.isManual) this.dispatchEvent(new CustomEvent("bar"))
    const bar = heard?.bar ?? this.#looked ?? this.#context.scoreView.startBar
    const drawn = `${this.#turns.shown}/${bar}`
    if (drawn !== this.#drawn) {
      this.#drawn = drawn
      this.#place()
      this.#drawTint(bar)
    }
    this.#drawCursor(heard)
    return this.#context.pulse.plays
  }

  /** Where a written bar is drawn: {measure, left, top, scale} in pixels of the stand, and the height of its staves; undefined if it is not shown. */
  #boxOf(bar) {
    for (const [index, element] of this.#places.entries()) {
      const piece = this.#pieces[this.#turns.shown[index]]
      if (!piece?.bars.has(bar) || !piece.svg.isConnected) continue
      for (const { system, y } of piece.systems) {
        const measure = system.measures.find(({ from, to }) => bar >= from && bar <= to)
        if (!measure) continue
        // A piece that is higher than its place is made smaller.
        const scale = Math.min(1, element.clientHeight / piece.height)
        const left = element.offsetLeft + (element.clientWidth - this.#music.width * scale) / 2
        return { measure, left, scale, top: element.offsetTop + (y + system.staffTop) * scale, height: (system.staffBottom - system.staffTop) * scale }
      }
    }
    return undefined
  }

  #drawTint(bar) {
    const box = bar === undefined ? undefined : this.#boxOf(bar)
    this.#tint.hidden = !box
    if (!box) return
    const { measure, left, top, height, scale } = box
    this.#tint.style.setProperty("width", `${((measure.right - measure.begin) * scale).toFixed(1)}px`)
    this.#tint.style.setProperty("height", `${(height + 16).toFixed(1)}px`)
    this.#tint.style.setProperty("transform", `translate(${(left + measure.begin * scale).toFixed(1)}px, ${(top - 8).toFixed(1)}px)`)
  }

  #drawCursor(heard) {
    const box = heard && this.#boxOf(heard.bar)
    this.#cursor.hidden = !box
    if (!box) return
    const { measure, left, top, height, scale } = box
    const x = left + measure.x(heard.bar, heard.ticks / 24, heard.length / 24) * scale
    this.#cursor.style.setProperty("height", `${(height + 20).toFixed(1)}px`)
    this.#cursor.style.setProperty("transform", `translate(${x.toFixed(1)}px, ${(top - 10).toFixed(1)}px)`)
  }

  /** Turns by half of the stand: 1 forwards, -1 backwards. */
  turn(step) {
    if (!this.#turns.turn(step)) return
    this.#looked = undefined
    this.#turned()
  }

  /** Follows the music again. */
  follow() {
    this.#turns.release()
    if (this.present) this.#turns.show(this.present.bar)
    this.#turned()
  }

  /** Shows a written bar while nothing plays. */
  look(bar) {
    this.#looked = bar
    this.#turns.show(bar)
    this.#turned()
  }

  #turned() {
    this.#drawn = ""
    this.dispatchEvent(new CustomEvent("bar"))
    wakeFrames()
  }

  /** Whether the part plays in a written bar. */
  playsIn(bar) {
    return this.#music?.sounding.has(bar) ?? true
  }

  // Touches: at the edges and with a swipe, the page turns. In the middle, a touch chooses a bar.

  #listen() {
    let began
    this.#root.addEventListener("pointerdown", ({ clientX, clientY }) => { began = [clientX, clientY] })
    this.#root.addEventListener("pointerup", ({ clientX, clientY }) => {
      if (!began) return
      const [dx, dy] = [clientX - began[0], clientY - began[1]]
      began = undefined
      if (Math.abs(dx) > SWIPE && Math.abs(dx) > 2 * Math.abs(dy)) return this.turn(dx < 0 ? 1 : -1)
      if (Math.hypot(dx, dy) > SWIPE) return undefined
      return this.#touch(clientX, clientY)
    })
    this.#root.addEventListener("keydown", (event) => {
      if (event.key !== " " && event.key !== "Enter") return
      event.preventDefault()
      this.turn(1)
    })
    document.addEventListener("keydown", (event) => {
      const step = { PageDown: 1, ArrowRight: 1, ArrowDown: 1, PageUp: -1, ArrowLeft: -1, ArrowUp: -1 }[event.key]
      if (!step || !this.#isVisible || document.querySelector("dialog[open]") || event.target.matches?.("select, input, [role=slider]")) return
      event.preventDefault()
      this.turn(step)
    })
  }

  #touch(clientX, clientY) {
    const bounds = this.#root.getBoundingClientRect()
    const share = (clientX - bounds.left) / bounds.width
    if (this.#context.scoreView.isOneButton || share > 1 - EDGE) return this.turn(1)
    if (share < EDGE) return this.turn(-1)
    const bar = this.#barAt(clientX - bounds.left, clientY - bounds.top)
    if (bar !== undefined) this.dispatchEvent(new CustomEvent("choose", { detail: bar }))
    return undefined
  }

  /** The written bar at a point of the stand; undefined if there is none. */
  #barAt(x, y) {
    for (const piece of this.#turns.shown) {
      for (const bar of this.#pieces[piece]?.bars ?? []) {
        const box = this.#boxOf(bar)
        if (!box) continue
        const { measure, left, top, height, scale } = box
        const isInside = x >= left + measure.left * scale && x <= left + measure.right * scale
        if (isInside && y >= top - 24 && y <= top + height + 24) return bar
      }
    }
    return undefined
  }
}
