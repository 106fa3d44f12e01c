// One WebSocket connection to a peer, and the estimate of the clock of this peer.

import { RemoteClock } from "./clock.js"
import { Kind, decode, encode } from "./frames.js"

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
/** If nothing has arrived for this time, the page sends a clock request, to which the peer replies. */
const PROBE_INTERVAL = 600
/**
 * The most that one call of `poll` adds to the silence. If more time has passed, the page was suspended, and may not have read frames that
 * have arrived.
 */
const LONGEST_STEP = 1000

/** The estimate of the peer's clock is used after this number of exchanges. */
const SETTLED = 4
/** If Date.now() - performance.now() changes by more than this number of milliseconds, the device has slept. */
const SLEEP = 500
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

/** The resolution of performance.now() in nanoseconds. */
const resolution = measuredResolution()

/** A connection to one peer. The owner calls {@link poll} at least every 40 ms, as far as the browser permits. */
export class Link {
  /** The host and the port of the peer, as in a URL. */
  address
  /** The time for which nothing has arrived, in milliseconds. */
  silence = 0
  /** Whether the device has slept since the last frame arrived. */
  hasSlept = false
  #socket
  #handlers
  /** The sequence number of the last frame that was sent. */
  #sequence = 0
  /** The moment of the last call of `poll`. */
  #polled = performance.now()
  /** The moments at which clock requests are due, in ascending order, and the moment at which the next burst begins. */
  #due = []
  #nextBurst = Infinity
  /** The number of bursts after the first one. */
  #bursts = 0
  /** The moment at which a clock request was last sent. */
  #requested = 0
  #clock = new RemoteClock()
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

