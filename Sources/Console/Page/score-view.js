// The place *Score*: the part that the player has chosen, its size and transposition, the bar, the rests that are counted, and for the leader
// the start at a bar and the repetition of bars.

import { create } from "./elements.js"
import { leadOf } from "./leading.js"
import { usePedal } from "./midi-pedal.js"
import { PieceLine } from "./piece-line.js"
import { store, stored } from "./settings.js"
import { SheetMusic } from "./sheet-music.js"
import { text } from "./strings.js"

const element = (id) => document.getElementById(id)

const [ZOOM_KEY, PART_KEY, TRANSPOSITION_KEY, ONE_KEY] = ["tutti.zoom", "tutti.part", "tutti.transposition", "tutti.one-button"]
/** The sizes of the notes in percent. */
const ZOOMS = [60, 70, 80, 90, 100, 115, 130, 150, 175, 200, 250]
/** The button *Go to bar* stays for this time, in milliseconds. */
const OFFER = 6000

export class ScoreView {
  #context
  #line
  /** The path of the part that is shown or requested, and its music. */
  #path
  #part = 0
  #zoom = ZOOMS.includes(Number(stored(ZOOM_KEY))) ? Number(stored(ZOOM_KEY)) : 100
  #transposition = 0
  /** The bar that the leader has touched while the music plays. */
  #chosen
  #offerTimer
  /** The digest for which the menus are filled, and the language. */
  #filled = ""

