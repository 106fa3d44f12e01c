// Tests the recognition of movements on simulated sensors, and which notes the movements play: node motion.mjs

import { Figure } from "../../../Sources/Console/Page/figure.js"
import { POSITIONS, figureOf, keyAt, tiltedPosition } from "../../../Sources/Console/Page/figures.js"
import { MotionRecognizer } from "../../../Sources/Console/Page/motion.js"
import { beatAt, groupsOf } from "../../../Sources/Console/Page/meter.js"
import { placed, placedInSlide } from "../../../Sources/Console/Page/placement.js"
import { Rhythm, Schedule } from "../../../Sources/Console/Page/rhythm.js"
import { SharedNotes } from "../../../Sources/Console/Page/shared-notes.js"
import { percentile } from "./percentiles.mjs"
import { Device, generator, shake, strike, swing, walk } from "./sensors.mjs"

export let failures = 0

function expect(condition, claim, detail = "") {
  if (condition) return
  failures += 1
  if (failures <= 20) console.error(`motion: ${claim}: ${detail}`)
}

/** Samples per second. */
const RATES = [20, 30, 50, 60, 100, 120]
/** The largest speeds of the hand in m/s. */
const SPEEDS = [0.6, 0.9, 1.3, 1.8, 2.4]
const SEEDS = 15
/** The sets of sensors that a device may lack. Android devices without a gyroscope have only the acceleration with gravity. */
const LACKS = [[], ["acceleration"], ["rotation"], ["gravity"], ["acceleration", "rotation"]]
/** The time in seconds at which the hand brakes. */
const BRAKE = 1.2

/** The results of a recogniser for the samples of a device, one for each sample, with their times in seconds. */
function gestures(device, seconds, movement, recognizer = new MotionRecognizer()) {
  return [...device.samples(seconds, movement)].map((sample) => ({ time: sample.timeStamp / 1000, ...recognizer.add(sample) }))
}

const strikesOf = (all) => all.filter((gesture) => gesture.strike !== undefined)
const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length

/** The angle of the wrist, which turns by 20 degrees with the strike, and back. */
const wrist = (time) => swing(BRAKE - 0.12, 0.16, 0.35)(time) - swing(BRAKE + 0.1, 0.4, 0.35)(time)

/**
 * A strike causes exactly one onset, in any position of the device. Returns the share of the strikes with exactly one onset, and the 95th
 * percentile of the latency in samples. The latency is the time from the beginning of the braking to the onset.
 */
function testStrikes(rate, lacks) {
  let [right, count] = [0, 0]
  const [latencies, strengths] = [[], SPEEDS.map(() => [])]
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    SPEEDS.forEach((speed, index) => {
      const device = new Device({ rate, seed: seed * 7919 + rate, lacks })
      const strikes = strikesOf(gestures(device, 2.6, { push: strike(BRAKE, speed), angle: wrist }))
      count += 1
      if (strikes.length === 1) right += 1
      if (strikes.length === 0) return
      latencies.push((strikes[0].time - BRAKE) * rate)
      strengths[index].push(strikes[0].strike)
    })
  }
  const name = `${rate} Hz, without ${lacks.join(" and ") || "nothing"}`
  // A device that lacks two kinds of sensors has only an accelerometer.
  const isLone = lacks.length === 2
  const share = right / count
  // The least share that passes: 70 % with an accelerometer only, 85 % below 30 Hz, and 99 % otherwise.
  const least = isLone ? 0.7 : rate < 30 ? 0.85 : 0.99
  expect(share >= least, `${name}: one strike is one onset`, share)
  const [fastest, p95] = [Math.min(...latencies), percentile(latencies, 0.95)]
  if (!isLone && rate >= 30) {
    expect(fastest > 0 && p95 < 2, `${name}: the latency is below two samples`, `${fastest}...${p95}`)
    const levels = strengths.map(mean)
    const rises = levels.every((level, index) => index === 0 || level > levels[index - 1] + 0.05)
    expect(rises && levels[0] < 0.3 && levels[4] > 0.8, `${name}: more force is louder`, levels)
  }
  return { name, share, p95 }
}

