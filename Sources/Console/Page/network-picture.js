// The card *Who hears whom* of the place *Everyone*: the peers as signs on an ellipse, their phones, and an arrow for each direction. The
// width of an arrow is its weight (gates.js). On each beat, a pulse leaves the leader and arrives at all peers on the next beat.
//
// A tap on an arrow, or on two signs, chooses a pair. So do the two menus below the picture. The four gates of the pair are in the picture
// and below it. A page that may lead can switch the gates of its own peer. All other gates are text.

import { onEachFrame, reducedMotion, wakeFrames } from "./frame-loop.js"
import { GATES, closedFor, gatesFor, received, weightOf } from "./gates.js"
import { masterOf } from "./leading.js"
import { PHONE, arrow, bounds, distanceTo, nearestNode, nodes, phoneLimit, phonePlaces } from "./network-layout.js"
import { PairGates } from "./pair-gates.js"
import { colourOf, createSVG, nameOf, shapePaths } from "./sign.js"
import { text } from "./strings.js"

const element = (id) => document.getElementById(id)

/** With more peers than this, the picture shows at most this number: the leader, the peer of the page, and peers that have closed a gate. */
const MANY = 16
/** With more peers than this, the arrows between those who do not lead are fainter. */
const CROWDED = 8
/** The distance of the plate from the centre of a crowded picture, as a share of that of its arrow. */
const CENTRAL = 0.6
/** The largest number of closed pairs that the sentence for screen readers names. */
const NAMED = 6
/** A touch at most this far from an arrow or a sign hits it, in CSS pixels. */
const REACH = 22
/** The radius of the pulse. */
const PULSE = 9
/** The size of the plate with the gates, and the distance between two gates. */
const [PLATE, STEP] = [[112, 34], 25]

/** The players of the peers in the order of their arrival, the leader first. */
export function peersOf(ensemble) {
  const identities = new Set([ensemble.identity, ...ensemble.members.map(({ identity }) => identity)])
  const peers = ensemble.players.filter(({ identity }) => identities.has(identity))
  const top = Math.max(0, peers.findIndex(({ identity }) => identity === masterOf(ensemble)))
  return [...peers.slice(top), ...peers.slice(0, top)]
}

/** The peers that the picture shows. */
export function shownPeers(ensemble) {
  const peers = peersOf(ensemble)
  if (peers.length <= MANY) return peers
  const master = masterOf(ensemble)
  const isClosed = (to) => peers.some((from) => closedFor(ensemble, from.identity, to.identity).length > 0)
  const rank = (peer) => (peer.identity === master || peer.identity === ensemble.identity ? 0 : 1)
  const wanted = peers.filter((peer) => rank(peer) === 0 || isClosed(peer)).sort((a, b) => rank(a) - rank(b)).slice(0, MANY)
  return peers.filter((peer) => wanted.includes(peer))
}

export class NetworkPicture {
  #context
  #root = element("network-picture")
  #gates
  /** The peers of the picture, their nodes, and the arrows: {from, to, curve}, where `from` and `to` are indices. */
  #peers = []
  #nodes = []
  #arrows = []
  /** The pair whose gates are shown as identities, whether the player has chosen it, and the peer that was tapped first. */
  #from
  #to
  #hasChosen = false
  #first
  /** The arrows along which pulses travel, and their circles. */
  #pulses = []
  #image = createSVG("svg", { class: "map", role: "img" })
  #signature = ""

