// Playing together with another player, the partner: another page, or the local player of a peer. The player of this page plays the pitches
// that the partner gives, bends the sound of the partner's instrument, or swaps melodies with the partner. The sheet *My playing* has the
// choice, and a strip on *Play* has the controls of the chosen form.

import { create } from "./elements.js"
import { createSign, colourOf, nameOf } from "./sign.js"
import { showValue } from "./slider.js"
import { text } from "./strings.js"

const element = (id) => document.getElementById(id)
/** The length of a recorded phrase in bars. */
const PHRASE_BARS = 2
/** The controllers `tilt forward` (1) and `tilt sideways` (74), by the identifiers of their sliders. */
const SHAPES = { "shape-tone": 1, "shape-pitch": 74 }
/** The buttons of a phrase that are named by their action. */
const ACTIONS = ["play", "vary", "stop"]
/** A partner that is missing for this time, in milliseconds, has left. A page that connects again is missing only for a moment. */
const PATIENCE = 5000

/** The keys that the partner holds. Each note of the player of this page plays one of them. A port of the Swift type BorrowedPitches. */
export class BorrowedPitches {
  /** The held keys in the order in which they were pressed. */
  #keys = []
  /** How many times the partner has pressed a key; -1 before the first update. */
  #presses = -1
  /** The index of the key that the next note plays. */
  #next = 0

