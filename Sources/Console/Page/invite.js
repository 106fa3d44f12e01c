// *Bring someone in*: the last chip of *Everyone* opens a sheet with the code that another phone scans. The code contains a join token, so the
// peer draws it only for a request with a token. An image of the document cannot send one, so the page requests the drawing and puts it into
// the document.

import { create } from "./elements.js"
import { createIcon } from "./icons.js"
import { openSheet } from "./sheet.js"
import { createSVG } from "./sign.js"
import { text } from "./strings.js"

const element = (id) => document.getElementById(id)

/** The time limit of a request, in milliseconds. */
const REQUEST_LIMIT = 5000
/** The elements of the drawing and their attributes that the page uses. */
const ELEMENTS = ["g", "path", "rect"]
const ATTRIBUTES = ["d", "x", "y", "width", "height", "transform", "fill", "fill-rule", "shape-rendering"]

/** A copy of the elements that draw a code; everything else is left out. */
function copies(parent) {
  return [...parent.children].filter(({ localName }) => ELEMENTS.includes(localName)).map((child) => {
    const attributes = ATTRIBUTES.filter((name) => child.hasAttribute(name)).map((name) => [name, child.getAttribute(name)])
    return createSVG(child.localName, Object.fromEntries(attributes), ...copies(child))
  })
}

/** The image of a code; undefined if the text is not the drawing of a code. */
function createCode(drawing) {
  const root = new DOMParser().parseFromString(drawing, "image/svg+xml").documentElement
  const viewBox = root.getAttribute("viewBox")
  if (root.localName !== "svg" || !viewBox) return undefined
  return createSVG("svg", { class: "code", viewBox, role: "img", "aria-label": text("codeToScan") }, ...copies(root))
}

export class Invite {
  /** The item of the list of players: the chip that opens the sheet. It is hidden if the peer has no address for other devices. */
  item = create("li", { hidden: true })
  #context
  #label = create("b")
  /** Whether the peer was asked for a code. */
  #isKnown = false
  /** The number of the newest request for the sheet. */
  #request = 0

  constructor(context) {
    this.#context = context
    const button = create("button", { type: "button", className: "chip invite" }, createIcon("qr"), this.#label)
    button.addEventListener("click", () => this.#open())
    this.item.append(button)
    element("invite-lead").addEventListener("change", ({ target }) => this.#show(target.checked ? "lead" : "play"))
    addEventListener("hashchange", () => this.render())
    context.connection.addEventListener("welcome", () => {
      this.#isKnown = false
      this.item.hidden = true
    })
  }

  /** When *Everyone* is shown, finds out whether the peer has a code. A page that has moved to another peer may not ask for one. */
  async render() {
    const { connection, player } = this.#context
    this.#label.textContent = text("invite")
    element("invite-more").hidden = connection.access !== "lead"
    const isWanted = player.hasJoined && !element("place-everyone").hidden
    if (this.#isKnown || !isWanted || connection.state !== "open" || connection.hasMoved) return
    this.#isKnown = true
    this.item.hidden = await this.#load("play") === undefined
  }

  /** The drawing of a code; undefined if there is none, or if it did not arrive. */
  async #load(access) {
    const { headers, origin } = this.#context.connection
    try {
      const signal = AbortSignal.timeout(REQUEST_LIMIT)
      const response = await fetch(`${origin}/code.svg?access=${access}`, { headers, cache: "no-store", signal })
      return response.ok ? await response.text() : undefined
    } catch {
      return undefined
    }
  }

  #open() {
    element("invite-lead").checked = false
    openSheet("invite-sheet")
    this.#show("play")
  }

  /** Shows the code for an access, `play` or `lead`. */
  async #show(access) {
    this.#request += 1
    const request = this.#request
    const drawing = await this.#load(access)
    if (request !== this.#request) return
    const code = drawing && createCode(drawing)
    element("invite-code").replaceChildren(...(code ? [code] : []))
    element("invite-note").textContent = text(code ? "scanCode" : "codeFailed")
  }
}
