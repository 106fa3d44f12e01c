// The notes of the other players. They leave dots in the colours of the players on the beat row. If the player has chosen *Hear the others*,
// they also sound on this device, with the sounds that are loaded for the instruments.

import { store, stored } from "./settings.js"
import { colourOf } from "./sign.js"

const element = (id) => document.getElementById(id)

const HEAR_KEY = "tutti.hear-others"
/** The number of an instrument with drums, instead of a General MIDI program. */
const DRUMS = 128
/** The largest number of notes that sound at once. A further note ends the oldest one. */
const MAXIMUM_VOICES = 32
/** A note that would begin later than this, in seconds, comes from an error of a clock and does not sound. */
const LONGEST_WAIT = 2
/** A note sounds for at least this time before it is released, in seconds. */
const SHORTEST_NOTE = 0.1
/** The time constants with which a released note, and one that must make room, fade out, in seconds. */
const [RELEASE, CUT] = [0.05, 0.002]

export class OtherNotes {
  #context
  #switch = element("hear")
  /** The notes that sound, by their number: {name, player, source, gain, context, begin, isDrum}. `name` identifies the key of a player. */
  #voices = new Map()
  #next = 0

  constructor(context) {
    this.#context = context
    this.#switch.checked = stored(HEAR_KEY) === "true"
    this.#switch.addEventListener("change", () => {
      store(HEAR_KEY, String(this.#switch.checked))
      if (!this.#switch.checked) this.#endAll()
    })
    context.connection.addEventListener("notes", ({ detail }) => {
      for (const note of detail) this.#receive(note)
    })
    context.connection.addEventListener("switch", () => this.#endAll())
  }

  /** The number of notes that sound. For tests. */
  get sounding() {
    return this.#voices.size
  }

  /** Called after each change of the state. Players who are muted or have left become silent. */
  render() {
    const { ensemble } = this.#context.state
    const heard = new Set(ensemble?.isQuiet ? [] : ensemble?.players.filter(({ isMuted }) => !isMuted).map(({ identity }) => identity))
    for (const [number, voice] of [...this.#voices]) if (!heard.has(voice.player)) this.#end(number, voice)
  }

  #receive({ player, key, velocity, instant }) {
    const { beatRow, connection, player: own, state: { ensemble } } = this.#context
    const row = ensemble?.players.find(({ identity }) => identity === player)
    if (!row || player === own.identity || !connection.hasClock) return
    const name = `${player}/${key}`
    const moment = connection.moment(connection.relative(instant))
    if (velocity === 0) this.#release(name, moment)
    if (velocity === 0 || row.isMuted || ensemble.isQuiet) return
    beatRow.addOther(moment, colourOf(row.sign))
    if (this.#switch.checked) this.#play({ name, player, key, velocity, program: row.program }, moment)
  }

  /** Plays a note so that it is heard at a moment of performance.now(), or at once if this moment has passed. */
  #play({ name, player, key, velocity, program }, moment) {
    const { audio } = this.#context
    const sound = audio.isRunning && (program === DRUMS ? audio.samples.drum(key) : audio.samples.tone(program, key))
    if (!sound) return
    const { context } = audio
    audio.outputClock.update()
    const time = audio.outputClock.time(moment)
    if (time > context.currentTime + LONGEST_WAIT) return
    // If this player still holds this key, the earlier note ends.
    this.#release(name, moment)
    this.#makeRoom()
    const begin = Math.max(context.currentTime, time)
    const source = new AudioBufferSourceNode(context, { buffer: sound.buffer, playbackRate: sound.rate })
    const gain = new GainNode(context, { gain: sound.gain * (velocity / 127) ** 2 })
    source.connect(gain).connect(audio.instrumentOutput)
    source.start(begin)
    const number = this.#next
    this.#next += 1
    this.#voices.set(number, { name, player, source, gain, context, begin, isDrum: program === DRUMS })
    source.addEventListener("ended", () => {
      gain.disconnect()
      this.#voices.delete(number)
    })
  }

  /** Releases the notes of a key of a player at a moment of performance.now(). A drum sounds until its end. */
  #release(name, moment) {
    const { audio } = this.#context
    for (const voice of this.#voices.values()) {
      if (voice.name !== name || voice.isReleased || voice.isDrum) continue
      voice.isReleased = true
      const end = voice.context === audio.context ? audio.outputClock.time(moment) : 0
      this.#fade(voice, Math.max(end, voice.context.currentTime, voice.begin + SHORTEST_NOTE), RELEASE)
    }
  }

  #fade({ source, gain }, time, constant) {
    gain.gain.setTargetAtTime(0, time, constant)
    source.stop(time + 8 * constant)
  }

  /** Ends the oldest notes if too many sound. */
  #makeRoom() {
    const surplus = this.#voices.size - MAXIMUM_VOICES + 1
    for (const [number, voice] of [...this.#voices].slice(0, Math.max(0, surplus))) this.#end(number, voice)
  }

  #endAll() {
    for (const [number, voice] of [...this.#voices]) this.#end(number, voice)
  }

  #end(number, voice) {
    this.#voices.delete(number)
    this.#fade(voice, voice.context.currentTime, CUT)
  }
}