  /**
   * Opens the connection.
   *
   * @param handlers the functions that are called: `frame` with each frame except clock replies, `clock` after each new estimate of the
   *   peer's clock, `closed` at the end of the connection, unless {@link close} was called.
   */
  constructor(address, token, handlers) {
    this.address = address
    this.#handlers = handlers
    const protocols = token ? [SUBPROTOCOL, `token.${token}`] : [SUBPROTOCOL]
    this.#socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${address}/socket`, protocols)
    this.#socket.binaryType = "arraybuffer"
    this.#socket.addEventListener("open", () => {
      this.#restartClock()
      this.poll()
    })
    this.#socket.addEventListener("message", ({ data }) => this.#receive(data))
    this.#socket.addEventListener("close", () => this.#handlers.closed?.())
  }

  /** Replaces the functions that are called. */
  handle(handlers) {
    this.#handlers = handlers
  }

  /** Closes the connection. Does not wait for the closing handshake, because the peer may not answer it. */
  close() {
    this.#handlers = {}
    this.#due = []
    this.#nextBurst = Infinity
    this.#socket.close()
  }

  get isOpen() {
    return this.#socket.readyState === WebSocket.OPEN
  }

  send(kind, payload) {
    if (!this.isOpen) return
    this.#sequence += 1
    this.#socket.send(encode(kind, this.#sequence, pageNow(), payload))
  }

  /** Sends the clock requests that are due, and measures the silence of the peer. */
  poll() {
    const now = performance.now()
    this.silence += Math.min(now - this.#polled, LONGEST_STEP)
    this.#polled = now
    this.checkSleep()
    if (now >= this.#nextBurst) {
      this.#bursts += 1
      this.#nextBurst = now + (this.#bursts < FIRST_BURSTS ? FIRST_BURST_INTERVAL : BURST_INTERVAL)
      this.burst()
    }
    const isSilent = this.silence >= PROBE_INTERVAL && now - this.#requested >= PROBE_INTERVAL
    if (!this.#sendDue(now) && isSilent) this.#request(now)
  }

  /** Sends the next clock request of a burst if it is due. Returns whether it was sent. */
  #sendDue(now) {
    if (!(this.#due[0] <= now)) return false
    this.#due.shift()
    this.#request(now)
    return true
  }

  #request(now) {
    this.#requested = now
    this.send(Kind.clockRequest)
  }

  /** Begins a burst of clock exchanges. */
  burst(count = BURST_EXCHANGES) {
    const now = performance.now()
    this.#due = Array.from({ length: count }, (_, n) => now + n * EXCHANGE_INTERVAL)
  }

  /**
   * Finds out whether the device has slept since the last check. In some browsers, performance.now() stands still during the sleep, so the
   * clock is then measured again. Returns whether the device has slept.
   */
  checkSleep() {
    const difference = Date.now() - performance.now()
    const hasSlept = Math.abs(difference - this.#wallDifference) > SLEEP
    this.#wallDifference = difference
    if (!hasSlept) return false
    this.#estimate = undefined
    this.#restartClock()
    // The connection may have ended during the sleep.
    this.hasSlept = true
    this.silence = 0
    return true
  }

  /** Begins a new estimate of the peer's clock. */
  #restartClock() {
    this.#clock = new RemoteClock()
    this.#delays = []
    this.#exchanges = 0
    this.#since = pageNow()
    this.#bursts = 0
    this.#nextBurst = performance.now() + FIRST_BURST_INTERVAL
    this.burst(FIRST_EXCHANGES)
  }

  #receive(data) {
    const arrived = pageNow()
    this.silence = 0
    this.hasSlept = false
    const frame = decode(data)
    if (!frame) return
    if (frame.kind === Kind.clockReply) this.#measure(frame, arrived)
    else this.#handlers.frame?.(frame)
  }

  /** Updates the estimate of the peer's clock with a frame `clockReply`. */
  #measure(reply, arrived) {
    this.checkSleep()
    const [sent, received] = [reply.payload.getBigInt64(0), reply.payload.getBigInt64(8)]
    // If the request was sent before a sleep of the device, the reply would give a wrong offset.
    if (sent < this.#since) return
    this.#exchanges += 1
    // The request is the outbound packet, and the reply is the returning packet.
    this.#clock.add(true, sent, received, resolution, arrived)
    this.#clock.add(false, reply.at, arrived, resolution, arrived)
    const estimate = this.#clock.estimate(arrived)
    if (!estimate || this.#exchanges < SETTLED) return
    this.#base ??= arrived + estimate.offset
    this.#estimate = {
      moment: Number(arrived) / 1e6, peer: Number(arrived + estimate.offset - this.#base), rate: 1 + estimate.skew / 1e6,
      uncertainty: Number(estimate.uncertainty) / 1e6, deviation: Number(estimate.deviation) / 1e6,
    }
    // While a page loads, it processes replies late. These delays do not count.
    if (this.#bursts >= FIRST_BURSTS) {
      this.#delays.push((this.peerTime(Number(arrived) / 1e6) - this.relative(reply.at)) / 1e6)
      if (this.#delays.length > DELAYS) this.#delays.shift()
    }
    // In a hidden page, `poll` is called only once per second. Therefore a reply also sends the next request of the burst if it is due.
    this.#sendDue(performance.now())
    this.#handlers.clock?.()
  }

  /** The 99 % quantile of the newest delays from the peer to this page, in milliseconds; 0 in the first seconds. */
  get delay() {
    const sorted = [...this.#delays].sort((a, b) => a - b)
    return Math.max(0, sorted[Math.floor(0.99 * (sorted.length - 1))] ?? 0)
  }

  /** Whether the first burst of clock exchanges is complete, so that the estimate can replace that of another connection. */
  get isMeasured() {
    return this.#exchanges >= FIRST_EXCHANGES
  }

  /** The newest estimate of the peer's clock; undefined before the clock is known. */
  get estimate() {
    return this.#estimate
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
  peerTime(moment) {
    const { moment: reference, peer, rate } = this.#estimate
    return peer + (moment - reference) * 1e6 * rate
  }

  /** The moment of performance.now(), in milliseconds, at which the peer's clock shows a relative instant. The clock must be known. */
  moment(peerTime) {
    const { moment: reference, peer, rate } = this.#estimate
    return reference + (peerTime - peer) / 1e6 / rate
  }
}