  constructor(context) {
    this.#context = context
    const { connection, stand } = context
    this.#line = new PieceLine(element("piece-line"), context, (bar) => this.#look(bar))
    element("page-back").addEventListener("click", () => stand.turn(-1))
    element("page-on").addEventListener("click", () => stand.turn(1))
    element("stand-follow").addEventListener("click", () => stand.follow())
    element("stand-go").addEventListener("click", () => this.#go())
    element("stand-part").addEventListener("change", ({ target }) => {
      this.#part = Number(target.value)
      store(PART_KEY, this.#score.parts[this.#part]?.name ?? "")
      this.#load()
      this.render()
    })
    element("transpose").addEventListener("change", ({ target }) => {
      this.#transposition = Number(target.value)
      store(TRANSPOSITION_KEY, target.value)
      this.#load()
    })
    for (const [id, step] of [["zoom-less", -1], ["zoom-more", 1]]) element(id).addEventListener("click", () => this.#setZoom(step))
    element("part-sounds").addEventListener("change", ({ target }) => {
      connection.command({ do: "score-part", part: `#${this.#part + 1}`, percent: target.checked })
    })
    element("loop-on").addEventListener("click", () => {
      const [from, to] = ["loop-from", "loop-to"].map((id) => Number(element(id).value))
      connection.command({ do: "loop", from: `#${Math.min(from, to) + 1}`, to: `#${Math.max(from, to) + 1}` })
    })
    element("loop-off").addEventListener("click", () => connection.command({ do: "vamp", on: false }))
    element("pedal").addEventListener("click", async ({ currentTarget }) => {
      const isOn = await usePedal((step) => stand.isVisible && stand.turn(step))
      currentTarget.setAttribute("aria-pressed", String(isOn))
      element("pedal-note").textContent = text(isOn ? "pedalOn" : "pedalMissing")
    })
    stand.addEventListener("bar", () => this.#renderBar())
    stand.addEventListener("resize", () => this.#load())
    stand.addEventListener("choose", ({ detail }) => this.#choose(detail))
    this.#transposition = Number(stored(TRANSPOSITION_KEY)) || 0
  }

  get #score() {
    return this.#context.state.score
  }

  /** Whether a touch anywhere turns the page. */
  get isOneButton() {
    return stored(ONE_KEY) === "true"
  }

  /** The printed number of a written bar, or its place if it has none. */
  numberOf(bar) {
    return this.#score?.bars[bar] || String(bar + 1)
  }

  /** The written bar with which the music would start. */
  get startBar() {
    return this.#context.state.route.first
  }

  /** Called after each frame `score`. */
  update() {
    const { score } = this.#context.state
    const wanted = stored(PART_KEY)
    const named = score.parts.findIndex(({ name }) => name === wanted)
    this.#part = Math.max(named, 0)
    this.#fill()
    this.#load()
    this.render()
  }

  /** Fills the menus. */
  #fill() {
    const { digest, parts, bars } = this.#score
    const filled = `${digest}/${parts.length}/${document.documentElement.lang}`
    if (filled === this.#filled) return
    this.#filled = filled
    const options = (names) => names.map((name, index) => create("option", { value: String(index), textContent: name }))
    element("stand-part").replaceChildren(...options(parts.map(({ name }) => name)))
    const numbers = bars.map((_, bar) => this.numberOf(bar))
    for (const id of ["loop-from", "loop-to"]) element(id).replaceChildren(...options(numbers))
    element("transpose").replaceChildren(...Array.from({ length: 25 }, (_, index) => {
      const count = 12 - index
      const name = count === 0 ? text("noTransposition") : text(count > 0 ? "transposeUp" : "transposeDown", { count: Math.abs(count) })
      return create("option", { value: String(count), textContent: name })
    }))
  }

  #setZoom(step) {
    const next = ZOOMS[ZOOMS.indexOf(this.#zoom) + step]
    if (next === undefined) return
    this.#zoom = next
    store(ZOOM_KEY, String(next))
    this.#load()
    this.render()
  }

  /** Loads the part at the present width, size and transposition. What is shown stays until the new music is here. */
  async #load() {
    const { connection, stand } = this.#context
    const score = this.#score
    if (!score?.isHere) {
      this.#path = undefined
      return stand.show(undefined)
    }
    if (stand.width === 0) return undefined
    const path = `/score/${score.digest}/${this.#part}/${stand.width}/${this.#zoom}/${this.#transposition}.svg`
    if (path === this.#path) return undefined
    this.#path = path
    this.#note("partLoading")
    try {
      const music = await SheetMusic.load(connection, path, score.parts[this.#part].name, stand.width)
      if (path !== this.#path) return undefined
      this.#note()
      stand.show(music)
      this.#renderBar()
    } catch (error) {
      if (path !== this.#path) return undefined
      this.#path = undefined
      this.#note("partFailed", { reason: error.message })
    }
    return undefined
  }

  #note(key, values) {
    element("stand-note").textContent = key ? text(key, values) : ""
  }

  render() {
    const score = this.#score
    if (!score?.digest) return
    this.#fill()
    if (!score.isHere) this.#note("scoreWaits")
    element("stand-part").value = String(this.#part)
    element("transpose").value = String(this.#transposition)
    element("zoom").textContent = `${this.#zoom} %`
    element("stand-lead").hidden = this.#context.connection.access !== "lead"
    element("part-sounds").checked = score.parts[this.#part]?.sounds ?? true
    const leads = leadOf(this.#context) === "leads"
    for (const id of ["loop-on", "loop-off", "loop-from", "loop-to"]) element(id).disabled = !leads
    this.#line.render()
    this.#renderBar()
  }

  /** Shows the bar, the rests that remain, and the way back to the music. */
  #renderBar() {
    const { stand, state: { route } } = this.#context
    const { present } = stand
    const bar = present?.bar ?? this.startBar
    element("stand-bar").textContent = bar === undefined ? "" : this.numberOf(bar)
    this.#line.update(bar)
    let rest = ""
    if (present && !stand.playsIn(present.bar)) {
      const entry = route.find(present, (other) => stand.playsIn(other))
      if (entry) rest = entry.distance === 1 ? text("restLast") : text("restNow", { count: entry.distance })
      element("stand-rest").classList.toggle("cue", entry?.distance === 1)
    }
    element("stand-rest").textContent = rest
    const follow = element("stand-follow")
    follow.hidden = !(stand.isManual && present)
    if (!follow.hidden) follow.lastChild.textContent = text("backToBar", { bar: this.numberOf(bar) })
    if (!present && this.#chosen !== undefined) this.#offer(undefined)
  }

  /** Looks at a bar. The page of the leader also moves the start to it. */
  #look(bar) {
    const { connection, stand } = this.#context
    if (stand.present) return
    stand.look(bar)
    if (leadOf(this.#context) === "start") connection.command({ do: "bar", number: `#${bar + 1}` })
  }

  /** The player has touched a bar. On the page of the leader, everyone starts there; while the music plays, a button asks before. */
  #choose(bar) {
    const { connection, stand } = this.#context
    const lead = leadOf(this.#context)
    if (lead === "start") {
      connection.command({ do: "bar", number: `#${bar + 1}` })
      connection.command({ do: "count-in", bars: 1 })
    } else if (lead === "leads") this.#offer(bar)
    else if (!stand.present) stand.look(bar)
  }

  #offer(bar) {
    clearTimeout(this.#offerTimer)
    this.#chosen = bar
    const button = element("stand-go")
    button.hidden = bar === undefined
    if (bar === undefined) return
    button.lastChild.textContent = text("goToBar", { bar: this.numberOf(bar) })
    this.#offerTimer = setTimeout(() => this.#offer(undefined), OFFER)
  }

  #go() {
    this.#context.connection.command({ do: "bar", number: `#${this.#chosen + 1}` })
    this.#offer(undefined)
  }
}
