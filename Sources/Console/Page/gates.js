// Who takes what from whom: the gates of the peers, and how strongly one peer influences another.

import { masterOf } from "./leading.js"

/** The gates of a peer in the order of the display, with the keys of their texts. */
export const GATES = { rhythm: "gateRhythm", notes: "gateNotes", modification: "gateModification", activity: "gateActivity" }
/** The weight that one kind of traffic adds. */
const WEIGHT = 25

/** The gates that the peer `to` has opened for the peer `from`; undefined if they are not known. Peers are given by their identities. */
export function gatesFor(ensemble, from, to) {
  const member = (identity) => ensemble.members.find((each) => each.identity === identity)
  if (to === ensemble.identity) return member(from)?.gates
  return member(to)?.takes?.find((each) => each.from === from)?.gates
}

/** Whether traffic of this kind flows between two peers, regardless of the gates. `master` is undefined while no rhythm plays. */
function flows(gate, from, to, master) {
  if (gate === "rhythm") return master === undefined || master === from
  if (gate === "activity") return master !== undefined && (master === from || master === to)
  return true
}

/** The kinds of traffic that reach the peer `to` from the peer `from`; undefined if the gates are not known. */
export function received(ensemble, from, to) {
  const master = masterOf(ensemble)
  return gatesFor(ensemble, from, to)?.filter((gate) => flows(gate, from, to, master))
}

/**
 * How strongly the peer `from` influences the peer `to`: 0...100, as the Swift type EnsembleState.Weights. Undefined if the gates are not
 * known.
 */
export function weightOf(ensemble, from, to) {
  const kinds = received(ensemble, from, to)
  return kinds && WEIGHT * kinds.length
}

/** The gates that the peer `to` has closed for the peer `from`. Gates that are not known count as open. */
export function closedFor(ensemble, from, to) {
  const open = gatesFor(ensemble, from, to)
  return open ? Object.keys(GATES).filter((gate) => !open.includes(gate)) : []
}
