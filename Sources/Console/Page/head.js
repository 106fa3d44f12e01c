// The head: who leads, the tempo, and the controls of the leader. On wide screens, these controls are in the head. On narrow screens, they
// are in the sheet *You lead*, which the tempo opens. They are the same elements, which move.

import { create } from "./elements.js"
import { createIcon, setIcon } from "./icons.js"
import { leadOf, leaderOf } from "./leading.js"
import { openSheet } from "./sheet.js"
import { createSign, nameOf } from "./sign.js"
import { text } from "./strings.js"
import { TapTempo } from "./tap-tempo.js"

const element = (id) => document.getElementById(id)

/** The width from which the controls of the leader are in the head. */
const WIDE = matchMedia("(min-width: 64rem) and (min-height: 501px)")
/** The count-in of the button *Count in*, in bars. */
const BARS = 1
/** A tempo that has not changed for this time is announced, in milliseconds. */
const CONSTANT = 1000

export class Head {
  #context
  #taps = new TapTempo()
  #tempoTimer
  /** What is shown: the leader, and the players whom the leader can ask to lead. */
  #leader
  #successors

  constructor(context) {
    this.#context = context
    const { connection } = context
    for (const id of ["start-stop", "start-stop-too"]) element(id).addEventListener("click", () => this.#toggle())
    element("slower").addEventListener("click", () => this.#nudge(-1))
    element("faster").addEventListener("click", () => this.#nudge(1))
    element("tempo").addEventListener("change", ({ target }) => {
      const bpm = target.valueAsNumber
      if (target.checkValidity() && Number.isFinite(bpm)) connection.command({ do: "tempo", bpm })
      else target.value = String(this.#bpm)
    })
    // A tap counts when the finger touches the button, not when it leaves the button.
    element("tap").addEventListener("pointerdown", (event) => this.#tap(event.timeStamp))
    element("tap").addEventListener("keydown", (event) => {
      if (event.repeat || (event.key !== " " && event.key !== "Enter")) return
      event.preventDefault()
      this.#tap(event.timeStamp)
    })
    element("count-in").addEventListener("click", () => this.#countIn())
    element("next-rhythm").addEventListener("click", () => this.#chooseNext())
    element("fill").addEventListener("click", () => connection.command({ do: "fill" }))
    element("quiet").addEventListener("click", () => this.setQuiet(!context.state.ensemble?.isQuiet))
    element("tempo-button").addEventListener("click", () => openSheet("lead-sheet"))
    WIDE.addEventListener("change", () => this.#placeControls())
    context.pulse.onBeat(() => this.renderFill())
    document.addEventListener("keydown", (event) => this.#listen(event))
    this.#placeControls()
  }

  get #bpm() {
    return this.#context.state.ensemble?.bpm ?? 0
  }

  #placeControls() {
    element(WIDE.matches ? "lead-bar" : "lead-body").append(element("lead-controls"))
    if (WIDE.matches) element("lead-sheet").close()
  }

  #toggle() {
    this.#context.connection.command({ do: leadOf(this.#context) === "leads" ? "stop" : "start" })
  }

  #countIn() {
    this.#context.connection.command({ do: "count-in", bars: BARS })
    element("lead-sheet").close()
  }

  /** The rhythm that follows the present one in the library, the first one after the last; undefined if there is no other one. */
  get #nextRhythm() {
    const { ensemble, rhythms } = this.#context.state
    const next = rhythms[(rhythms.findIndex(({ name }) => name === ensemble?.patch) + 1) % rhythms.length]
    return next?.name === ensemble?.patch ? undefined : next?.name
  }

  /** Chooses the next rhythm, which begins at the next bar. */
  #chooseNext() {
    const name = this.#nextRhythm
    if (name === undefined) return
    this.#context.connection.command({ do: "patch", name })
    this.#context.announce(text("nextIs", { name }))
  }

  #nudge(bpm) {
    this.#context.connection.command({ do: "nudge", bpm })
  }

  setQuiet(on) {
    this.#context.connection.command({ do: "quiet", on })
  }

  #tap(moment) {
    const bpm = this.#taps.tap(moment)
    if (bpm === undefined) return
    this.#context.connection.command({ do: "tempo", bpm })
  }

  /** The keys of the leader: Shift + Enter, + and −, T, N and Q. They can be switched off together with the letters of the instrument. */
  #listen(event) {
    const { letters } = this.#context
    if (!this.#context.player.hasJoined || this.#context.connection.access !== "lead" || !letters.accepts(event)) return
    const key = event.key.toLowerCase()
    const step = event.shiftKey && event.code?.startsWith("Numpad") ? 5 : 1
    const action = {
      t: () => this.#tap(event.timeStamp), n: () => this.#countIn(), q: () => this.setQuiet(!this.#context.state.ensemble?.isQuiet),
      "+": () => this.#nudge(step), "-": () => this.#nudge(-step), enter: event.shiftKey ? () => this.#toggle() : undefined,
    }[key]
    if (!action) return
    event.preventDefault()
    const lead = leadOf(this.#context)
    if (lead === "follows") this.#context.banner.tellLeader()
    else if (lead !== "none") action()
  }

  render() {
    const { ensemble } = this.#context.state
    const lead = leadOf(this.#context)
    const canLead = lead === "leads" || lead === "start"
    document.body.classList.toggle("leading", canLead)
    const start = element("start-stop")
    start.hidden = !canLead
    element("lead-bar").hidden = !canLead
    if (!canLead && element("lead-sheet").open) element("lead-sheet").close()
    const isStop = lead === "leads"
    start.setAttribute("aria-label", text(isStop ? "stop" : "start"))
    setIcon(start.firstElementChild, isStop ? "stop" : "start")
    element("start-stop-too").replaceChildren(createIcon(isStop ? "stop" : "start"), text(isStop ? "stop" : "start"))
    element("slower").setAttribute("aria-label", text("slower"))
    element("faster").setAttribute("aria-label", text("faster"))
    element("quiet").hidden = !isStop
    element("quiet").setAttribute("aria-pressed", String(ensemble?.isQuiet === true))
    element("count-in").hidden = isStop
    element("next-rhythm").hidden = this.#nextRhythm === undefined
    this.renderFill()
    this.#renderLeader(canLead)
    if (!ensemble) return
    this.#renderTempo(ensemble, canLead)
    this.#renderSuccessors(ensemble)
  }

  /** Shows whether the rhythm has a fill, and whether the leader has asked for it. Called on each beat and after each frame `rhythm` too. */
  renderFill() {
    const { pulse, rhythm } = this.#context
    element("fill").hidden = leadOf(this.#context) !== "leads" || rhythm.patch?.hasFill !== true
    const position = pulse.at(performance.now())
    const fill = rhythm.schedule?.fill ?? Infinity
    const isWanted = position?.patch && fill < Infinity && position.tick < fill + position.patch.table.barTicks
    element("fill").setAttribute("aria-pressed", String(isWanted === true))
  }

  #renderTempo({ bpm }, canLead) {
    const shown = String(Math.round(bpm))
    element("tempo-button").hidden = !canLead
    element("tempo-text").hidden = canLead
    const isNew = element("tempo-value").textContent !== shown
    for (const id of ["tempo-value", "tempo-button-value"]) element(id).textContent = shown
    element("tempo-button").setAttribute("aria-label", text("tempoButton", { bpm: shown }))
    if (document.activeElement !== element("tempo")) element("tempo").value = String(bpm)
    document.documentElement.style.setProperty("--q", `${Math.round(60_000 / Math.max(bpm, 20))}ms`)
    if (!isNew) return
    clearTimeout(this.#tempoTimer)
    this.#tempoTimer = setTimeout(() => this.#context.announce(text("tempoSet", { bpm: shown })), CONSTANT)
  }

  /** The sign of the leader. While nobody leads, it is that of the peer of this page. */
  #renderLeader(canLead) {
    const { connection, state } = this.#context
    const leader = leaderOf(state)
    const shown = leader ?? state.ensemble?.players.find(({ identity }) => identity === state.ensemble.identity)
    const link = element("leader")
    link.hidden = canLead || !shown
    link.classList.toggle("lost", connection.state !== "open")
    if (!shown) return
    const name = nameOf(shown)
    const signature = `${shown.sign}/${name}/${leader !== undefined}/${document.documentElement.lang}`
    if (signature === this.#leader) return
    this.#leader = signature
    const label = leader ? text("leads", { name }) : name
    link.setAttribute("aria-label", label)
    link.replaceChildren(createSign(shown.sign, { name, leads: leader !== undefined }),
      create("span", { className: "who", textContent: label, attributes: { "aria-hidden": "true" } }),
      create("span", { className: "short", textContent: leader ? text("leadsWord") : "", attributes: { "aria-hidden": "true" } }))
  }

  /** The players of other peers whom the leader can ask to lead. */
  #renderSuccessors({ role, members, players }) {
    const successors = role === "master" ? members.map(({ identity }) => players.find((row) => row.identity === identity)).filter(Boolean) : []
    element("successors").hidden = successors.length === 0
    const signature = JSON.stringify([successors.map(({ identity, name, sign }) => [identity, name, sign]), document.documentElement.lang])
    if (signature === this.#successors) return
    this.#successors = signature
    element("successor-list").replaceChildren(...successors.map((row) => {
      const name = nameOf(row)
      const button = create("button", { type: "button", className: "mate", attributes: { "aria-label": text("askName", { name }) } },
        createSign(row.sign, { name }), create("span", { textContent: name }))
      button.addEventListener("click", () => {
        this.#context.connection.command({ do: "offer", peer: row.identity })
        this.#context.announce(text("asked", { name }))
        element("lead-sheet").close()
      })
      return button
    }))
  }
}