/** Nothing sounds while the device rests, is carried, or is turned slowly. */
function testSilence(rate, lacks) {
  const name = `${rate} Hz, without ${lacks.join(" and ") || "nothing"}`
  const movements = {
    rest: {}, walking: { push: walk, angle: (time) => 0.15 * Math.sin(2 * Math.PI * 0.85 * time) },
    turning: { angle: (time) => swing(2, 1.5, 1.4)(time) - swing(5, 1.5, 1.4)(time) },
  }
  for (const [movement, functions] of Object.entries(movements)) {
    for (let seed = 1; seed <= 10; seed += 1) {
      const all = gestures(new Device({ rate, seed: seed * 104729 + rate, lacks }), 10, functions)
      expect(strikesOf(all).length === 0, `${name}: no strike while ${movement}`, `${strikesOf(all).length}, seed ${seed}`)
      const waves = all.filter(({ wave }) => wave).length
      expect(waves === 0, `${name}: no wave while ${movement}`, `${waves}, seed ${seed}`)
      if (movement === "rest") {
        // The first second is not used.
        const largest = Math.max(...all.map(({ activity }) => activity ?? 0).slice(rate))
        expect(largest < 0.05, `${name}: no activity at rest`, largest)
      }
    }
  }
}

/** Each turn of a shake causes one onset. The number of onsets of a shake may differ by one. */
function testShakes() {
  for (const rate of [50, 60, 100, 120]) {
    for (const turns of [3, 5]) {
      for (let seed = 1; seed <= 10; seed += 1) {
        const device = new Device({ rate, seed })
        const { length } = strikesOf(gestures(device, 4.5, { push: shake(1, turns, 0.9, turns * 3) }))
        const isRight = Math.abs(length - turns * 3) <= 1
        expect(isRight, `${rate} Hz: ${turns} turns per second`, `${length} of ${turns * 3}, seed ${seed}`)
      }
    }
  }
}

/** Each wave causes one onset, faster waves are louder, and the directions of waves to and fro alternate. */
function testWaves() {
  for (const rate of [30, 60, 120]) {
    for (let seed = 1; seed <= 20; seed += 1) {
      const levels = []
      for (const size of [1, 1.6, 2.4]) {
        // Four waves to and fro, one every 0.6 s: the device turns by `size` in 0.45 s.
        const angle = (time) => [0, 1, 2, 3].reduce((sum, n) => sum + swing(1 + n * 0.6, 0.45, n % 2 ? -size : size)(time), 0)
        const waves = gestures(new Device({ rate, seed }), 4, { angle }).filter(({ wave }) => wave).map(({ wave }) => wave)
        expect(waves.length === 4, `${rate} Hz: four waves are four onsets`, `${waves.length}, seed ${seed}`)
        const directions = waves.map(({ direction }) => direction).join()
        expect(directions === "1,-1,1,-1" || directions === "-1,1,-1,1", `${rate} Hz: directions alternate`, directions)
        levels.push(mean(waves.map(({ strength }) => strength)))
      }
      expect(levels[0] < levels[1] && levels[1] < levels[2], `${rate} Hz: faster waves are louder`, levels)
    }
  }
}

