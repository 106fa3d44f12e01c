// Compares the JavaScript of the page with test vectors that the Swift code has written: node vectors.mjs VECTORS.json
//
// The import of motion.mjs also runs the tests of the movements, which need no vectors.

import { readFileSync } from "node:fs"
import { RemoteClock } from "../../../Sources/Console/Page/clock.js"
import { StepTable, chanceHash } from "../../../Sources/Console/Page/table.js"
import { failures as motionFailures } from "./motion.mjs"

const vectors = JSON.parse(readFileSync(process.argv[2], "utf8"))
let failures = motionFailures

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

console.log(`hashes: ${vectors.chances.length}, estimates: ${estimates}, tables: ${vectors.tables.length}, hits: ${hits}`)
process.exit(failures > 0 ? 1 : 0)