  /** Sets the held keys, and how many times a key was pressed so far. After a new press, the next note plays the newest key. */
  update({ keys, presses }) {
    const index = keys.indexOf(this.#keys[this.#next])
    if (presses !== this.#presses) this.#next = keys.length - 1
    else if (index >= 0) this.#next = index
    else if (this.#next >= keys.length) this.#next = 0
    this.#presses = presses
    this.#keys = keys
  }

  /** Returns the key that the next note plays, and selects the key of the note after it. Undefined if no key was pressed yet. */
  take() {
    const key = this.#keys[this.#next]
    this.#next = this.#next + 1 < this.#keys.length ? this.#next + 1 : 0
    return key
  }

  /** The number of keys, and the index of the next one. */
  get state() {
    return { count: this.#keys.length, next: this.#next }
  }
}

export class PartnerView {
  #context
  /** The partner, as the frame `ensemble` last described it; undefined if none is chosen. */
  #partner
  /** The timer that ends the playing together with a partner that is missing. */
  #leaving
  #pitches = new BorrowedPitches()
  /** The keys that the players hold, by identity. */
  #held = {}
  /** The `instance` in the newest frame `welcome`: a random number, new after each start of the peer. */
  #instance
  /** The signs of the partner that are shown. */
  #signs = ""

  constructor(context) {
    this.#context = context
    const { connection, audio } = context
    for (const radio of this.#forms) radio.addEventListener("change", () => this.#chooseForm())
    for (const [id, controller] of Object.entries(SHAPES)) {
      element(id).addEventListener("input", ({ target }) => {
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
      context.announce(text("phraseSent", { name: nameOf(this.#partner) }))
    })
    for (const action of ACTIONS) element(`phrase-${action}`).addEventListener("click", () => phrase(action))
    element("share").addEventListener("change", () => this.render())
    connection.addEventListener("welcome", ({ detail }) => this.#forgetPlayers(detail.instance))
    connection.addEventListener("partners", ({ detail }) => {
      this.#held = detail.held
      this.#updatePitches()
      const shape = detail.shape[context.player.identity] ?? {}
      audio.setShape({ tone: shape[1], pitch: shape[74] })
    })
  }

  /** Forgets the held keys and the shape of the sound if the peer was restarted. The peer does not know them any longer. */
  #forgetPlayers(instance) {
    if (instance === this.#instance) return
    this.#instance = instance
    this.#held = {}
    this.#context.audio.setShape({})
  }

  /** The keys that the players hold, by identity. */
  get held() {
    return this.#held
  }

  /** The radio buttons of the forms of playing together. */
  get #forms() {
    return document.querySelectorAll("#forms input")
  }

  /** The chosen form: `pitches`, `shape` or `phrase`; undefined without a partner. */
  get #form() {
    return this.#partner && [...this.#forms].find(({ checked }) => checked)?.value
  }

  /** Chooses the partner by its identity; none if it is empty. */
  choose(identity) {
    const { player } = this.#context
    this.#partner = player.others.find((other) => other.identity === identity)
    player.setPartner(this.#partner?.identity)
    this.#pitches = new BorrowedPitches()
    this.#updatePitches()
    this.#chooseForm()
  }

  /** To swap melodies, the peer must get the notes of this player, so they are sent from now on. */
  #chooseForm() {
    if (this.#form === "phrase") element("share").checked = true
    this.render()
  }

  #updatePitches() {
    const held = this.#partner && this.#held[this.#partner.identity]
    if (held) this.#pitches.update(held)
    this.#renderPitches()
  }

  /**
   * The key that the next note plays: a pitch that the partner sets, moved into the lowest two octaves of the instrument. The result is
   * `key` if the form `pitches` is not chosen, if the instrument has drums, or if the partner has not pressed a key yet.
   */
  key(key, { drums, low }) {
    if (this.#form !== "pitches" || drums.length > 0) return key
    const borrowed = this.#pitches.take()
    this.#renderPitches()
    if (borrowed === undefined) return key
    // A key outside the lowest two octaves of the instrument moves by steps of two octaves until it is inside.
    return low + ((((borrowed - low) % 24) + 24) % 24)
  }

  render() {
    const { ensemble } = this.#context.state
    if (!ensemble) return
    this.#renderPlayers()
    const isOpen = this.#context.connection.state === "open"
    element("forms").hidden = !this.#partner
    const name = this.#partner ? nameOf(this.#partner) : ""
    for (const target of document.querySelectorAll("#forms [data-name]")) target.textContent = text(target.dataset.name, { name })
    const form = this.#form
    const notes = { pitches: "pitchesNote", shape: "shapeNote", phrase: "phraseNote" }
    element("form-note").textContent = form ? text(notes[form], { name }) : ""
    element("phrase-state").hidden = form !== "phrase"
    const strip = element("with")
    strip.hidden = form === undefined
    for (const each of Object.keys(notes)) element(`form-${each}`).hidden = form !== each
    if (form) strip.setAttribute("aria-label", text(`with-${form}`, { name }))
    this.#renderSigns(name)
    for (const id of Object.keys(SHAPES)) {
      element(id).disabled = !isOpen
      showValue(element(id))
    }
    this.#renderPhrases(this.#context.player.row?.phrases ?? {}, isOpen)
    this.#renderPitches()
  }

  /** Shows the sign of the partner on the strip and on the button of the sheet. */
  #renderSigns(name) {
    const sign = this.#partner?.sign
    const signature = `${sign}/${name}`
    if (signature === this.#signs) return
    this.#signs = signature
    for (const id of ["with-sign", "my-partner"]) element(id).replaceChildren(...(this.#partner ? [createSign(sign, { name })] : []))
    if (this.#partner) element("with").style.setProperty("--c", colourOf(sign))
  }

  /** Lists the other players. The partner remains chosen until it has left. */
  #renderPlayers() {
    const { player } = this.#context
    const { others } = player
    const present = others.find(({ identity }) => identity === this.#partner?.identity)
    if (present || !this.#partner) {
      this.#partner = present
      clearTimeout(this.#leaving)
      this.#leaving = undefined
    } else {
      others.push(this.#partner)
      this.#leaving ??= setTimeout(() => this.#leave(), PATIENCE)
    }
    const container = element("mates")
    const signature = JSON.stringify([others.map(({ identity, name, sign }) => [identity, name, sign]), document.documentElement.lang])
    if (container.dataset.signature !== signature) {
      container.dataset.signature = signature
      const focused = container.contains(document.activeElement) ? document.activeElement.value : undefined
      container.replaceChildren(container.querySelector("legend"), this.#mate("", text("nobody")), ...others.map((other) => {
        const name = nameOf(other)
        return this.#mate(other.identity, name, createSign(other.sign, { name }))
      }))
      if (focused !== undefined) container.querySelector(`input[value="${focused}"]`)?.focus()
    }
    const chosen = this.#partner?.identity ?? ""
    for (const radio of container.querySelectorAll("input")) radio.checked = radio.value === chosen
  }

  #mate(identity, name, ...sign) {
    const radio = create("input", { type: "radio", name: "mate", value: identity })
    radio.addEventListener("change", () => this.choose(identity))
    return create("label", { className: "mate" }, radio, ...sign, create("span", { textContent: name }))
  }

  /** Ends the playing together, because the partner has left. */
  #leave() {
    this.#context.announce(text("partnerLeft", { name: nameOf(this.#partner) }))
    this.choose(undefined)
  }

  /** Shows the keys that the partner holds as steps. The next one is filled. */
  #renderPitches() {
    const { count, next } = this.#pitches.state
    const steps = element("pitch-steps")
    while (steps.children.length > count) steps.lastChild.remove()
    while (steps.children.length < count) steps.append(create("i"))
    ;[...steps.children].forEach((step, index) => step.classList.toggle("next", index === next))
  }

  #renderPhrases({ recorded, received, sender, variation }, isOpen) {
    const isShared = element("share").checked
    element("phrase-record").disabled = !isOpen || !isShared
    element("phrase-send").disabled = !isOpen || recorded === undefined
    const hasPhrase = recorded !== undefined || received !== undefined
    for (const action of ["play", "vary"]) element(`phrase-${action}`).disabled = !isOpen || !hasPhrase
    element("phrase-stop").disabled = !isOpen || variation === undefined
    element("phrase-play").setAttribute("aria-pressed", String(variation !== undefined))
    const states = [
      isShared ? undefined : text("phraseNeedsShare"),
      recorded === undefined ? text("phraseNone") : text("phraseRecorded", { count: recorded }),
      received === undefined ? undefined : text("phraseReceived", { name: sender, count: received }),
      variation === undefined ? undefined
        : variation === 0 ? text("phrasePlaying") : text("phraseVaries", { number: variation }),
    ]
    const state = states.filter(Boolean).join(" ")
    if (element("phrase-state").textContent !== state) element("phrase-state").textContent = state
  }
}