/** The tilt of a device: held flat or upright and then turned by 0.5 rad, and at rest in random positions. */
function testTilt() {
  const recognized = (device, seconds, movement) => gestures(device, seconds, movement).at(-1).tilt
  for (const lacks of LACKS.filter((lack) => !lack.includes("gravity"))) {
    const device = (up, turnAxis) => Object.assign(new Device({ rate: 60, seed: 5, lacks }), { up, turnAxis })
    const turn = { angle: swing(1, 0.5, 0.5) }
    const near = (a, b) => Math.abs(a - b) < 0.05
    // Flat, then the right edge moves down. Flat, then the far edge moves down. Upright, then turned to the right like a steering wheel.
    const cases = [
      { up: [0, 0, 1], axis: [0, 1, 0], sideways: 0.5, forward: 0 }, { up: [0, 0, 1], axis: [-1, 0, 0], sideways: 0, forward: 0.5 },
      { up: [0, 1, 0], axis: [0, 0, -1], sideways: 0.5, forward: 0 },
    ]
    for (const { up, axis, sideways, forward } of cases) {
      const tilt = recognized(device(up, axis), 3, turn)
      const isRight = near(tilt.sideways, sideways) && near(tilt.forward, forward)
      expect(isRight, `tilt without ${lacks}`, JSON.stringify({ up, axis, tilt }))
    }
    for (let seed = 1; seed <= 20; seed += 1) {
      const any = new Device({ rate: 60, seed, lacks })
      const tilt = recognized(any, 3, {})
      expect(Math.abs(tilt.sideways) < 0.05 && Math.abs(tilt.forward) < 0.05, "no tilt at rest", JSON.stringify(tilt))
    }
  }
}

/** Samples that no device should send do no harm. */
function testBadSamples() {
  const recognizer = new MotionRecognizer()
  expect(recognizer.add({ timeStamp: 0, acceleration: null, accelerationIncludingGravity: null }) === undefined, "no fields")
  const nothing = { x: null, y: null, z: null }
  const empty = { timeStamp: 1, acceleration: nothing, accelerationIncludingGravity: nothing }
  expect(recognizer.add(empty) === undefined, "null fields")
  const random = generator(3)
  const values = [null, undefined, NaN, Infinity, -1e9, 1e9, 0, 9.81]
  const value = () => values[Math.floor(random() * values.length)]
  const any = () => (random() < 0.2 ? null : { x: value(), y: value(), z: value(), alpha: value(), beta: value(), gamma: value() })
  for (let n = 0; n < 20_000; n += 1) {
    const gesture = recognizer.add({
      timeStamp: n * 16 * (random() < 0.05 ? random() : 1), acceleration: any(), accelerationIncludingGravity: any(),
      rotationRate: any(),
    })
    if (!gesture) continue
    const numbers = [gesture.strike ?? 0, gesture.wave?.strength ?? 0, gesture.waving, gesture.activity]
    expect(numbers.every((number) => number >= 0 && number <= 1), "values are from 0 to 1", JSON.stringify(gesture))
    if (failures > 20) return
  }
  // After bad samples, a strike is recognised as before.
  const device = new Device({ rate: 60, seed: 1 })
  const later = (sample) => ({ ...sample, timeStamp: sample.timeStamp + 1e6 })
  const shifted = [...device.samples(2.6, { push: strike(BRAKE, 1.3) })].map(later)
  expect(shifted.filter((sample) => recognizer.add(sample)?.strike !== undefined).length === 1, "a strike after bad samples")
}

/** A note sounds when the Swift type Quantizer would let it sound, with a grid of sixteenths and a tolerance of 40 %. */
function testPlacement() {
  const segment = { tick: 0, instant: 1_000_000_000, quarter: 480_000_000 }
  const schedule = new Schedule(
    { plays: true, start: 0, end: 960, segments: [segment], scoreTick: Infinity, sounds: true }, (instant) => instant)
  const sixteenth = 120_000_000
  for (let share = 0; share < 4; share += 0.01) {
    const instant = segment.instant + share * sixteenth
    const late = share % 1
    // At these limits, the result depends on rounding errors.
    if (Math.abs(late - 0.4) < 1e-6 || late > 1 - 1e-6) continue
    const wanted = late <= 0.4 ? undefined : segment.instant + Math.ceil(share) * sixteenth
    const actual = placed(schedule, instant)
    const isRight = wanted === undefined ? actual === undefined : Math.abs(actual - wanted) < 1
    expect(isRight, "placement", `${share}: ${actual} instead of ${wanted}`)
  }
  expect(placed(schedule, segment.instant - 1e6) === undefined, "a note before the downbeat sounds at once")
  expect(placed({ ...schedule, plays: false }, segment.instant + sixteenth / 2) === undefined, "without a rhythm, at once")
  expect(placed(undefined, 0) === undefined, "without a schedule, at once")
}

