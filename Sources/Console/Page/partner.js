// Playing together with another player: this player changes the sound of the other one's instrument, plays the pitches that the
// other one sets, or exchanges phrases with the other one.

import { create } from "./elements.js"
import { text } from "./strings.js"

const element = (id) => document.getElementById(id)
const PHRASE_BARS = 2
/** The controllers `tilt forward` and `tilt sideways`. */
const SHAPES = { "shape-tone": 1, "shape-pitch": 74 }

/** The keys that another player holds, of which each note of this player plays one, as the Swift type BorrowedPitches does. */
export class BorrowedPitches {
  #keys = []
  #presses = -1
  #next = 0

  /** Takes over the keys in the order in which they were pressed, and the number of keys that were pressed so far. */
  update({ keys, presses }) {
    const index = keys.indexOf(this.#keys[this.#next])
    if (presses !== this.#presses) this.#next = keys.length - 1
    else if (index >= 0) this.#next = index
    else if (this.#next >= keys.length) this.#next = 0
    this.#presses = presses
    this.#keys = keys
  }

  /** The key that the next note plays; undefined if no key was pressed yet. */
  take() {
    const key = this.#keys[this.#next]
    this.#next = this.#next + 1 < this.#keys.length ? this.#next + 1 : 0
    return key
  }
}

export class PartnerView {
  #context
  /** The identity and the name of the chosen player; undefined: none. */
  #partner
  #pitches = new BorrowedPitches()
  #held = {}
  #instance

  constructor(context) {
    this.#context = context
    const { connection, audio } = context
    element("partner").addEventListener("change", (event) => this.#choose(event.target.value))
    for (const radio of this.#forms) radio.addEventListener("change", () => this.render())
    for (const [id, controller] of Object.entries(SHAPES)) {
      element(id).addEventListener("input", ({ target }) => {
        element(`${id}-value`).value = target.value
        connection.command({ do: "shape", peer: this.#partner.identity, controller, value: Number(target.value) })
      })
    }
    const phrase = (action, values = {}) => connection.command({ do: "phrase", action, ...values })
    element("phrase-record").addEventListener("click", () => {
      phrase("record", { bars: PHRASE_BARS })
      context.announce(text("phraseRecording"))
    })
    element("phrase-send").addEventListener("click", () => {
      phrase("send", { peer: this.#partner.identity })
      context.announce(text("phraseSent", { name: this.#partner.name }))
    })
    for (const action of ["play", "vary", "stop"]) element(`phrase-${action}`).addEventListener("click", () => phrase(action))
    element("share").addEventListener("change", () => this.render())
    connection.addEventListener("welcome", ({ detail }) => this.#forgetPlayers(detail.instance))
    connection.addEventListener("partners", ({ detail }) => {
      this.#held = detail.held
      this.#updatePitches()
      audio.setShape({ tone: detail.shape[1], pitch: detail.shape[74] })
    })
  }

  /** A peer that has started again has not heard the other players yet. */
  #forgetPlayers(instance) {
    if (instance === this.#instance) return
    this.#instance = instance
    this.#held = {}
    this.#context.audio.setShape({})
  }

  /** The keys that the other players hold, by identity. */
  get held() {
    return this.#held
  }

  get #forms() {
    return document.querySelectorAll("#forms input")
  }

  get #form() {
    return this.#partner && [...this.#forms].find(({ checked }) => checked)?.value
  }

  #choose(identity) {
    const member = this.#context.state.ensemble?.members.find((member) => member.identity === identity)
    this.#partner = member && { identity, name: member.name ?? text("unnamed") }
    this.#pitches = new BorrowedPitches()
    this.#updatePitches()
    this.render()
  }

  #updatePitches() {
    const held = this.#partner && this.#held[this.#partner.identity]
    if (held) this.#pitches.update(held)
  }

  /** The key that the next note of this player plays instead of `key`. */
  key(key, { drums, low }) {
    if (this.#form !== "pitches" || drums.length > 0) return key
    const borrowed = this.#pitches.take()
    if (borrowed === undefined) return key
    // A key outside two octaves of the instrument moves by octaves.
    return low + ((((borrowed - low) % 24) + 24) % 24)
  }

  render() {
    const { ensemble } = this.#context.state
    if (!ensemble) return
    this.#renderPlayers(ensemble.members)
    const isOpen = this.#context.connection.state === "open"
    element("forms").hidden = !this.#partner
    const name = this.#partner?.name ?? ""
    const form = this.#form
    const notes = { pitches: "pitchesNote", shape: "shapeNote", phrase: "phraseNote" }
    const note = form ? text(notes[form], { name }) : text("withNote")
    if (element("form-note").textContent !== note) element("form-note").textContent = note
    element("form-shape").hidden = form !== "shape"
    element("form-phrase").hidden = form !== "phrase"
    for (const id of Object.keys(SHAPES)) element(id).disabled = !isOpen
    this.#renderPhrases(ensemble.phrases, isOpen)
  }

  /** Lists the players. The chosen player remains chosen until it leaves. */
  #renderPlayers(members) {
    if (this.#partner && !members.some(({ identity }) => identity === this.#partner.identity)) {
      this.#context.announce(text("partnerLeft", { name: this.#partner.name }))
      this.#partner = undefined
    }
    const select = element("partner")
    const players = [["", text("nobody")], ...members.map(({ identity, name }) => [identity, name ?? text("unnamed")])]
    const signature = JSON.stringify(players)
    if (select.dataset.signature !== signature) {
      select.dataset.signature = signature
      select.replaceChildren(...players.map(([value, textContent]) => create("option", { value, textContent })))
    }
    select.value = this.#partner?.identity ?? ""
  }

  #renderPhrases({ recorded, received, sender, variation }, isOpen) {
    const isShared = element("share").checked
    element("phrase-record").disabled = !isOpen || !isShared
    element("phrase-send").disabled = !isOpen || recorded === undefined
    const hasPhrase = recorded !== undefined || received !== undefined
    for (const action of ["play", "vary"]) element(`phrase-${action}`).disabled = !isOpen || !hasPhrase
    element("phrase-stop").disabled = !isOpen || variation === undefined
    const states = [
      isShared ? undefined : text("phraseNeedsShare"),
      recorded === undefined ? text("phraseNone") : text("phraseRecorded", { count: recorded }),
      received === undefined ? undefined : text("phraseReceived", { name: sender, count: received }),
      variation === undefined ? undefined
        : variation === 0 ? text("phrasePlays") : text("phraseVaries", { number: variation }),
    ]
    const state = states.filter(Boolean).join(" ")
    if (element("phrase-state").textContent !== state) element("phrase-state").textContent = state
  }
}
