// Tests who hears whom, the geometry of its picture, the frames of fills and notes, and the fills of a rhythm: node ensemble.mjs

import { decodeNotes, decodeRhythm } from "../../../Sources/Console/Page/frames.js"
import { closedFor, gatesFor, weightOf } from "../../../Sources/Console/Page/gates.js"
import { arrow, bounds, distanceTo, nearestNode, nodes, phoneLimit, phonePlaces, PHONE } from "../../../Sources/Console/Page/network-layout.js"
import { Rhythm, Schedule } from "../../../Sources/Console/Page/rhythm.js"

export let failures = 0

function expect(condition, claim, detail = "") {
  if (condition) return
  failures += 1
  console.error(`ensemble: ${claim}: ${JSON.stringify(detail)}`)
}

const ALL = ["rhythm", "notes", "modification", "activity"]
/** Three peers: `a` is the local one. `b` has closed the notes of `c`. What `c` takes from `a` is not known yet. */
const ensemble = (roles) => ({
  identity: "a", role: roles[0],
  members: [
    { identity: "b", role: roles[1], gates: ALL, takes: [{ from: "a", gates: ALL }, { from: "c", gates: ["rhythm", "modification", "activity"] }] },
    { identity: "c", role: roles[2], gates: ["activity"], takes: [{ from: "b", gates: ALL }] },
  ],
})

/** The weights are those of the Swift type EnsembleState.Weights: 100 from the leader, 75 to the leader, 50 between followers, 75 at rest. */
function testWeights() {
  const playing = ensemble(["master", "follower", "follower"])
  const weights = [["a", "b"], ["b", "a"], ["b", "c"], ["c", "b"], ["c", "a"], ["a", "c"]].map(([from, to]) => weightOf(playing, from, to))
  expect(JSON.stringify(weights) === JSON.stringify([100, 75, 50, 25, 25, undefined]), "weights while a rhythm plays", weights)
  const idle = ensemble(["idle", "idle", "idle"])
  const atRest = [["a", "b"], ["b", "a"], ["c", "b"], ["c", "a"]].map(([from, to]) => weightOf(idle, from, to))
  expect(JSON.stringify(atRest) === JSON.stringify([75, 75, 50, 0]), "weights while no rhythm plays", atRest)
  expect(closedFor(playing, "c", "b").join() === "notes" && closedFor(playing, "a", "c").length === 0, "closed gates", closedFor(playing, "c", "b"))
  // A peer of an older version does not report the gates of the others.
  const old = { ...playing, members: playing.members.map(({ takes, ...rest }) => rest) }
  expect(gatesFor(old, "c", "b") === undefined && gatesFor(old, "c", "a").join() === "activity", "gates of an older peer")
}

function testGeometry() {
  for (let count = 2; count <= 16; count += 1) {
    const placed = nodes(count)
    const phones = placed.flatMap((node) => phonePlaces(node, phoneLimit(count)).map((at) => ({ at, radius: PHONE })))
    const { x: left, y: top, width, height } = bounds([...placed, ...phones])
    expect(width < 560 && height < 520, `the picture of ${count} peers is small`, [width, height])
    const overlap = phones.some((phone, index) => phones.some((other, place) => place > index && Math.hypot(phone.at[0] - other.at[0], phone.at[1] - other.at[1]) < 2 * PHONE - 1))
    expect(!overlap, `the phones of ${count} peers do not overlap`)
    for (const [index, { at: [x, y], radius }] of placed.entries()) {
      const found = nearestNode(placed, [x + radius / 2, y])
      expect(found.index === index, `the node ${index} of ${count} is hit`, found)
      expect(x - radius > left && x + radius < left + width && y - radius > top && y + radius < top + height, `the node ${index} of ${count} is in the picture`)
      const other = placed[(index + 1) % count]
      const { start, end } = arrow(placed[index], other, 100)
      const way = (end[0] - start[0]) * (other.at[0] - x) + (end[1] - start[1]) * (other.at[1] - y)
      expect(way > 0, `the arrow from the node ${index} of ${count} to the next one is between them`, [start, end])
      expect(Math.hypot(x - other.at[0], y - other.at[1]) > radius + other.radius, `the nodes ${index} of ${count} do not overlap`)
    }
  }
  const [a, b] = nodes(2)
  const [there, back] = [arrow(a, b, 100), arrow(b, a, 25)]
  expect(there.width === 8 && back.width === 2, "the width of an arrow is its weight", [there.width, back.width])
  expect(Math.abs(there.at(0.5)[0] - back.at(0.5)[0]) > 20, "the two directions of a pair lie beside each other", [there.at(0.5), back.at(0.5)])
  expect(distanceTo(there, there.at(0.3)) < 10 && distanceTo(there, back.at(0.5)) > 20, "a touch hits the nearer arrow")
}