/** The first note of a slide waits for the grid. The others keep the intervals of the finger, and a long slide begins anew. */
function testSlides() {
  const segment = { tick: 0, instant: 0, quarter: 480e6 }
  const schedule = new Schedule({ plays: true, start: 0, end: 960, segments: [segment], scoreTick: Infinity, sounds: true }, (instant) => instant)
  // A sixteenth lasts 120 ms. The finger crosses a string every 20 ms, from 60 ms on, so the first note waits for 120 ms.
  const slide = {}
  const sounds = [60, 80, 100, 120, 140, 160, 180].map((time) => placedInSlide(schedule, time * 1e6, slide) / 1e6)
  expect(sounds.join() === "120,140,160,180,200,220,240", "a slide keeps the intervals of the finger", sounds)
  // 130 ms after its first note, the slide begins anew: 190 ms is 70 ms after a grid line.
  expect(placedInSlide(schedule, 190e6, slide) === 240e6, "a long slide returns to the grid")
  expect(slide.played === 190e6, "a long slide begins anew", slide.played)
  const early = {}
  expect(placedInSlide(schedule, 125e6, early) === undefined, "a slide that begins on the grid sounds at once")
  expect(placedInSlide(schedule, 150e6, early) === undefined, "its later notes too")
}

/** The beats of meters, in steps. */
function testMeters() {
  const cases = [
    [{ beats: 4, unit: 4, groups: [1, 1, 1, 1] }, "4,4,4,4"], [{ beats: 7, unit: 8, groups: [3, 2, 2] }, "6,4,4"],
    [{ beats: 12, unit: 8, groups: [3, 3, 3, 3] }, "6,6,6,6"], [{ beats: 2, unit: 2, groups: [1, 1] }, "8,8"],
  ]
  for (const [patch, expected] of cases) {
    const groups = groupsOf(patch).join()
    expect(groups === expected, `beats of ${patch.beats}/${patch.unit}`, groups)
  }
  const places = [0, 3.9, 4, 8, 13.9].map((place) => beatAt([4, 4, 6], place).index)
  expect(places.join() === "0,0,1,2,2", "the beat of a place", places)
}

/** The keys of all positions and figures. */
function testKeys() {
  const marimba = { name: "marimba", drums: [], low: 55, high: 79 }
  // Sets of pitch classes, bit 0 for C: the chords C and Cmaj7, and the pitch class C alone. Undefined selects the pentatonic scale.
  const chords = [undefined, 0b000010010001, 0b100010010001, 0b000000000001]
  for (const chord of chords) {
    const keys = Array.from({ length: POSITIONS }, (_, position) => keyAt(marimba, position, chord))
    const isInScale = keys.every((key) => (chord ? chord & (1 << (key % 12)) : [0, 2, 4, 7, 9].includes((key - 55) % 12)))
    expect(isInScale && Math.max(...keys) <= 91 && keys[0] >= 55, `keys of ${chord}`, keys)
    // Keys above 91, an octave above the range of the marimba, move down by octaves. Only the single pitch class needs keys above 91, so
    // its keys do not always rise.
    if (chord !== 1) expect(keys.every((key, index) => index === 0 || key > keys[index - 1]), `rising keys of ${chord}`, keys)
  }
  expect(keyAt({ ...marimba, drums: [60, 61] }, 3) === 61, "drums repeat")
  for (const name of ["marimba", "vibraphone"]) {
    const { entries, ticks } = figureOf({ name })
    const figure = entries.filter((entry) => entry)
    expect(entries.length * ticks === 96, `the figure of the ${name} is a bar`, entries.length)
    expect(figure.some(({ from }) => from === 0) && figure.every(({ from }) => from < 1), `the ${name} sounds at all strengths`)
  }
  expect(figureOf({ name: "kalimba" }) === undefined, "the kalimba has no figure")
  // Tilts from -0.7 to 0.7 rad select the eight positions.
  const angles = [-3, -0.7, -0.1, 0, 0.1, 0.69, 3].map((angle) => tiltedPosition(angle))
  expect(angles.join() === "0,0,3,4,4,7,7", "positions of tilts", angles)
  const six = [-3, -0.1, 0.1, 3].map((angle) => tiltedPosition(angle, 6))
  expect(six.join() === "0,2,3,5", "positions of tilts with six strings", six)
}

