// The connection to the peer: the WebSocket, and the estimate of the peer's clock.

import { RemoteClock } from "./clock.js"
import { Kind, decode, decodeJSON, decodeLevels, decodeRhythm, encode, encodeJSON } from "./frames.js"

/** The name of the WebSocket subprotocol. */
const SUBPROTOCOL = "tutti.1"

// A clock exchange is a frame `clockRequest` and its reply. The page makes the exchanges in bursts. Times are in milliseconds.

/** The number of exchanges in the first burst, and in each later one. */
const FIRST_EXCHANGES = 8
const BURST_EXCHANGES = 4
/** The time between two exchanges of a burst. */
const EXCHANGE_INTERVAL = 40
/** The time between two bursts. */
const BURST_INTERVAL = 5000
/** While a page loads, it processes replies late. Therefore the bursts follow each other more closely in the first seconds. */
const FIRST_BURST_INTERVAL = 500
const FIRST_BURSTS = 8
/** The times before the first, second and further attempts to connect again; the last one repeats. */
const RETRY_INTERVALS = [300, 600, 1200, 2500, 2500]
/** The time before the next attempt after too many wrong tokens. */
const LIMITED_INTERVAL = 30_000
/** A connection on which nothing arrives for this time, in milliseconds, is replaced by a new one. */
const PATIENCE = 12_000

/** The estimate of the peer's clock is used after this number of exchanges. */
const SETTLED = 4
/** If Date.now() - performance.now() changes by more than this number of milliseconds, the device has slept. */
const SLEEP = 500

/** The longest delay that the peer accepts, in microseconds. */
const MAXIMUM_DELAY = 2_000_000
/** The number of newest replies from which the delay of the network is taken. */
const DELAYS = 100

/** The present instant of the page's clock, performance.now(), as a BigInt in nanoseconds. */
const pageNow = () => BigInt(Math.round(performance.now() * 1e6))

/**
 * Measures the resolution of performance.now() in nanoseconds: the smallest of three steps of its value. Browsers limit the resolution to
 * between 5 us and 1 ms (High Resolution Time, section 4.1).
 */
function measuredResolution() {
  let smallest = Infinity
  let last = performance.now()
  for (let steps = 0; steps < 3; ) {
    const now = performance.now()
    if (now === last) continue
    smallest = Math.min(smallest, now - last)
    last = now
    steps += 1
  }
  return Math.max(5000, Math.round(smallest * 1e6))
}

/**
 * The connection. Events: `state`, with the new state as `detail`; `clock` after each new estimate of the peer's clock; and one event for
 * each kind of frame from the peer, with the decoded payload as `detail`.
 *
 * The states are `connecting`, `open`, `lost`, `refused` (the token is wrong) and `limited` (too many wrong tokens were sent).
 */
export class Connection extends EventTarget {
  state = "connecting"
  /** What the token permits: `play` or `lead`. */
  access = "play"
  /** The resolution of performance.now() in nanoseconds. */
  resolution = measuredResolution()
  clock = new RemoteClock()
  #token
  #socket
  /** The sequence number of the last frame that was sent. */
  #sequence = 0
  /** The number of attempts since the last open connection. */
  #attempt = 0
  #timers = []
  /** The moment of performance.now() at which the last frame arrived. */
  #heard = 0
  #isClosed = false
  /** The number of clock exchanges since the last start of the estimate. */
  #exchanges = 0
  /** Replies to requests from before this instant are ignored. */
  #since = 0n
  /** Date.now() - performance.now() at the last check, in milliseconds. The difference changes when the device sleeps. */
  #wallDifference = Date.now() - performance.now()
  /**
   * The newest estimate: at `moment`, in milliseconds of performance.now(), the peer's clock shows `peer`, in nanoseconds relative to
   * #base. It runs at `rate` relative to the page's clock. `uncertainty` and `deviation` are in milliseconds.
   */
  #estimate
  /** An instant of the peer's clock, as a BigInt in nanoseconds. Instants relative to it are exact as a Number. */
  #base
  /** The newest delays from the peer to this page, in milliseconds. */
  #delays = []

  constructor(token) {
    super()
    this.#token = token
  }

