// The banner: one line below the head that says what is unusual, in the flow, so it covers nothing. There is at most one: the most urgent. It
// comes and goes on a beat, so that the surface does not change its size while the player touches it between two beats.

import { createCountdown } from "./countdown.js"
import { create } from "./elements.js"
import { createIcon } from "./icons.js"
import { leadOf, leaderOf } from "./leading.js"
import { openSheet } from "./sheet.js"
import { nameOf } from "./sign.js"
import { text } from "./strings.js"

/** A question to lead, or for the lead, stays for this time, in milliseconds. A ring runs down meanwhile. */
const QUESTION = 30_000
/** A banner that only informs stays for this time, in milliseconds: four bars at 120 quarter notes per minute. */
const SHORT = 8000

export class Banner {
  #root
  #context
  /** What was said last by `tell`: {message, action}; undefined after a while. */
  #told
  #toldTimer
  /** The ends of the questions that are asked now, by who asks: moments of performance.now(). An answered question has the end 0. */
  #questions = new Map()
  /** The moment until which the banner says that the page has moved to another peer. */
  #movedUntil = 0
  /** The largest number of samples that were missing since all were loaded. */
  #toLoad = 0
  #shown = ""

  constructor(root, context) {
    this.#root = root
    this.#context = context
    context.connection.addEventListener("switch", () => {
      this.#movedUntil = performance.now() + SHORT
      setTimeout(() => this.render(), SHORT + 100)
    })
    context.pulse.onBeat(() => this.#apply())
  }

  /** Says something for a few seconds. `state`: the state of the motion sensors, if the message is about them. */
  tell(message, state) {
    // If the server has no certificate, the sheet has nothing that helps.
    const isHelp = state === "insecure" && !document.getElementById("secure").hidden
    this.#tell({ icon: "moving", title: message, action: isHelp ? { label: "secureHow", run: () => openSheet("moving-sheet") } : undefined })
  }

  /** Says who leads, because the player has pressed a key of the leader. */
  tellLeader() {
    const { obstacle, master, leader } = this.#context.state.ensemble
    if (obstacle === "clock") return this.#tell({ icon: "baton", title: text("clockLeads") })
    const name = (obstacle === "leader" ? leader : master) ?? ""
    return this.#tell({ icon: "baton", title: text("leads", { name }), note: text("leadsNote", { name }) })
  }

  #tell(banner) {
    this.#told = { isCalm: true, ...banner }
    clearTimeout(this.#toldTimer)
    this.#toldTimer = setTimeout(() => {
      this.#told = undefined
      this.render()
    }, SHORT)
    this.#apply()
  }

  /** Called after each change of the state. */
  render() {
    this.#updateQuestions()
    // The first banner after a silence of the rhythm comes at once.
    if (!this.#context.pulse.plays || document.hidden) this.#apply()
  }

  /** Begins and ends the times of the questions: whether this peer leads (`offer`), and those of the peers that would like to lead. */
  #updateQuestions() {
    const { ensemble } = this.#context.state
    const asking = new Set(ensemble?.members.filter(({ asks }) => asks === true).map(({ identity }) => identity))
    if (ensemble?.isOffered) asking.add("offer")
    for (const who of this.#questions.keys()) if (!asking.has(who)) this.#questions.delete(who)
    for (const who of asking) {
      if (this.#questions.has(who)) continue
      this.#questions.set(who, performance.now() + QUESTION)
      setTimeout(() => this.render(), QUESTION + 100)
    }
  }

  #isOpen(who) {
    return this.#questions.get(who) > performance.now()
  }

  /** Ends a question, because the player has answered it. */
  #answer(who) {
    this.#questions.set(who, 0)
    this.#apply()
  }

  /** The time of a question, for its ring. */
  #wait(who) {
    return { total: QUESTION, end: this.#questions.get(who) }
  }

  /** The question of a peer that would like to lead; undefined if there is none. */
  get #wish() {
    const { connection, state: { ensemble } } = this.#context
    if (leadOf(this.#context) !== "leads") return undefined
    const member = ensemble.members.find(({ asks, identity }) => asks === true && this.#isOpen(identity))
    if (!member) return undefined
    const { identity } = member
    const row = ensemble.players.find((each) => each.identity === identity)
    const name = row ? nameOf(row) : member.name
    return {
      icon: "baton", title: text("asksToLead", { name }), wait: this.#wait(identity),
      action: { label: "theyLead", name, id: "give", run: () => { connection.command({ do: "offer", peer: identity }); this.#answer(identity) } },
      other: { label: "notNow", run: () => this.#answer(identity) },
    }
  }

  #apply() {
    const banner = this.#most
    const signature = JSON.stringify([banner, document.documentElement.lang])
    if (signature === this.#shown) return
    this.#shown = signature
    this.#root.replaceChildren(...(banner ? [this.#build(banner)] : []))
  }

  /** The most urgent banner: {icon, title, note, action, other, wait, progress, isCalm}; undefined if there is none. */
  get #most() {
    const { audio, connection, endedAlone, player, state: { ensemble } } = this.#context
    const { failure, missing } = audio.samples
    if (!player.hasJoined) return undefined
    if (failure) return { icon: "mute", title: text("soundFailed", { reason: failure }) }
    if (!audio.isRunning) return { icon: "mute", title: text("noSound"), action: { label: "soundOn", run: () => audio.start() } }
    if (connection.state !== "open") {
      return endedAlone() ? { icon: "lost", title: text("away"), note: text("playFreely") } : { icon: "lost", title: text("alone"), note: text("looking") }
    }
    if (player.isWaiting) return { icon: "everyone", title: text("peerFull") }
    const leader = leaderOf(this.#context.state)
    const name = leader ? nameOf(leader) : ""
    if (ensemble?.isOffered && connection.access === "lead" && this.#isOpen("offer")) {
      return {
        icon: "baton", title: name ? text("asksYou", { name }) : text("askedToLead"), wait: this.#wait("offer"),
        action: { label: "iLead", id: "take", run: () => connection.command({ do: "take" }) },
        other: { label: "notNow", run: () => this.#answer("offer") },
      }
    }
    const wish = this.#wish
    if (wish) return wish
    if (player.row?.isMuted) return { icon: "mute", title: name ? text("mutedBy", { name }) : text("muted"), note: text("mutedNote") }
    if (ensemble?.isQuiet) {
      const action = leadOf(this.#context) === "leads" ? { label: "playOn", run: () => connection.command({ do: "quiet", on: false }) } : undefined
      return { icon: "quiet", title: text("quiet"), note: text("quietNote"), action }
    }
    this.#toLoad = missing > 0 ? Math.max(this.#toLoad, missing) : 0
    if (missing === undefined) return { icon: "sound", title: text("soundPreparing"), isCalm: true }
    if (missing > 0) return { icon: "sound", title: text("soundLoading"), progress: [this.#toLoad - missing, this.#toLoad], isCalm: true }
    if (performance.now() < this.#movedUntil && connection.hasMoved && ensemble) {
      return { icon: "check", title: text("moved", { name: ensemble.name }), note: text("movedNote", { first: this.#context.firstPeerName() }), isCalm: true }
    }
    if (this.#told) return this.#told
    if (!this.#context.rhythm.schedule?.plays && leadOf(this.#context) !== "start" && leadOf(this.#context) !== "leads") {
      const other = ensemble?.leader
      return { icon: "moon", title: text("noRhythm"), note: other ? text("canStart", { name: other }) : text("playFreely"), isCalm: true }
    }
    return undefined
  }

  #build({ icon, title, note, action, other, wait, progress, isCalm }) {
    const message = create("p", {}, title)
    if (note) message.append(create("small", { textContent: note }))
    const sign = wait ? create("span", { className: "wait" }, createIcon(icon), createCountdown(wait.total, wait.end)) : createIcon(icon)
    const banner = create("div", { className: isCalm ? "calm" : "" }, sign, message)
    if (progress) banner.append(create("progress", { value: progress[0], max: progress[1], attributes: { "aria-label": title } }))
    if (other) {
      const button = create("button", { type: "button", attributes: { "aria-label": text(other.label) } }, createIcon("close"))
      button.addEventListener("click", other.run)
      banner.append(button)
    }
    if (action) {
      const button = create("button", { type: "button", id: action.id ?? "", textContent: text(action.label, action) })
      if (!action.id) button.removeAttribute("id")
      button.addEventListener("click", action.run)
      banner.append(button)
    }
    return banner
  }
}
