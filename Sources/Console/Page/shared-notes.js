// The notes that this device sends to the peer and the other players.

/** A note that is released before it sounds lasts for this time, in milliseconds. */
const SHORTEST_NOTE = 50

export class SharedNotes {
  #connection
  /** The notes that sound, or that begin later. */
  #notes = new Set()

  constructor(connection) {
    this.#connection = connection
  }

  /** Sends a note at a moment of performance.now(), or at once. Returns a function that ends it. */
  begin(key, velocity, moment = 0) {
    const note = { key }
    const begin = () => {
      note.hasBegun = true
      this.#send(key, velocity)
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

  /** Ends all notes at once. Those that have not begun do not begin. */
  endAll() {
    for (const note of [...this.#notes]) this.#end(note)
  }

  #end(note) {
    if (!this.#notes.delete(note)) return
    clearTimeout(note.begin)
    clearTimeout(note.end)
    if (note.hasBegun) this.#send(note.key, 0)
  }

  #send(key, velocity) {
    this.#connection.command({ do: "note", key, velocity })
  }
}
