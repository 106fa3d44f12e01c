// The connection to the peer. If the peer disappears, the page connects to another peer of the group, with the same token.

import { Kind, decodeJSON, decodeLevels, decodeNotes, decodeRhythm, encodeJSON } from "./frames.js"
import { Link } from "./link.js"

// Times are in milliseconds.
//
// A page prefers two peers, which can be the same: the peer to which it is connected or was connected last, and the peer that served it.

/** The time between two calls of `poll`, as long as the browser does not slow down the timers of the page. */
const POLL_INTERVAL = 40
/** The times before the first, second and further attempts to connect to a peer again; the last one repeats. */
const RETRY_INTERVALS = [300, 600, 1200, 2500, 2500]
/** The time before the next attempt after the token was refused, or after too many wrong tokens. */
const LIMITED_INTERVAL = 30_000
/** An attempt that has not succeeded after this time is given up. */
const ATTEMPT_LIMIT = 4000
/** The time between the first attempts with two successive alternatives. The earlier attempt continues (RFC 8305, section 5). */
const STAGGER = 250
/** After the end of a connection, the page tries its preferred peers first, and the other peers after this time. */
const PREFERENCE = 700
/** If a peer that is not preferred has answered, the page still waits this time for its preferred peers. They may be reachable again. */
const LAST_CHANCE = 300
/** After this time without a connection, the page tries only the peer that has served it: the device may be in another network. */
const ABANDONMENT = 30_000
/** If nothing arrives for this time, a page that knows other peers looks for a new connection. Meanwhile, it keeps the present one. */
const SILENCE = 1700
/** After a sleep of the device, this time replaces LONGEST_SILENCE, and SILENCE has no effect. */
const SILENCE_AFTER_SLEEP = 3000
/** If nothing arrives for this time, the page ends the connection, unless the page is hidden and knows no other peer. */
const LONGEST_SILENCE = 12_000
/** The longest delay that the peer accepts, in microseconds. */
const MAXIMUM_DELAY = 2_000_000

const decoders = {
  [Kind.welcome]: ["welcome", decodeJSON], [Kind.rhythm]: ["rhythm", decodeRhythm], [Kind.levels]: ["levels", decodeLevels],
  [Kind.ensemble]: ["ensemble", decodeJSON], [Kind.patch]: ["patch", decodeJSON], [Kind.sounds]: ["sounds", decodeJSON],
  [Kind.library]: ["library", decodeJSON], [Kind.notices]: ["notices", decodeJSON], [Kind.calibration]: ["calibration", decodeJSON],
  [Kind.clicks]: ["clicks", decodeJSON], [Kind.delay]: ["delay", decodeJSON], [Kind.partners]: ["partners", decodeJSON],
  [Kind.alternatives]: ["alternatives", decodeJSON], [Kind.notes]: ["notes", decodeNotes], [Kind.score]: ["score", decodeJSON],
  [Kind.route]: ["route", decodeJSON],
}

/**
 * The connection. Events: `state`, with the new state as `detail`; `switch` before the page begins to use another connection and another
 * clock; `clock` after each new estimate of the peer's clock; and one event for each kind of frame from the peer, with the decoded payload
 * as `detail`.
 *
 * The states are `connecting`, `open`, `lost`, `refused` (the token is wrong) and `limited` (too many wrong tokens were sent).
 *
 * A new connection replaces the previous one when its clock is known. Until then, the page continues the rhythm by the clock of the
 * previous connection, and the frames of the new connection wait.
 */