  /** Connects, and connects again whenever the connection is lost. */
  async connect() {
    if (this.#isClosed) return
    this.#setState(this.#attempt === 0 ? "connecting" : "lost")
    const status = await this.#checkToken()
    if (this.#isClosed) return
    if (status === 401) return this.#setState("refused")
    if (status === 429) {
      this.#setState("limited")
      return this.#retry(LIMITED_INTERVAL)
    }
    if (status !== 204) return this.#retry()
    this.#open()
  }

  close() {
    this.#isClosed = true
    this.#socket?.close()
    this.#clearTimers()
  }

  /** The headers for requests of sounds. */
  get headers() {
    return this.#token ? { Authorization: `Bearer ${this.#token}` } : {}
  }

  /** Sends the token to the peer. Returns the HTTP status; 0 without an answer. */
  async #checkToken() {
    try {
      const response = await fetch("/join", { headers: this.headers, signal: AbortSignal.timeout(4000) })
      return response.status
    } catch {
      return 0
    }
  }

  #open() {
    const protocols = this.#token ? [SUBPROTOCOL, `token.${this.#token}`] : [SUBPROTOCOL]
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket`, protocols)
    this.#socket = socket
    socket.binaryType = "arraybuffer"
    socket.addEventListener("open", () => this.#opened())
    socket.addEventListener("message", (event) => this.#receive(socket, event.data))
    socket.addEventListener("close", () => this.#lost(socket))
  }

  #opened() {
    this.#attempt = 0
    this.#heard = performance.now()
    // The machine of the peer may have been restarted, and its clock with it.
    this.#restartClock()
    this.#setState("open")
    for (let n = 1; n <= FIRST_BURSTS; n += 1) {
      this.#timers.push(setTimeout(() => this.#burst(BURST_EXCHANGES), n * FIRST_BURST_INTERVAL))
    }
    this.#timers.push(setInterval(() => this.#burst(BURST_EXCHANGES), BURST_INTERVAL))
    this.#timers.push(setInterval(() => this.#checkSilence(), 2000))
  }

  /** Replaces a connection on which nothing arrives. It does not wait for the closing handshake, because the peer may not answer it. */
  #checkSilence() {
    if (performance.now() - this.#heard <= PATIENCE || document.hidden) return
    const socket = this.#socket
    this.#lost(socket)
    socket?.close()
  }

  /** Called when the page becomes visible again. The device may have slept. */
  wake() {
    if (this.state !== "open") return
    if (!this.#checkSleep()) this.#burst(BURST_EXCHANGES)
  }

  /** Finds out whether the device has slept. In some browsers, performance.now() stands still meanwhile, so the clock is measured again. */
  #checkSleep() {
    const difference = Date.now() - performance.now()
    const hasSlept = Math.abs(difference - this.#wallDifference) > SLEEP
    this.#wallDifference = difference
    if (hasSlept) {
      this.#restartClock()
      // The connection may have ended during the sleep. If nothing arrives, it is replaced after three seconds.
      this.#heard = Math.min(this.#heard, performance.now() - PATIENCE + 3000)
    }
    return hasSlept
  }

  /** Discards the estimate of the peer's clock, and begins a new one. */
  #restartClock() {
    this.clock = new RemoteClock()
    this.#estimate = undefined
    this.#delays = []
    this.#exchanges = 0
    this.#since = pageNow()
    this.#burst(FIRST_EXCHANGES)
  }

  /** Handles the end of a connection, unless `socket` was replaced already. */
  #lost(socket) {
    if (socket !== this.#socket || this.#isClosed) return
    this.#socket = undefined
    this.#clearTimers()
    this.#setState("lost")
    this.#retry()
  }

  /** Connects again after a delay in milliseconds. */
  #retry(delay = RETRY_INTERVALS[Math.min(this.#attempt, RETRY_INTERVALS.length - 1)]) {
    this.#attempt += 1
    setTimeout(() => this.connect(), delay)
  }

  #clearTimers() {
    for (const timer of this.#timers) clearInterval(timer)
    this.#timers = []
  }

  #setState(state) {
    this.state = state
    this.#emit("state", state)
  }

  #emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }))
  }

  #send(kind, payload) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return
    this.#sequence += 1
    this.#socket.send(encode(kind, this.#sequence, pageNow(), payload))
  }

  /** Sends a command, such as {do: "tempo", bpm: 96}. */
  command(command) {
    this.#send(Kind.command, encodeJSON(command))
  }

  /** Reports the activity of the player, 0...127. */
  activity(value) {
    this.#send(Kind.activity, Uint8Array.of(value))
  }

  /**
   * Reports the delay of the audio output in milliseconds, together with the delay from the peer to this page. The peer then counts
   * this page as a player, and announces changes early enough for it.
   */
  output(milliseconds) {
    const delay = milliseconds + this.delay
    const microseconds = Math.min(Math.max(Math.round(delay * 1000), 0), MAXIMUM_DELAY)
    const payload = new Uint8Array(4)
    new DataView(payload.buffer).setUint32(0, microseconds)
    this.#send(Kind.output, payload)
  }

  #receive(socket, data) {
    if (socket !== this.#socket) return
    const arrived = pageNow()
    this.#heard = performance.now()
    const frame = decode(data)
    if (!frame) return
    switch (frame.kind) {
      case Kind.clockReply: return this.#measure(frame, arrived)
      case Kind.welcome: {
        const welcome = decodeJSON(frame.payload)
        this.access = welcome.access
        return this.#emit("welcome", welcome)
      }
      case Kind.rhythm: return this.#emit("rhythm", decodeRhythm(frame.payload))
      case Kind.levels: return this.#emit("levels", decodeLevels(frame.payload))
      case Kind.ensemble: return this.#emit("ensemble", decodeJSON(frame.payload))
      case Kind.patch: return this.#emit("patch", decodeJSON(frame.payload))
      case Kind.sounds: return this.#emit("sounds", decodeJSON(frame.payload))
      case Kind.library: return this.#emit("library", decodeJSON(frame.payload))
      case Kind.notices: return this.#emit("notices", decodeJSON(frame.payload))
      case Kind.calibration: return this.#emit("calibration", decodeJSON(frame.payload))
      case Kind.clicks: return this.#emit("clicks", decodeJSON(frame.payload))
      case Kind.delay: return this.#emit("delay", decodeJSON(frame.payload))
      case Kind.partners: return this.#emit("partners", decodeJSON(frame.payload))
      default: return undefined
    }
  }

  // The clock.

  /** Sends a number of clock requests. */
  #burst(count) {
    for (let n = 0; n < count; n += 1) {
      setTimeout(() => this.#send(Kind.clockRequest), n * EXCHANGE_INTERVAL)
    }
  }

  /** Updates the estimate of the peer's clock with a frame `clockReply`. */
  #measure(reply, arrived) {
    this.#checkSleep()
    const [sent, received] = [reply.payload.getBigInt64(0), reply.payload.getBigInt64(8)]
    // The request was sent before a sleep of the device, or on an earlier connection. Its reply would give a wrong offset.
    if (sent < this.#since) return
    this.#exchanges += 1
    this.clock.add(true, sent, received, this.resolution, arrived)
    this.clock.add(false, reply.at, arrived, this.resolution, arrived)
    const estimate = this.clock.estimate(arrived)
    if (!estimate || this.#exchanges < SETTLED) return
    this.#base ??= arrived + estimate.offset
    this.#estimate = {
      moment: Number(arrived) / 1e6, peer: Number(arrived + estimate.offset - this.#base), rate: 1 + estimate.skew / 1e6,
      uncertainty: Number(estimate.uncertainty) / 1e6, deviation: Number(estimate.deviation) / 1e6,
    }
    this.#delays.push((this.peerTime(Number(arrived) / 1e6) - this.relative(reply.at)) / 1e6)
    if (this.#delays.length > DELAYS) this.#delays.shift()
    this.#emit("clock", this.#estimate)
  }

  /** The 99 % quantile of the newest delays from the peer to this page, in milliseconds; 0 before the first exchange. */
  get delay() {
    const sorted = [...this.#delays].sort((a, b) => a - b)
    return Math.max(0, sorted[Math.ceil(0.99 * sorted.length) - 1] ?? 0)
  }

  /** Whether the peer's clock is known. */
  get hasClock() {
    return this.#estimate !== undefined
  }

  /** The largest possible error of the estimate in milliseconds; undefined before the clock is known. */
  get uncertainty() {
    return this.#estimate?.uncertainty
  }

  /** The instant of the peer's clock to which relative instants refer; undefined before the clock is known. */
  get base() {
    return this.#base
  }

  /** Converts an instant of the peer's clock, a BigInt in nanoseconds, to a Number relative to {@link base}: a relative instant. */
  relative(instant) {
    return Number(instant - (this.#base ?? 0n))
  }

  /** The peer's clock at a moment of performance.now(), as a relative instant. The clock must be known. */
  peerTime(moment = performance.now()) {
    const { moment: reference, peer, rate } = this.#estimate
    return peer + (moment - reference) * 1e6 * rate
  }

  /** The moment of performance.now(), in milliseconds, at which the peer's clock shows a relative instant. The clock must be known. */
  moment(peerTime) {
    const { moment: reference, peer, rate } = this.#estimate
    return reference + (peerTime - peer) / 1e6 / rate
  }
}
