// Compares the JavaScript of the page with test vectors that the Swift code has written: node vectors.mjs VECTORS.json
//
// The imports of motion.mjs, ensemble.mjs and turns.mjs also run tests that need no vectors.

import { readFileSync } from "node:fs"
import { figureOf, keyAt, positionsOf, shownPosition } from "../../../Sources/Console/Page/figures.js"
import { ScoreRoute } from "../../../Sources/Console/Page/score-route.js"
import { RemoteClock } from "../../../Sources/Console/Page/clock.js"
import { StepTable, chanceHash } from "../../../Sources/Console/Page/table.js"
import { failures as ensembleFailures } from "./ensemble.mjs"
import { failures as motionFailures } from "./motion.mjs"
import { failures as turnFailures } from "./turns.mjs"

const vectors = JSON.parse(readFileSync(process.argv[2], "utf8"))
let failures = motionFailures + ensembleFailures + turnFailures

/** Counts a failure if the values differ. Prints the first 20 failures. */
function check(what, actual, expected) {
  if (actual === expected) return
  failures += 1
  if (failures <= 20) console.error(`${what}: ${actual} instead of ${expected}`)
}

for (const { seed, bar, line, tick, hash } of vectors.chances) {
  check(`hash ${seed} ${bar} ${line} ${tick}`, chanceHash(seed, bar, line, tick), hash)
}

let estimates = 0
for (const { name, resolution, packets, estimates: expected } of vectors.clocks) {
  const clock = new RemoteClock()
  packets.forEach(({ isOut, sent, received, now }, index) => {
    clock.add(isOut, BigInt(sent), BigInt(received), resolution, BigInt(now))
    const wanted = expected[index]
    const actual = clock.estimate(BigInt(wanted.now))
    const what = `clock ${name}, packet ${index + 1}`
    // Without an estimate, both sides are undefined.
    for (const key of ["offset", "uncertainty", "deviation"]) {
      check(`${what}, ${key}`, actual && Number(actual[key]), wanted[key])
    }
    if (wanted.skew !== undefined) {
      const isEqual = Math.abs(actual.skew - wanted.skew) < 1e-9
      check(`${what}, skew`, isEqual ? wanted.skew : actual.skew, wanted.skew)
    }
    for (const key of ["count", "rejected", "resets"]) check(`${what}, ${key}`, clock[key], wanted[key])
    estimates += 1
  })
}

/** The hash FNV-1a (32 bits) of numbers. Each number has four octets, the lowest one first. */
class Digest {
  hash = 2166136261

  add(number) {
    for (let shift = 0; shift < 32; shift += 8) {
      this.hash = Math.imul(this.hash ^ ((number >> shift) & 0xff), 16777619)
    }
  }
}

let hits = 0
for (const { name, table: description, firstStep, lastStep, digests } of vectors.tables) {
  const table = new StepTable(description)
  for (const { activity, playsFill, count, digest } of digests) {
    const sum = new Digest()
    let found = 0
    for (let step = firstStep; step <= lastStep; step += 1) {
      for (const hit of table.hits(step, activity, playsFill)) {
        found += 1
        for (const number of [
          step, hit.part, hit.program, hit.note, hit.velocity, hit.group, hit.position, hit.end, hit.delay,
          hit.isGrace ? 1 : 0,
        ]) sum.add(number)
      }
    }
    check(`table ${name}, activity ${activity}, fill ${playsFill}, hits`, found, count)
    check(`table ${name}, activity ${activity}, fill ${playsFill}, digest`, sum.hash >>> 0, digest)
    hits += found
  }
}

/** The keys of an instrument in a chord: rising, all possible, and from the lowest key to the highest. */
function checkKeys(name, instrument, { pitchClasses, keys: possible }) {
  const what = `instrument ${name}, chord ${pitchClasses}`
  const count = positionsOf(instrument)
  const greatest = Math.max(0, ...(instrument.figure?.notes ?? []).map(({ degree }) => degree))
  for (let degree = 0; degree <= greatest; degree += 1) {
    const keys = Array.from({ length: count }, (_, position) => keyAt(instrument, position, pitchClasses, degree))
    check(`${what}, degree ${degree}, wrong keys`, keys.filter((key) => !possible.includes(key)).join(), "")
    check(`${what}, degree ${degree}, rising`, keys.every((key, index) => index === 0 || key >= keys[index - 1]), true)
    // The figure fits into the range, so each degree is a further note.
    check(`${what}, degree ${degree}, lowest key`, keys[0], possible[Math.min(degree, possible.length - 1)])
    const last = shownPosition(instrument, count - 1, degree)
    check(`${what}, degree ${degree}, shown position`, last, count - 1)
  }
  check(`${what}, highest key`, keyAt(instrument, count - 1, pitchClasses, greatest), possible.at(-1))
}

for (const { name, instrument, chords, ranks } of vectors.instruments) {
  for (const chord of chords) checkKeys(name, instrument, chord)
  const figure = figureOf(instrument)
  check(`instrument ${name}, has a figure`, figure !== undefined, ranks !== undefined)
  if (!ranks) continue
  check(`instrument ${name}, steps`, figure.entries.length, ranks.length)
  const total = ranks.filter((rank) => rank !== null).length
  ranks.forEach((rank, step) => {
    const entry = figure.entries[step]
    check(`instrument ${name}, step ${step}, has a note`, entry !== undefined, rank !== null)
    // As in InstrumentTable.sounds, the first notes of this number sound at a strength. Steps of 1/127 are the values of a control.
    for (let control = 0; entry && control <= 127; control += 1) {
      const further = Math.floor((2 * (total - 1) * control + 127) / 254)
      check(`instrument ${name}, step ${step}, sounds at ${control}`, entry.from <= control / 127 + 1e-9, rank <= further)
    }
  })
}

let bars = 0
for (const { name, route: frame, places } of vectors.routes) {
  const route = new ScoreRoute(frame)
  for (const { tick, bar, start } of places) {
    const position = route.at(tick)
    check(`route ${name}, tick ${tick}, bar`, position?.bar, bar)
    check(`route ${name}, tick ${tick}, start`, position && Math.floor(position.start), start)
    bars += 1
  }
}

console.log(`hashes: ${vectors.chances.length}, estimates: ${estimates}, tables: ${vectors.tables.length}, hits: ${hits}, instruments: ${vectors.instruments.length}, bars: ${bars}`)
process.exit(failures > 0 ? 1 : 0)