export class Connection extends EventTarget {
  state = "connecting"
  /** What the token permits: `play` or `lead`. */
  access = "play"
  /** The peers to which the page can move, as {name, address}. */
  alternatives = []
  /** Whether the page looks for a peer. */
  isSeeking = false
  #token
  /** The address of the peer that has served the page. */
  #home = location.host
  /** The connection in use, or the one that was used last. Its clock remains in use. Undefined before the first connection. */
  #link
  /**
   * The attempts that will begin later, as {address, at, failures}. `at`: the moment at which the attempt begins. `failures`: the number
   * of attempts with this peer that have failed since the page began to look for a peer.
   */
  #queue = []
  /**
   * The present attempts, as {address, failures, began, link, frames, chosenAt}. `chosenAt`, for a peer that is not preferred: the moment
   * at which the page begins to use this connection, unless a preferred peer answers before; undefined before the clock of the connection
   * is known.
   */
  #attempts = []
  /** The moment at which the last connection ended; undefined while there is one. */
  #lostAt
  #isClosed = false
  /**
   * Whether the page is changing to another connection. The handling of the frames that have waited takes long, and the time of an
   * AudioContext stands still meanwhile (Web Audio API, section 1.1.1). If the page used the new clock at once, it would repeat the sounds
   * that have begun in the meantime. Therefore it uses the new clock only from the next call of `poll` on.
   */
  #isSwitching = false

  constructor(token) {
    super()
    this.#token = token
  }

  /** Connects, and connects again whenever the connection is lost. */
  connect() {
    setInterval(() => this.poll(), POLL_INTERVAL)
    this.isSeeking = true
    this.#queue = [{ address: this.#home, at: 0, failures: 0 }]
    this.poll()
  }

  /** Ends the connection and all attempts until {@link reopen} is called. */
  close() {
    this.#isClosed = true
    this.#link?.close()
    this.#endAttempts()
    this.#lostAt ??= performance.now()
    this.#setState("lost")
  }