  constructor(context) {
    this.#context = context
    this.#gates = new PairGates(context, (pair) => this.#choose(pair))
    this.#root.append(this.#image)
    this.#image.addEventListener("click", (event) => this.#tap(event))
    onEachFrame((moment) => this.#movePulses(moment))
  }

  render() {
    const { ensemble } = this.#context.state
    const all = ensemble ? peersOf(ensemble) : []
    element("network").hidden = all.length < 2
    if (all.length < 2) return
    const has = (identity) => all.some((peer) => peer.identity === identity)
    if (!has(this.#from) || !has(this.#to)) {
      this.#hasChosen = false
      this.#to = ensemble.identity
      this.#from = all.find(({ identity }) => identity !== this.#to)?.identity
    }
    if (!has(this.#first)) this.#first = undefined
    this.#gates.render(all, this.#from, this.#to)
    this.#renderPicture(ensemble, all)
  }

  #renderPicture(ensemble, all) {
    const peers = shownPeers(ensemble)
    const phones = peers.map(({ identity }) => ensemble.players.filter((row) => row.peer === identity && row.identity !== identity))
    const pairs = peers.flatMap((from) => peers.filter((to) => to !== from).map((to) => gatesFor(ensemble, from.identity, to.identity)))
    const signature = JSON.stringify([
      peers.map(({ identity, sign, name }) => [identity, sign, name]), phones.map((rows) => rows.map(({ sign }) => sign)), pairs,
      masterOf(ensemble), this.#from, this.#to, this.#hasChosen, this.#first, all.length, document.documentElement.lang,
    ])
    if (signature === this.#signature) return
    this.#signature = signature
    this.#peers = peers
    this.#nodes = nodes(peers.length)
    const places = phones.map((rows, index) => phonePlaces(this.#nodes[index], Math.min(rows.length, phoneLimit(peers.length))))
    const { x, y, width, height } = bounds([...this.#nodes, ...places.flat().map((at) => ({ at, radius: PHONE }))])
    this.#image.classList.toggle("crowded", peers.length > CROWDED)
    this.#image.setAttribute("viewBox", [x, y, width, height].map((each) => each.toFixed(1)).join(" "))
    this.#arrows = peers.flatMap((from, a) => peers.flatMap((to, b) => {
      const weight = a === b ? undefined : weightOf(ensemble, from.identity, to.identity)
      return weight === undefined ? [] : [{ from: a, to: b, weight, curve: arrow(this.#nodes[a], this.#nodes[b], weight) }]
    }))
    const master = masterOf(ensemble)
    this.#pulses = this.#arrows.filter(({ from, to }) => (
      peers[from].identity === master && received(ensemble, master, peers[to].identity).includes("rhythm")))
      .map(({ curve }) => ({ curve, circle: createSVG("circle", { class: "travels", r: PULSE, visibility: "hidden" }) }))
    const order = (each) => (this.#isChosen(each) ? 2 : peers[each.from].identity === master ? 1 : 0)
    const sorted = [...this.#arrows].sort((a, b) => order(a) - order(b))
    this.#image.setAttribute("aria-label", this.#sentence(ensemble, peers))
    this.#image.replaceChildren(
      ...phones.flatMap((rows, index) => this.#drawPhones(rows, places[index], this.#nodes[index])),
      ...sorted.flatMap((each) => this.#drawArrow(each, ["", "lead", "chosen"][order(each)])),
      ...this.#pulses.map(({ circle }) => circle),
      ...peers.map((peer, index) => this.#drawNode(peer, this.#nodes[index])),
      ...sorted.filter((each) => this.#isChosen(each)).map(({ curve }) => this.#drawPlate(ensemble, curve)))
    const further = all.length - peers.length
    element("network-note").textContent = further > 0 ? text("furtherPeers", { count: further }) : ""
    wakeFrames()
  }

  #isChosen({ from, to }) {
    return this.#hasChosen && this.#peers[from].identity === this.#from && this.#peers[to].identity === this.#to
  }

  #drawArrow({ curve: { start, bend, end, tip, width }, weight }, kind) {
    const line = createSVG("path", { class: `arrow ${kind}`, d: `M${start}Q${bend} ${end}`, "stroke-width": Math.max(1.5, width) })
    if (weight === 0) line.setAttribute("stroke-dasharray", "1 7")
    return [line, createSVG("path", { class: `tip ${kind}`, d: `M${tip.join("L")}Z` })]
  }

  #drawSign({ sign }, [x, y], radius) {
    const scale = radius / 10
    const transform = `translate(${x - 12 * scale} ${y - 12 * scale}) scale(${scale})`
    return createSVG("g", { transform }, ...shapePaths(sign, colourOf(sign)))
  }

  #drawNode(peer, { at: [x, y], radius }) {
    const letter = createSVG("text", { class: "letter", x, y: y + 8 }, [...nameOf(peer)][0].toUpperCase())
    const marks = peer.identity === this.#first ? [createSVG("circle", { class: "first", cx: x, cy: y, r: radius + 9 })] : []
    return createSVG("g", {}, ...marks, this.#drawSign(peer, [x, y], radius), letter)
  }

  /** The phones of a peer. If there are too many, the last place has the number of the further ones. */
  #drawPhones(rows, places, node) {
    const shown = rows.length > places.length ? rows.slice(0, places.length - 1) : rows
    return places.flatMap((at, place) => [
      createSVG("path", { class: "leash", d: `M${node.at}L${at}` }),
      shown[place] ? this.#drawSign(shown[place], at, PHONE)
        : createSVG("text", { class: "further", x: at[0], y: at[1] + 8 }, `+${rows.length - shown.length}`),
    ])
  }

  /** The plate with the gates of the chosen pair: a dot is open, a cross is closed. */
  #drawPlate(ensemble, curve) {
    // Between many peers, the plate is nearer to the centre, so that it hides no sign.
    const [x, y] = curve.at(0.5).map((each) => each * (this.#peers.length > CROWDED ? CENTRAL : 1))
    const closed = closedFor(ensemble, this.#from, this.#to)
    const marks = Object.keys(GATES).map((gate, index) => {
      const [left, top] = [PLATE[0] / 2 + (index - 1.5) * STEP, PLATE[1] / 2]
      return closed.includes(gate) ? createSVG("path", { class: "shut", d: `M${left - 6} ${top - 6}l12 12m0 -12l-12 12` })
        : createSVG("circle", { class: "open", cx: left, cy: top, r: 7 })
    })
    return createSVG("g", { class: "plate", transform: `translate(${x - PLATE[0] / 2} ${y - PLATE[1] / 2})` },
      createSVG("rect", { width: PLATE[0], height: PLATE[1], rx: PLATE[1] / 2 }), ...marks)
  }

  /** What the picture says, for screen readers. */
  #sentence(ensemble, peers) {
    const master = masterOf(ensemble)
    const leader = peers.find(({ identity }) => identity === master)
    const closed = peers.flatMap((to) => peers.flatMap((from) => {
      const gates = closedFor(ensemble, from.identity, to.identity)
      return gates.length > 0 ? [text("closedPair", {
        to: nameOf(to), from: nameOf(from), gates: gates.map((gate) => text(GATES[gate])).join(", ") })] : []
    }))
    const more = closed.length > NAMED ? [text("closedMore", { count: closed.length - NAMED })] : []
    return [
      ...(leader ? [`${text("leads", { name: nameOf(leader) })}.`] : []),
      ...(closed.length > 0 ? [...closed.slice(0, NAMED), ...more] : [text("allHear")]),
    ].join(" ")
  }

  // The choice of a pair.

  #choose({ from, to }) {
    [this.#from, this.#to, this.#hasChosen, this.#first] = [from, to, true, undefined]
    this.render()
  }

  #tap({ clientX, clientY }) {
    const matrix = this.#image.getScreenCTM()
    const point = new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse())
    const [place, reach] = [[point.x, point.y], REACH / matrix.a]
    const node = nearestNode(this.#nodes, place)
    if (node.distance <= Math.max(this.#nodes[node.index].radius + 4, reach)) return this.#tapNode(this.#peers[node.index].identity)
    const hits = this.#arrows.map((each) => ({ ...each, distance: distanceTo(each.curve, place) })).sort((a, b) => a.distance - b.distance)
    if (hits.length === 0 || hits[0].distance > reach) return undefined
    return this.#choose({ from: this.#peers[hits[0].from].identity, to: this.#peers[hits[0].to].identity })
  }

  /** The first of two tapped peers gives, the second one takes. */
  #tapNode(identity) {
    if (this.#first === undefined || this.#first === identity) {
      this.#first = this.#first === undefined ? identity : undefined
      return this.render()
    }
    return this.#choose({ from: this.#first, to: identity })
  }

  #movePulses(moment) {
    if (this.#pulses.length === 0 || this.#root.offsetParent === null) return false
    const { pulse } = this.#context
    const position = reducedMotion.matches ? undefined : pulse.at(moment)
    for (const { curve, circle } of this.#pulses) {
      circle.setAttribute("visibility", position ? "visible" : "hidden")
      if (!position) continue
      const [x, y] = curve.at(position.phase)
      circle.setAttribute("cx", x.toFixed(1))
      circle.setAttribute("cy", y.toFixed(1))
    }
    return pulse.plays
  }
}
