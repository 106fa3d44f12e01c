// A client that behaves like a page, but needs no browser. It sends a clock request every 1.25 s, and a random activity 20 times per
// second.

import { Kind, encode } from "../../../Sources/Console/Page/frames.js"

export class Client {
  /** The number of frames that have arrived. */
  frames = 0
  #socket
  #sequence = 0
  #timers = []

  /** Opens a connection. @param url the address of the page, with the token in the fragment. */
  constructor(url) {
    const { host, hash } = new URL(url)
    this.#socket = new WebSocket(`ws://${host}/socket`, ["tutti.1", `token.${hash.slice("#token=".length)}`])
    this.#socket.binaryType = "arraybuffer"
    this.#socket.onmessage = () => { this.frames += 1 }
    this.opened = new Promise((resolve, reject) => {
      this.#socket.onopen = resolve
      this.#socket.onerror = reject
    })
    this.#timers.push(setInterval(() => this.send(Kind.activity, Uint8Array.of(Math.floor(Math.random() * 128))), 50))
    this.#timers.push(setInterval(() => this.send(Kind.clockRequest), 1250))
  }

  send(kind, payload) {
    if (this.#socket.readyState !== 1) return
    this.#sequence += 1
    this.#socket.send(encode(kind, this.#sequence, process.hrtime.bigint(), payload))
  }

  close() {
    for (const timer of this.#timers) clearInterval(timer)
    this.#socket.close()
  }
}
