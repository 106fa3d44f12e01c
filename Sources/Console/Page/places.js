// The places of the page. A place has an address, so *Back* works: it is the parameter `place` of the fragment, beside the join token.

import { wakeFrames } from "./frame-loop.js"
import { text } from "./strings.js"

const element = (id) => document.getElementById(id)

const PLACES = ["play", "rhythm", "score", "everyone"]

export class Places {
  #context

  constructor(context) {
    this.#context = context
    addEventListener("hashchange", () => this.render())
    document.addEventListener("keydown", (event) => {
      const step = { "[": -1, "]": 1 }[event.key]
      if (!step || !this.#context.player.hasJoined || !context.letters.accepts(event)) return
      const places = this.#places
      this.go(places[(places.indexOf(this.present) + step + places.length) % places.length])
    })
    element("skip").addEventListener("click", (event) => {
      // The fragment of the address contains the token and the place, so the link must not change it.
      event.preventDefault()
      element("main").focus()
    })
  }

  /** The places that exist now. Without a score, there is no place *Score*. */
  get #places() {
    return PLACES.filter((place) => place !== "score" || this.#context.state.score?.digest !== undefined)
  }

  /** The place of the address; the first place if the address has none. */
  get present() {
    const place = new URLSearchParams(location.hash.slice(1)).get("place")
    return this.#places.includes(place) ? place : PLACES[0]
  }

  #address(place) {
    const fragment = new URLSearchParams(location.hash.slice(1))
    fragment.set("place", place)
    return `#${fragment}`
  }

  go(place) {
    location.hash = this.#address(place)
  }

  render() {
    const { present } = this
    for (const place of PLACES) {
      const link = element(`to-${place}`)
      link.href = this.#address(place)
      link.hidden = !this.#places.includes(place)
      if (place === present) link.setAttribute("aria-current", "page")
      else link.removeAttribute("aria-current")
      element(`place-${place}`).hidden = place !== present
    }
    element("leader").href = this.#address("everyone")
    document.body.dataset.place = present
    this.#context.stand.isVisible = this.#context.player.hasJoined && present === "score"
    document.title = `Tutti – ${text(this.#context.player.hasJoined ? present : "join")}`
    this.#context.instrument.isVisible = this.#context.player.hasJoined && present === "play"
    wakeFrames()
  }
}
