// The top of the page, which stays visible in all tabs: the controls of the rhythm (start, tempo, *All quiet*), and the hint to a player
// that waits.

import { text } from "./strings.js"
import { TapTempo } from "./tap-tempo.js"

const element = (id) => document.getElementById(id)

export class LeaderStrip {
  #context
  #taps = new TapTempo()
  #controls = ["start-stop", "slower", "tempo", "faster", "tap", "quiet"].map(element)

  constructor(context) {
    this.#context = context
    const { connection } = context
    element("start-stop").addEventListener("click", () => {
      connection.command({ do: this.#isMaster ? "stop" : "start" })
    })
    element("slower").addEventListener("click", () => connection.command({ do: "nudge", bpm: -1 }))
    element("faster").addEventListener("click", () => connection.command({ do: "nudge", bpm: 1 }))
    element("tempo").addEventListener("change", (event) => {
      const bpm = event.target.valueAsNumber
      if (event.target.checkValidity() && Number.isFinite(bpm)) connection.command({ do: "tempo", bpm })
      else this.render()
    })
    // A tap counts when the finger touches the button, not when it leaves the button.
    element("tap").addEventListener("pointerdown", (event) => this.#tap(event.timeStamp))
    element("tap").addEventListener("keydown", (event) => {
      if (event.repeat || (event.key !== " " && event.key !== "Enter")) return
      event.preventDefault()
      this.#tap(event.timeStamp)
    })
    element("quiet").addEventListener("click", () => {
      connection.command({ do: "quiet", on: !context.state.ensemble?.isQuiet })
    })
    element("take").addEventListener("click", () => connection.command({ do: "take" }))
  }

  get #isMaster() {
    return this.#context.state.ensemble?.role === "master"
  }

  focus() {
    element("start-stop").focus()
  }

  #tap(moment) {
    if (element("tap").disabled) return
    const bpm = this.#taps.tap(moment)
    if (bpm === undefined) return
    this.#context.connection.command({ do: "tempo", bpm })
    this.#context.announce(text("tempoSet", { bpm }))
  }

  /** The text of the reason why this page cannot control the rhythm; undefined if it can. */
  static reason({ connection, state }) {
    if (connection.state !== "open" || !state.ensemble) return text("reasonOffline")
    if (connection.access !== "lead") return text("reasonPlay")
    const key = { master: "reasonMaster", leader: "reasonLeader", clock: "reasonClock" }[state.ensemble.obstacle]
    const { obstacle, leader, master } = state.ensemble
    return key && text(key, { name: (obstacle === "leader" ? leader : master) ?? "" })
  }

  render() {
    const { ensemble } = this.#context.state
    const reason = LeaderStrip.reason(this.#context)
    for (const control of this.#controls) control.disabled = reason !== undefined
    element("quiet").disabled = reason !== undefined || !this.#isMaster
    element("reason").textContent = reason ?? ""
    element("start-stop").textContent = text(ensemble && ensemble.role !== "idle" ? "stop" : "start")
    element("slower").setAttribute("aria-label", text("slower"))
    element("faster").setAttribute("aria-label", text("faster"))
    const hint = this.#context.player.isWaiting ? text("peerFull") : ""
    // A screen reader would read the hint again whenever the same text is set.
    if (element("peer-full").textContent !== hint) element("peer-full").textContent = hint
    if (!ensemble) return
    if (document.activeElement !== element("tempo")) element("tempo").value = String(ensemble.bpm)
    element("quiet").setAttribute("aria-pressed", String(ensemble.isQuiet))
    const isOffered = ensemble.isOffered === true && this.#context.connection.access === "lead"
    if (isOffered && element("offer").hidden) this.#context.announce(text("offered"))
    element("offer").hidden = !isOffered
  }
}