/** A figure with a virtual clock (`now` in milliseconds), in a rhythm of 120 BPM in which every second eighth sounds 4 ticks later. */
function swungFigure() {
  const clock = { now: 0 }
  const connection = { hasClock: true, peerTime: () => clock.now * 1e6 }
  const rhythm = new Rhythm()
  const segment = { tick: 0, instant: 0, quarter: 500e6 }
  rhythm.schedule = new Schedule({
    plays: true, firstRun: 1, start: 0, end: 9600, segments: [segment], scoreTick: Infinity, sounds: true, mixTick: Infinity,
    mix: { parts: [100, 100, 100, 100], isQuiet: false },
  }, (instant) => instant)
  // `swing` contains the delays of the four sixteenths of a quarter note, in thousandths of a tick.
  const table = { lines: [], chords: [], bars: 1, barSteps: 16, swing: [0, 2000, 4000, 2000] }
  rhythm.setPatches({ newest: { tick: 0, table } })
  const figure = new Figure({ rhythm, connection, outputDelay: () => 20 })
  figure.setInstrument({ name: "marimba", program: 12, drums: [], low: 55, high: 79 })
  return { clock, figure }
}

/** A planned note of a figure stays planned until its swung instant. If not, the page would not send the note to the other players. */
function testSwungFigure() {
  const { clock, figure } = swungFigure()
  // Position 2 and the greatest strength, with which all notes of the figure sound.
  figure.bend(2, 1, { holder: "key" })
  const waiting = new Map()
  const [heard, shared] = [[], new Set()]
  // Two bars of 2 s. As in player.js, the sounds from 20 ms ago until 200 ms from now are found every 40 ms.
  for (; clock.now < 4000; clock.now += 40) {
    const now = clock.now * 1e6
    const sounds = figure.sounds(now - 20e6, now + 200e6)
    for (const [key, instant] of waiting) {
      if (instant < now) {
        heard.push(instant)
        waiting.delete(key)
      } else {
        expect(sounds.some((sound) => sound.key === key), "a planned note stays planned", `${key} at ${clock.now} ms`)
      }
    }
    for (const { key, instant } of sounds) if (instant >= now) waiting.set(key, instant)
    for (const { key } of figure.planned(now, now + 40e6)) shared.add(key)
  }
  // The test tolerates one missing note.
  const perBar = figureOf({ name: "marimba" }).entries.filter((entry) => entry).length
  const inTwoBars = heard.filter((instant) => instant < 3999e6).length
  expect(inTwoBars >= 2 * perBar - 1 && inTwoBars <= 2 * perBar, "all notes of two bars", `${inTwoBars} of ${2 * perBar}`)
  expect(shared.size >= 2 * perBar - 1, "all notes are passed on", `${shared.size} of ${2 * perBar}`)
}

/**
 * A custom instrument with a figure in triplets, and one whose figure is longer than a bar. Notes on sixteenths swing, the others do not.
 * The figure repeats from the beginning of the rhythm, not from each bar.
 */
