// Serves the page without a peer, for tests of states that need many peers. A fake WebSocket in the page sends the frames that the test gives,
// answers clock requests, and stores the commands. The answers of the server have the content security policy of the console.

import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { extname, join } from "node:path"
import { fileURLToPath } from "node:url"

const FOLDER = fileURLToPath(new URL("../../../Sources/Console/Page/", import.meta.url))
const TYPES = { ".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml" }
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; worker-src 'self'; connect-src 'self' ws:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
/** The sample rate and the length in seconds of the sound of all instruments. */
const [RATE, SECONDS] = [24_000, 1]

/** A WAV file with a sine tone. */
function sound() {
  const count = RATE * SECONDS
  const file = Buffer.alloc(44 + 2 * count)
  file.write("RIFF", 0)
  file.writeUInt32LE(36 + 2 * count, 4)
  file.write("WAVEfmt ", 8)
  for (const [offset, value] of [[16, 16], [24, RATE], [28, 2 * RATE], [40, 2 * count]]) file.writeUInt32LE(value, offset)
  for (const [offset, value] of [[20, 1], [22, 1], [32, 2], [34, 16]]) file.writeUInt16LE(value, offset)
  file.write("data", 36)
  for (let n = 0; n < count; n += 1) file.writeInt16LE(Math.round(8000 * Math.sin((2 * Math.PI * 440 * n) / RATE)), 44 + 2 * n)
  return file
}

/** A drawing of a code with a quiet zone of four modules, as the peer draws it. `seed` makes codes differ. */
function code(seed) {
  const cells = Array.from({ length: 29 * 29 }, (_, n) => (((n * 7919 + seed * 104729) >> 3) % 3 === 0 ? `M${4 + (n % 29)} ${4 + Math.floor(n / 29)}h1v1h-1z` : "")).join("")
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 37 37"><rect width="37" height="37" fill="#fff"/><path d="${cells}"/></svg>`
}

export class FakePeer {
  /** The requests of codes, as {access, authorization}. */
  codes = []
  /** The HTTP status for wrong codes, of /join. */
  status = 204
  /** Whether the peer has an address for other devices. */
  hasCode = true
  #server
  #sound = sound()

  static async start() {
    const peer = new FakePeer()
    peer.#server = createServer((request, response) => peer.#answer(request, response))
    await new Promise((resolve) => peer.#server.listen(0, "127.0.0.1", resolve))
    peer.url = `http://127.0.0.1:${peer.#server.address().port}/#token=abc`
    return peer
  }

  #answer({ url, headers }, response) {
    const { pathname, searchParams } = new URL(url, "http://localhost")
    const end = (status, type, body) => {
      response.writeHead(status, { "Content-Type": type, "Content-Security-Policy": POLICY, "Cache-Control": "no-store" })
      response.end(body)
    }
    if (pathname === "/join") return end(this.status, "text/plain", "")
    if (pathname === "/secure.json") return end(200, "application/json", '{"https":false,"name":null,"authority":null}')
    if (pathname === "/sound.wav") return end(200, "audio/wav", this.#sound)
    if (pathname === "/code.svg") {
      const access = searchParams.get("access")
      this.codes.push({ access, authorization: headers.authorization })
      return this.hasCode ? end(200, TYPES[".svg"], code(access === "lead" ? 2 : 1)) : end(404, "text/plain", "")
    }
    try {
      const name = pathname === "/" ? "index.html" : pathname.slice(1)
      return end(200, TYPES[extname(name)], readFileSync(join(FOLDER, name)))
    } catch {
      return end(404, "text/plain", "")
    }
  }

  close() {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

/** The script that replaces the WebSocket of the page. `fake.send(kind, payload)` sends a frame, `fake.json(kind, value)` one with JSON. */
export const fakeSocket = `
globalThis.fake = { commands: [], frames: [] }
const now = () => BigInt(Math.round(performance.now() * 1e6)) + 3600_000_000_000n
globalThis.WebSocket = class extends EventTarget {
  static OPEN = 1
  readyState = 0
  #sequence = 0
  constructor() {
    super()
    fake.socket = this
    setTimeout(() => {
      this.readyState = 1
      this.dispatchEvent(new Event("open"))
      for (const [kind, payload] of fake.frames) this.frame(kind, payload)
    }, 10)
  }
  frame(kind, payload) {
    const octets = new Uint8Array(16 + payload.byteLength)
    const view = new DataView(octets.buffer)
    view.setUint8(0, 1)
    view.setUint8(1, kind)
    this.#sequence += 1
    view.setUint32(4, this.#sequence)
    view.setBigInt64(8, now())
    octets.set(new Uint8Array(payload.buffer ?? payload), 16)
    this.dispatchEvent(new MessageEvent("message", { data: octets.buffer }))
  }
  send(octets) {
    const view = new DataView(octets.buffer)
    const kind = view.getUint8(1)
    if (kind === 129) fake.commands.push(JSON.parse(new TextDecoder().decode(octets.slice(16))))
    if (kind !== 128) return
    const reply = new DataView(new ArrayBuffer(16))
    reply.setBigInt64(0, view.getBigInt64(8))
    reply.setBigInt64(8, now())
    setTimeout(() => this.frame(16, reply), 1)
  }
  close() { this.readyState = 3 }
}
fake.now = now
// Each further connection of the page gets the frames too.
fake.send = (kind, payload) => {
  fake.frames = [...fake.frames.filter(([other]) => other !== kind || kind === 12), ...(kind === 12 ? [] : [[kind, payload]])]
  if (fake.socket?.readyState === 1) fake.socket.frame(kind, payload)
}
fake.json = (kind, value) => fake.send(kind, new TextEncoder().encode(JSON.stringify(value)))
/** Sends a frame rhythm that plays from now on at 120 quarter notes per minute; stopped if it does not play. */
fake.rhythm = (plays, { fill, start = now() } = {}) => {
  const view = new DataView(new ArrayBuffer(82 + 24))
  const never = (1n << 63n) - 1n
  view.setUint8(8, plays ? 1 : 0)
  for (const offset of [10, 11]) view.setUint8(offset, 90)
  for (let part = 0; part < 4; part += 1) for (const offset of [12, 17]) view.setUint8(offset + part, 100)
  for (const [offset, tick] of [[24, 0n], [32, plays ? never : 0n], [40, never], [48, never], [56, 0n], [64, fill ?? never], [72, never]]) view.setBigInt64(offset, tick)
  view.setUint8(80, 3)
  view.setUint8(81, 1)
  view.setBigInt64(82 + 8, start)
  view.setFloat64(82 + 16, 5e8)
  fake.send(2, view)
}
/** Sends a frame levels with the energies of the players. */
fake.levels = (energies) => {
  const view = new DataView(new ArrayBuffer(8 + energies.length))
  view.setUint8(0, Math.min(127, energies.reduce((sum, each) => sum + each, 0)))
  energies.forEach((energy, index) => view.setUint8(8 + index, energy))
  fake.send(3, view)
}
/** Sends a frame notes; each note has its instant in milliseconds from now. */
fake.notes = (notes) => {
  const view = new DataView(new ArrayBuffer(18 * notes.length))
  notes.forEach(({ player, key, velocity, wait }, index) => {
    view.setBigUint64(index * 18, BigInt("0x" + player))
    ;[key, velocity].forEach((value, place) => view.setUint8(index * 18 + 8 + place, value))
    view.setBigInt64(index * 18 + 10, now() + BigInt(Math.round(wait * 1e6)))
  })
  fake.send(12, view)
}
`