/** A rhythm of two bars with a fill in every fourth bar: a kick on each beat, and a snare of the fill on each beat. */
const table = {
  bars: 1, barSteps: 16, seed: 1, swing: [0, 0, 0, 0], swell: 0, fillPeriod: 4, fillChance: 100, drumLineCount: 2, chords: [], chordSteps: 0,
  programs: [0, 0, 0, 0], keys: [],
  lines: [0, 1].map((line) => ({
    voice: [36, 38][line], firstStroke: line * 16, bars: 1, strokesPerBar: 16, ticksPerStroke: 6, from: 0, to: 127, isFill: line === 1, replaces: false,
    group: 0, feel: 0, level: 100, lowActivityChance: 100, highActivityChance: 100,
  })),
  strokes: Array.from({ length: 32 }, (_, index) => (index % 4 === 0 ? 2 : 0)),
}

/** A frame `rhythm` that plays from tick 0 on, with a fill at a tick. */
function frame(fill) {
  const view = new DataView(new ArrayBuffer(82 + 24))
  view.setUint8(8, 1)
  view.setUint8(10, 60)
  for (let part = 0; part < 4; part += 1) view.setUint8(12 + part, 100)
  for (let part = 0; part < 4; part += 1) view.setUint8(17 + part, 100)
  const never = (1n << 63n) - 1n
  for (const [offset, tick] of [[24, 0n], [32, never], [40, never], [48, never], [56, 0n], [64, fill], [72, never]]) view.setBigInt64(offset, tick)
  view.setUint8(80, 3)
  view.setUint8(81, 1)
  view.setFloat64(82 + 16, 5e8)
  return decodeRhythm(view)
}

function testFill() {
  const snares = (decoded, bar) => {
    const rhythm = new Rhythm()
    rhythm.schedule = new Schedule(decoded, Number)
    rhythm.setPatches({ newest: { tick: 96, table } })
    return Array.from({ length: 16 }, (_, step) => rhythm.hits((bar + 1) * 16 + step)).flat().filter(({ note }) => note === 38).length
  }
  // The patch begins at tick 96, so its bar 1 begins at tick 192.
  const counts = [0, 1, 2, 3].map((bar) => snares(frame(192n), bar))
  expect(counts.join() === "0,4,0,4", "the bar that the leader asks for plays the fill", counts)
  const usual = [0, 1, 2, 3].map((bar) => snares(frame((1n << 63n) - 1n), bar))
  expect(usual.join() === "0,0,0,4", "without a request, only the last bar of four plays it", usual)
}

/** In a ritardando, a frame has several segments. Each position has the tempo of its own segment. */
function testSegments() {
  const segments = [[0, 0, 480e6], [24, 480e6, 600e6], [36, 780e6, 720e6]].map(([tick, instant, quarter]) => ({ tick, instant, quarter }))
  const schedule = new Schedule({ plays: true, start: 0, end: 960, segments, scoreTick: 96, sounds: true, soundsNext: false }, Number)
  const instants = [0, 12, 24, 30, 36, 60].map((tick) => schedule.instant(tick) / 1e6)
  expect(instants.join() === "0,240,480,630,780,1500", "the instants of the ticks of a ritardando", instants)
  const positions = instants.map((instant) => schedule.position(instant * 1e6))
  expect(positions.join() === "0,12,24,30,36,60", "the positions at these instants", positions)
  expect(schedule.soundsAt(95) && !schedule.soundsAt(96), "the rhythm is silent beside the score")
}

function testNotes() {
  const view = new DataView(new ArrayBuffer(2 * 18 + 7))
  const write = (at, player, key, velocity, instant) => {
    view.setBigUint64(at, player)
    ;[key, velocity].forEach((value, index) => view.setUint8(at + 8 + index, value))
    view.setBigInt64(at + 10, instant)
  }
  write(0, 0xabn, 60, 100, 1_000_000_007n)
  write(18, 1n, 200, 100, 0n)
  const notes = decodeNotes(view)
  const [{ player, key, velocity, instant }] = notes
  expect(notes.length === 1, "an impossible key and a rest of the payload are left out", notes.length)
  expect(player === "00000000000000ab" && key === 60 && velocity === 100 && instant === 1_000_000_007n, "a note", [player, key, velocity])
  expect(decodeNotes(new DataView(new ArrayBuffer(18 * 100))).length === 64, "at most 64 notes")
}

testWeights()
testGeometry()
testFill()
testSegments()
testNotes()
if (process.argv[1].endsWith("ensemble.mjs")) process.exit(failures > 0 ? 1 : 0)
