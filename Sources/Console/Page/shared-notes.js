// Sends the notes of the player on this device to the peer, and thus to the other players.

/** The length of a note that is released before it begins, in milliseconds. */
const SHORTEST_NOTE = 50

export class SharedNotes {
  #connection
  /** The notes that have begun and not ended, and those that will begin later. */
  #notes = new Set()

  constructor(connection) {
    this.#connection = connection
  }

  /**
   * Begins a note at a moment of performance.now(), or at once. `touched` is the instant at which the player has caused the note, a BigInt
   * in nanoseconds of the peer's clock. It is undefined for a note of a figure. Returns a function that ends the note.
   */
  begin(key, velocity, moment = 0, touched = undefined) {
    const note = { key }
    const begin = () => {
      note.hasBegun = true
      this.#send({ key, velocity, at: touched?.toString() })
    }
    const wait = moment - performance.now()
    this.#notes.add(note)
    if (wait > 0) note.begin = setTimeout(begin, wait)
    else begin()
    return () => {
      const remaining = moment - performance.now()
      if (remaining > 0) note.end = setTimeout(() => this.#end(note), remaining + SHORTEST_NOTE)
      else this.#end(note)
    }
  }

  /** Ends all notes at once. Notes that have not begun yet do not begin. */
  endAll() {
    for (const note of [...this.#notes]) this.#end(note)
  }

  #end(note) {
    if (!this.#notes.delete(note)) return
    clearTimeout(note.begin)
    clearTimeout(note.end)
    if (note.hasBegun) this.#send({ key: note.key, velocity: 0 })
  }

  #send(note) {
    this.#connection.command({ do: "note", ...note })
  }
}
