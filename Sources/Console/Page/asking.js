// A page whose peer follows asks the leader for the lead: a button in *Everyone*, and one in the sheet of the leader's player. A second press
// takes the question back. The page of the leader shows the question in its banner.

import { leadOf, leaderOf, masterOf } from "./leading.js"
import { nameOf } from "./sign.js"
import { text } from "./strings.js"

const element = (id) => document.getElementById(id)

const BUTTONS = ["ask-lead", "person-ask"]

/** Whether this page can ask for the lead. */
export function canAsk(context) {
  const { ensemble } = context.state
  return leadOf(context) === "follows" && ensemble.obstacle === "master" && masterOf(ensemble) !== undefined
}

export class AskingView {
  #context

  constructor(context) {
    this.#context = context
    for (const id of BUTTONS) element(id).addEventListener("click", () => this.#toggle())
  }

  #toggle() {
    const { announce, connection, state } = this.#context
    const on = !state.ensemble.asks
    connection.command({ do: "ask", on })
    const leader = leaderOf(state)
    if (on && leader) announce(text("wantAsked", { name: nameOf(leader) }))
  }

  render() {
    element("ask-lead").hidden = !canAsk(this.#context)
    for (const id of BUTTONS) element(id).setAttribute("aria-pressed", String(this.#context.state.ensemble?.asks === true))
  }
}