  /** Connects again after {@link close}. */
  reopen() {
    this.#isClosed = false
    this.#seek(0, PREFERENCE)
    // `poll` begins attempts before it abandons the other peers.
    if (this.#isAbandoned) this.#abandonOthers()
    this.poll()
  }

  /** Does what is due. Called by a timer of the page, and by the timer of the audio output, which runs at full speed in a hidden page. */
  poll() {
    if (this.#isClosed) return
    if (this.#isSwitching) this.#endSwitch()
    this.#link?.poll()
    for (const attempt of [...this.#attempts]) attempt.link?.poll()
    this.#checkSilence()
    if (!this.isSeeking) return
    const now = performance.now()
    const due = this.#queue.filter(({ at }) => at <= now)
    this.#queue = this.#queue.filter(({ at }) => at > now)
    for (const { address, failures } of due) this.#try(address, failures)
    const chosen = this.#attempts.find(({ chosenAt }) => chosenAt <= now)
    if (chosen) return this.#adopt(chosen)
    for (const attempt of this.#attempts.filter(({ began }) => now - began > ATTEMPT_LIMIT)) this.#fail(attempt)
    if (this.#isAbandoned) this.#abandonOthers()
  }

  /** Whether the page has been without a connection for so long that it tries only the peer that has served it. */
  get #isAbandoned() {
    return performance.now() - this.#lostAt > ABANDONMENT
  }

  /** Gives up all peers except the one that has served the page, so that the join token does not reach devices in another network. */
  #abandonOthers() {
    this.alternatives = []
    this.#queue = this.#queue.filter(({ address }) => address === this.#home)
    for (const attempt of this.#attempts.filter(({ address }) => address !== this.#home)) {
      attempt.link?.close()
      this.#attempts = this.#attempts.filter((other) => other !== attempt)
    }
    if (this.#queue.length + this.#attempts.length === 0) this.#queue.push({ address: this.#home, at: 0, failures: 0 })
  }

  /** Whether the peer at `address` is a preferred one. */
  #prefers(address) { return address === this.#address || address === this.#home }

  /** Handles an attempt whose clock is known. Before the page uses another peer, it tries its preferred peers once more. */
  #measured(attempt) {
    if (this.#prefers(attempt.address)) return this.#adopt(attempt)
    if (attempt.chosenAt !== undefined) return
    const now = performance.now()
    attempt.chosenAt = now + LAST_CHANCE
    // If a connection request was lost because the network was interrupted, the device repeats it only after a second or more. The page
    // therefore ends its older attempts with the preferred peers, and begins new attempts at once.
    for (const preferred of this.#attempts.filter(({ address }) => this.#prefers(address))) {
      if (now - preferred.began > LAST_CHANCE) this.#fail(preferred)
    }
    for (const next of this.#queue) if (this.#prefers(next.address)) next.at = now
  }

  /**
   * Looks for another peer if nothing arrives. Until another peer answers, the present connection remains in use, because it may recover.
   * After a longer silence, ends the present connection.
   */
  #checkSilence() {
    if (this.state !== "open") return
    const { silence, hasSlept } = this.#link
    const hasAlternatives = this.alternatives.length > 0
    if (silence > LONGEST_SILENCE || (hasSlept && silence > SILENCE_AFTER_SLEEP)) {
      if (document.hidden && !hasAlternatives) return
      this.#link.close()
      this.#lost(this.#link)
    } else if (hasAlternatives && !this.isSeeking && silence > SILENCE && !hasSlept) {
      // The preferred peers get only a short head start, because one of them is the peer that is silent.
      this.#seek(0, STAGGER / 2)
    } else if (this.isSeeking && silence < SILENCE) {
      this.#endAttempts()
    }
  }

  /** The address of the peer to which the page is connected, or was connected last. */
  get #address() {
    return this.#link?.address ?? this.#home
  }

  /** Whether the page is connected to another peer than the one that has served it. */
  get hasMoved() {
    return this.#address !== this.#home
  }

  /** The beginning of the URLs of the sounds and the scores of the peer. */
  get origin() {
    return `${location.protocol}//${this.#address}`
  }

  /** The headers for requests of sounds and of the parts of a score. */
  get headers() {
    return this.#token ? { Authorization: `Bearer ${this.#token}` } : {}
  }

  /**
   * Begins to look for a peer. The page tries its preferred peers after `delay`. It tries the first alternative after `delay` +
   * `preference`, and each further alternative STAGGER later.
   */
  #seek(delay, preference) {
    this.isSeeking = true
    const now = performance.now()
    const preferred = new Set([this.#address, this.#home])
    const others = this.alternatives.map(({ address }) => address).filter((address) => !preferred.has(address))
    this.#queue = [
      ...[...preferred].map((address) => ({ address, at: now + delay, failures: 0 })),
      ...others.map((address, n) => ({ address, at: now + delay + preference + n * STAGGER, failures: 0 })),
    ]
  }

  /** Tries to connect to a peer. */
  async #try(address, failures) {
    const attempt = { address, failures, began: performance.now(), frames: [] }
    this.#attempts.push(attempt)
    // The token is checked before the first connection. Later, it is only checked if a connection fails, because the check takes time.
    if (address === this.#home && !this.#link) {
      const status = await this.#checkToken()
      if (!this.#attempts.includes(attempt)) return
      if (status !== 204) return this.#fail(attempt, status)
    }
    attempt.link = new Link(address, this.#token, {
      frame: (frame) => {
        attempt.frames.push(frame)
        // If no clock of a previous connection is known, the page cannot continue the rhythm, so it uses the new connection at once.
        if (!this.#link?.estimate) this.#adopt(attempt)
      },
      clock: () => {
        if (attempt.link.isMeasured) this.#measured(attempt)
      },
      closed: async () => this.#fail(attempt, address === this.#home && this.#link ? await this.#checkToken() : 0),
    })
  }

  /** Sends the token to the peer that has served the page. Returns the HTTP status; 0 without an answer. */
  async #checkToken() {
    try {
      const response = await fetch("/join", { headers: this.headers, signal: AbortSignal.timeout(ATTEMPT_LIMIT) })
      return response.status
    } catch {
      return 0
    }
  }

  /** Ends an attempt that has failed, and repeats it later. `status`: the HTTP status of the peer; 0 without one. */
  #fail(attempt, status = 0) {
    if (!this.#attempts.includes(attempt)) return
    const { address, failures, link } = attempt
    link?.close()
    this.#attempts = this.#attempts.filter((other) => other !== attempt)
    // Whether the page knows no peer except the one that has served it.
    const isAlone = this.alternatives.length === 0 && !this.hasMoved
    if (status === 401 && isAlone) {
      this.isSeeking = false
      return this.#setState("refused")
    }
    if (this.state !== "open") this.#setState(status === 429 && isAlone ? "limited" : "lost")
    const isLimited = status === 401 || status === 429
    const delay = isLimited ? LIMITED_INTERVAL : RETRY_INTERVALS[Math.min(failures, RETRY_INTERVALS.length - 1)]
    this.#queue.push({ address, at: performance.now() + delay, failures: failures + 1 })
  }

  /** Ends all attempts. */
  #endAttempts() {
    this.isSeeking = false
    this.#queue = []
    for (const { link } of this.#attempts.splice(0)) link?.close()
  }

  /** Uses the connection of an attempt from now on. */
  #adopt(attempt) {
    const { link, frames } = attempt
    this.#attempts = this.#attempts.filter((other) => other !== attempt)
    this.#endAttempts()
    this.#emit("switch")
    this.#link?.close()
    this.#link = link
    this.#lostAt = undefined
    // The peers that the previous peer knew are not used any longer.
    this.alternatives = []
    link.handle({
      frame: (frame) => this.#receive(frame),
      clock: () => this.#emit("clock", link.estimate),
      closed: () => this.#lost(link),
    })
    this.#isSwitching = true
    this.#setState("open")
    for (const frame of frames) this.#receive(frame)
  }

  /** Begins to use the new clock. */
  #endSwitch() {
    this.#isSwitching = false
    if (this.hasClock) this.#emit("clock", this.#link.estimate)
  }

  /** Handles the end of the connection in use. */
  #lost(link) {
    if (link !== this.#link || this.#isClosed) return
    const isSeeking = this.isSeeking
    this.#lostAt = performance.now()
    this.#setState("lost")
    // If the peer was silent before, the page is already looking for a peer.
    if (!isSeeking) this.#seek(RETRY_INTERVALS[0], PREFERENCE - RETRY_INTERVALS[0])
  }

  /** Called when the page becomes visible again. The device may have slept. */
  wake() {
    if (this.state !== "open") return
    // The burst updates the estimate of the clock. After a sleep, `checkSleep` begins a burst.
    if (!this.#link.checkSleep()) this.#link.burst()
  }

  #setState(state) {
    this.state = state
    this.#emit("state", state)
  }

  #emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }))
  }

  /** Sends a command, such as {do: "tempo", bpm: 96}. */
  command(command) {
    this.#link?.send(Kind.command, encodeJSON(command))
  }

  /** Reports the activity of the player, 0...127. */
  activity(value) {
    this.#link?.send(Kind.activity, Uint8Array.of(value))
  }

  /**
   * Reports the delay of the audio output in milliseconds, together with the delay from the peer to this page. The peer then counts
   * this page as a player, and announces changes early enough for it.
   */
  output(milliseconds) {
    if (!this.#link) return
    const delay = milliseconds + this.#link.delay
    const microseconds = Math.min(Math.max(Math.round(delay * 1000), 0), MAXIMUM_DELAY)
    const payload = new Uint8Array(4)
    new DataView(payload.buffer).setUint32(0, microseconds)
    this.#link.send(Kind.output, payload)
  }

  /** Handles a frame of the connection in use. */
  #receive(frame) {
    const [type, decoded] = decoders[frame.kind] ?? []
    if (!type) return
    const detail = decoded(frame.payload)
    if (type === "welcome") this.access = detail.access
    if (type === "alternatives") this.alternatives = detail.peers
    this.#emit(type, detail)
  }

  // The clock of the peer.

  /** Whether the peer's clock is known. */
  get hasClock() {
    return !this.#isSwitching && this.#link?.estimate !== undefined
  }

  /** The largest possible error of the estimate in milliseconds; undefined before the clock is known. */
  get uncertainty() {
    return this.#link?.estimate?.uncertainty
  }

  /** The instant of the peer's clock to which relative instants refer; undefined before the clock is known. */
  get base() {
    return this.#link?.base
  }

  /** Converts an instant of the peer's clock, a BigInt in nanoseconds, to a Number relative to {@link base}: a relative instant. */
  relative(instant) {
    return this.#link.relative(instant)
  }

  /** The peer's clock at a moment of performance.now(), as a relative instant. The clock must be known. */
  peerTime(moment = performance.now()) {
    return this.#link.peerTime(moment)
  }

  /** The moment of performance.now(), in milliseconds, at which the peer's clock shows a relative instant. The clock must be known. */
  moment(peerTime) {
    return this.#link.moment(peerTime)
  }
}
