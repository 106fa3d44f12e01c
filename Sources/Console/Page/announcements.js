// What screen readers read without being asked: the rhythm starts or stops, somebody leads now, has come or has left. Never the beat.

import { leaderOf } from "./leading.js"
import { nameOf } from "./sign.js"
import { text } from "./strings.js"

export class Announcements {
  #region
  /** The names of the players by identity, and the identity of the leader, of the last frame `ensemble`. */
  #names
  #leader
  /** Whether the rhythm played according to the last frame; undefined before the first one. */
  #plays

  /** @param region the element whose changes screen readers read. */
  constructor(region) {
    this.#region = region
  }

  say(message) {
    this.#region.textContent = message
  }

  /** Called after each frame `rhythm`. Returns whether the rhythm has started or stopped. */
  rhythm(plays) {
    const hasChanged = plays !== this.#plays
    if (hasChanged && this.#plays !== undefined) this.say(text(plays ? "started" : "stopped"))
    this.#plays = plays
    return hasChanged
  }

  /** Called after each frame `ensemble`. Before *Join*, nothing is announced. */
  ensemble(state, player) {
    const names = new Map(state.ensemble.players.map((row) => [row.identity, nameOf(row)]))
    const leader = leaderOf(state)?.identity
    if (this.#names && player.hasJoined) {
      const came = [...names.keys()].find((identity) => !this.#names.has(identity) && identity !== player.identity)
      const left = [...this.#names.keys()].find((identity) => !names.has(identity))
      if (leader !== this.#leader && leader !== undefined) this.say(text("leads", { name: names.get(leader) }))
      else if (came) this.say(text("came", { name: names.get(came) }))
      else if (left) this.say(text("left", { name: this.#names.get(left) }))
    }
    this.#names = names
    this.#leader = leader
  }
}
