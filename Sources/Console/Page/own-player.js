// The player of this page. Each page is a player of its own, with an identity, a name, a sign, an instrument and a base value of the
// activity.

import { store, stored } from "./settings.js"

const NAME_KEY = "tutti.name"
const SIGN_KEY = "tutti.sign"
/** The key of the state in the session storage of the tab. */
const STATE_KEY = "tutti.player"
/** The number of an instrument with drums, instead of a General MIDI program. */
const DRUMS = 128
/** The largest number of players of a peer, as in the Swift type PlayerList. */
const MAXIMUM_PLAYERS = 64

/** A random number of 64 bits as 16 hexadecimal digits, but not 0. */
function randomIdentity() {
  const [bits] = crypto.getRandomValues(new BigUint64Array(1))
  return bits === 0n ? randomIdentity() : bits.toString(16).padStart(16, "0")
}

/**
 * Takes the state of the player out of the session storage of the tab. The storage contains the state only while the tab is hidden or loads
 * again, because a copy of the tab would get a copy of the storage, and thus the same player.
 */
function takeState() {
  try {
    const state = JSON.parse(sessionStorage.getItem(STATE_KEY) ?? "{}")
    sessionStorage.removeItem(STATE_KEY)
    return state
  } catch {
    return {}
  }
}

/** The sign that this device had last, 0...63; undefined if there is none. */
function storedSign() {
  const sign = parseInt(stored(SIGN_KEY), 10)
  return sign >= 0 && sign < 64 ? sign : undefined
}

export class OwnPlayer {
  /** The identity, which remains the same when the page moves to another peer. */
  identity
  /** The name that the player has entered; an empty string if there is none. The peer then names the player by the sign. */
  name = stored(NAME_KEY) ?? ""
  /** The base value of the activity, 0...127: the activity falls back to it after the player has played. Undefined if it was never set. */
  base
  /** The sign that the player has or would like to have, 0...63; undefined: any. */
  #sign
  /** The number of connections so far. If two peers list this player, the one with the greater number is right. */
  #moves
  /** The General MIDI program of the instrument, or DRUMS; undefined if it is not known yet. */
  #program
  /** The identity of the partner; undefined if there is none. */
  #partner
  #hasJoined = false
  #connection
  #state

  constructor({ connection, state }) {
    this.#connection = connection
    this.#state = state
    const { identity = randomIdentity(), moves = 0, sign = storedSign(), base } = takeState()
    Object.assign(this, { identity, base })
    this.#moves = moves
    this.#sign = sign
    document.addEventListener("visibilitychange", () => (document.hidden ? this.#keepState() : takeState()))
    addEventListener("pagehide", () => this.#keepState())
  }

  #keepState() {
    const state = { identity: this.identity, moves: this.#moves, sign: this.#sign, base: this.base }
    try {
      sessionStorage.setItem(STATE_KEY, JSON.stringify(state))
    } catch {
      // The browser blocks the storage. The page is then another player when it is loaded again.
    }
  }

  // The players of the ensemble.

  /** The players of all peers, in the frame `ensemble`. */
  get #players() {
    return this.#state.ensemble?.players ?? []
  }

  /** What the peer reports about this player; undefined before the peer knows the player. */
  get row() {
    return this.#players.find(({ identity }) => identity === this.identity)
  }

  /**
   * The number of the sign of this player. Before the peer has given a sign, the one that this player would like to have if it is free, or
   * the free sign with the lowest number.
   */
  get sign() {
    if (this.row) return this.row.sign
    const taken = new Set(this.#players.map(({ sign }) => sign))
    if (this.#sign !== undefined && !taken.has(this.#sign)) return this.#sign
    return this.freeSigns(1)[0] ?? 0
  }

  /** The first `count` signs that no player has. */
  freeSigns(count) {
    const taken = new Set(this.#players.map(({ sign }) => sign))
    return Array.from({ length: 64 }, (_, sign) => sign).filter((sign) => !taken.has(sign)).slice(0, count)
  }

  /** All other players. */
  get others() {
    return this.#players.filter(({ identity }) => identity !== this.identity)
  }

  /** Whether the peer has the largest number of players. It then refuses further players. */
  get #isPeerFull() {
    return this.#players.filter(({ peer }) => peer === this.#state.ensemble.identity).length >= MAXIMUM_PLAYERS
  }

  /** Whether this player has joined and waits until another player leaves the peer. */
  get isWaiting() {
    return this.#hasJoined && !this.row && this.#isPeerFull
  }

  /** The activity of this player, 0...127; undefined if it is not known. */
  get energy() {
    return this.#state.levels?.energies[this.#players.findIndex(({ identity }) => identity === this.identity)]
  }

  /** Whether the player has pressed *Join*. */
  get hasJoined() {
    return this.#hasJoined
  }

  // The reports to the peer.

  /** Makes this page a player. Called when the player has pressed *Join*. */
  join() {
    this.#hasJoined = true
    this.#introduce()
  }

  /** Called at the beginning of each connection, before the first report to the peer. */
  connected() {
    this.#moves += 1
    if (this.#hasJoined) this.#introduce()
  }

  #introduce() {
    this.#report()
    if (this.base !== undefined) this.#connection.command({ do: "activity", value: this.base })
  }

  /** Reports the player. JSON contains no members that are undefined. */
  #report() {
    if (!this.#hasJoined) return
    const { identity, name } = this
    this.#connection.command({
      do: "player", identity, name: name || undefined, sign: this.#sign, program: this.#program, moves: this.#moves,
    })
  }

  /**
   * Keeps the sign that the peer has given. If the peer does not list this player although it is not full, introduces the player again: the
   * peer was full when it got the last report. Called after each frame `ensemble`.
   */
  update() {
    const { row } = this
    if (!row) {
      if (this.#hasJoined && !this.#isPeerFull) this.#introduce()
      return
    }
    if (row.sign !== this.#sign) {
      this.#sign = row.sign
      store(SIGN_KEY, String(row.sign))
    }
    this.#reportPartner()
  }

  /** Reports the partner if the peer does not know it yet. A peer accepts only a partner that it lists. */
  #reportPartner() {
    const { row } = this
    const peer = this.#partner
    if (!this.#hasJoined || !row || (row.partner ?? undefined) === peer) return
    if (!peer || this.others.some(({ identity }) => identity === peer)) this.#connection.command({ do: "partner", peer })
  }

  setName(name) {
    this.name = name.trim()
    store(NAME_KEY, this.name)
    this.#report()
  }

  /** Asks for another sign. Before *Join*, the wish is only stored. */
  setSign(sign) {
    this.#sign = sign
    store(SIGN_KEY, String(sign))
    this.#report()
  }

  setBase(value) {
    this.base = value
    this.#connection.command({ do: "activity", value })
  }

  /** Sets the instrument, an entry of the frame `sounds`. */
  setInstrument({ program, drums }) {
    this.#program = drums.length > 0 ? DRUMS : program
    this.#report()
  }

  /** Sets the identity of the player with whom this player plays together; undefined: none. */
  setPartner(identity) {
    this.#partner = identity
    this.#reportPartner()
  }
}