function testCustomFigures() {
  const keys = [60, 62, 64, 67, 69, 72, 74, 76]
  const custom = { name: "patch/a", program: 8, drums: [], low: 60, high: 76, custom: true, surface: "vibraphone", keys, usesChord: false }
  const sounded = (figureDescription, milliseconds) => {
    const { clock, figure } = swungFigure()
    figure.setInstrument({ ...custom, figure: figureDescription })
    figure.bend(0, 1, { holder: "key" })
    const found = new Map()
    for (; clock.now < milliseconds; clock.now += 40) {
      for (const { key, instant, hit } of figure.sounds(clock.now * 1e6 - 20e6, clock.now * 1e6 + 200e6)) found.set(key, [instant / 1e6, hit])
    }
    return [...found.values()].filter(([instant]) => instant < milliseconds).sort(([a], [b]) => a - b)
  }
  const triplets = sounded({ steps: 3, ticks: 8, notes: [0, 1, 2].map((step) => ({ step, degree: step, strength: 3 - step })) }, 1000)
  const expected = [0, 500 / 3, 1000 / 3, 500, 2000 / 3, 2500 / 3]
  const isRight = triplets.length === 6 && triplets.every(([instant], index) => Math.abs(instant - expected[index]) < 0.01)
  expect(isRight, "triplets sound on their ticks", triplets.map(([instant]) => instant))
  expect(triplets.map(([, { note }]) => note).join() === "60,62,64,60,62,64", "degrees are notes of the scale")
  expect(triplets.slice(0, 3).map(([, { velocity }]) => velocity).join() === "122,108,90", "velocities follow the strokes")
  // Three half notes: the figure has a bar and a half, and the third one sounds in the second bar. The fourth one is the first again.
  const long = sounded({ steps: 3, ticks: 48, notes: [{ step: 0, degree: 0, strength: 2 }, { step: 2, degree: 1, strength: 2 }] }, 4000)
  expect(long.map(([instant, { note }]) => `${instant}:${note}`).join() === "0:60,2000:62,3000:60", "a long figure goes on in the next bar", long)
}

/** A figure sounds as long as at least one finger holds it, and for a bar (2 s) after the last finger has left. */
function testHeldFigure() {
  const { clock, figure } = swungFigure()
  figure.bend(2, 1, { holder: "first" })
  figure.bend(4, 1, { holder: "second" })
  figure.release("first")
  clock.now = 5000
  expect(figure.isSounding, "the second finger holds the figure")
  // The second release of the first finger has no effect.
  figure.release("first")
  figure.release("second")
  clock.now = 6900
  expect(figure.isSounding, "the figure sounds for a bar after the release")
  clock.now = 7100
  expect(!figure.isSounding, "the figure ends a bar after the release")
}

/** The notes for other players. Each note that has begun ends exactly once, also if `endAll` ends all notes. */
function testSharedNotes() {
  const sent = []
  const notes = new SharedNotes({ command: ({ key, velocity }) => sent.push(`${key}/${velocity}`) })
  const expectSent = (wanted, claim) => expect(sent.splice(0).join() === wanted, claim, wanted)
  notes.begin(60, 90)()
  expectSent("60/90,60/0", "a note begins and ends")
  const end = notes.begin(62, 80)
  const later = performance.now() + 3_600_000
  notes.begin(64, 70, later)
  notes.begin(65, 70, later)()
  expectSent("62/80", "a later note does not begin now")
  notes.endAll()
  expectSent("62/0", "only the note that sounds ends")
  end()
  expectSent("", "a note ends once")
}

const results = []
for (const lacks of LACKS) {
  for (const rate of RATES) {
    results.push(testStrikes(rate, lacks))
    testSilence(rate, lacks)
  }
}
testShakes()
testWaves()
testTilt()
testBadSamples()
testPlacement()
testSlides()
testMeters()
testKeys()
testSwungFigure()
testHeldFigure()
testCustomFigures()
testSharedNotes()
const worst = results.reduce((a, b) => (a.share < b.share ? a : b))
const count = results.length * SEEDS * SPEEDS.length
console.log(`strikes: ${count}, fewest right: ${(worst.share * 100).toFixed(0)} % (${worst.name})`)
for (const { name, share, p95 } of process.env.VERBOSE ? results : []) {
  console.log(`${name}: ${(share * 100).toFixed(1)} %, latency p95 ${p95?.toFixed(2)} samples`)
}
if (process.argv[1].endsWith("motion.mjs")) process.exit(failures > 0 ? 1 : 0)
