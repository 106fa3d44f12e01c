// Tests the page in a real browser with real peers: node browser.mjs [FOLDER]
//
// Needs chromium and .build/release/tutti (or TUTTI=PROGRAM). If FOLDER is given, screenshots are written to it.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Chromium, sleep } from "./chromium.mjs"
import { Peer } from "./peer.mjs"
import { SoundServer, hasSoundServer } from "./sound-server.mjs"

const folder = process.argv[2]
const accessibility = readFileSync(new URL("accessibility.js", import.meta.url), "utf8")
const PHONE = { width: 390, height: 844, isMobile: true }
const NARROW = { width: 320, height: 640, isMobile: true }
const browser = new Chromium()
const peers = []
let failures = 0

function expect(condition, claim, detail = "") {
  if (!condition) failures += 1
  console.log(`${condition ? "ok  " : "FAIL"} ${claim}${condition ? "" : `: ${detail}`}`)
}

async function start(...settings) {
  const peer = await Peer.start(...settings)
  peers.push(peer)
  return peer
}

async function join_(url, size, program = browser) {
  const page = await program.open(url, size)
  await page.wait("document.querySelector('#join')?.textContent")
  await page.click("#join")
  await page.wait("globalThis.tutti?.connection.hasClock && tutti.audio.isRunning", 20_000)
  await page.wait("tutti.audio.samples.instruments.length > 0 && tutti.audio.samples.missing === 0", 30_000)
  return page
}

async function screenshot(page, name) {
  if (folder) await page.screenshot(join(folder, `${name}.png`))
}

async function checkAccessibility(page, name) {
  const problems = await page.evaluate(accessibility)
  expect(problems.length === 0, `accessibility of ${name}`, problems.join("\n     "))
}

const plays = "tutti.rhythm.schedule?.plays === true"
const step = "Number(document.querySelector('#grid').dataset.step || -1)"

/** Two pages at two peers: what one does, the other shows. */
async function testEnsemble() {
  const ada = await start("Ada <b>bold</b>")
  const ben = await start("Ben", ["--connect", `127.0.0.1:${ada.port}`])
  const first = await join_(ada.lead)
  const second = await join_(ben.lead, PHONE)
  await first.wait("tutti.state.ensemble.members.length === 1")
  await second.wait("tutti.state.ensemble.members.length === 1")
  expect(await second.evaluate("document.querySelector('#players b') === null"), "names with markup are shown as text")

  await first.click("#start-stop")
  await second.wait(plays)
  await second.wait(`${step} >= 8`)
  const before = await second.evaluate(step)
  await second.wait(`${step} > ${before}`)
  expect(true, "the grid of the second page moves after a start on the first page")
  // Both positions are read at almost the same time.
  const [a, b] = await Promise.all([first, second].map((page) => page.evaluate(
    "tutti.rhythm.schedule.position(tutti.connection.peerTime())")))
  expect(Math.abs(a - b) < 3, "both pages show the same position", `${a} and ${b} ticks`)
  expect(await second.evaluate("document.querySelector('#start-stop').disabled"), "a follower cannot stop the rhythm")
  expect(
    (await second.evaluate("document.querySelector('#reason').textContent")).includes("is the master"),
    "the reason is shown")
  await screenshot(first, "ensemble-laptop")
  await screenshot(second, "ensemble-phone")
  await checkAccessibility(first, "the ensemble on a laptop")
  await checkAccessibility(second, "the ensemble on a phone")

  await first.evaluate("document.querySelector('#tempo').value = 140; document.querySelector('#tempo').dispatchEvent(new Event('change'))")
  await second.wait("tutti.state.ensemble.bpm === 140")
  expect(true, "a change of the tempo arrives at the second page")
  await first.evaluate("document.querySelector('#patch').value = 'motown'; document.querySelector('#patch').dispatchEvent(new Event('change'))")
  await second.wait("tutti.state.ensemble.parts.length === 4")
  await first.wait("tutti.audio.samples.missing === 0", 30_000)
  expect(true, "a change of the rhythm arrives at the second page")
  await sleep(2500)
  await screenshot(first, "style-laptop")
  await checkAccessibility(first, "a style on a laptop")
  const late = await first.evaluate("tutti.audio.player.late / tutti.audio.player.scheduled")
  expect(late < 0.05, "hits are scheduled in time", `${late} of them were late`)

  await first.click("[data-offer]")
  await second.wait("!document.querySelector('#offer').hidden")
  await second.click("#take")
  await second.wait("tutti.state.ensemble.role === 'master'")
  expect(true, "the second page takes the role of master")
  await second.click("#quiet")
  await first.wait("tutti.state.ensemble.isQuiet")
  expect(true, "all quiet on the second page silences the first one")
  await second.click("#start-stop")
  await first.wait(`!(${plays})`)
  expect(true, "a stop on the second page arrives at the first one")
  expect(first.problems.concat(second.problems).length === 0, "no problem in the console", first.problems.concat(second.problems))
}

/** The instrument, with the keyboard and with touches, in both languages. */
async function testInstrument() {
  const peer = await start("Cleo", ["--activity", "0"])
  const page = await join_(peer.play, PHONE)
  expect(await page.evaluate("document.querySelector('#start-stop').disabled"), "a page for players cannot start the rhythm")
  await page.evaluate("document.querySelector('#tab-ensemble').focus()")
  await page.press("ArrowRight")
  await page.wait("!document.querySelector('#instrument').hidden")
  expect(true, "the tabs work with the arrow keys")
  await page.evaluate(`(() => {
    const play = tutti.audio.play
    globalThis.played = []
    tutti.audio.play = (...note) => { played.push(note[1]); return play.apply(tutti.audio, note) }
  })()`)
  for (const letter of "asd") await page.press(letter)
  await page.evaluate("document.querySelectorAll('#keys button')[3].focus()")
  await page.press("Enter")
  const box = await page.evaluate("(() => { const b = document.querySelector('#pad').getBoundingClientRect(); return {x: b.x, y: b.y, width: b.width, height: b.height} })()")
  const touch = (type, x) => page.send("Input.dispatchTouchEvent", {
    type, touchPoints: type === "touchEnd" ? [] : [{ x: box.x + x * box.width, y: box.y + 40 }],
  })
  await touch("touchStart", 0.05)
  for (let x = 0.05; x < 0.95; x += 0.05) {
    await touch("touchMove", x)
    await sleep(15)
  }
  await page.wait("tutti.state.levels.activity > 20")
  expect(true, "playing raises the activity of the peer")
  await touch("touchEnd")
  const played = await page.evaluate("played")
  expect(played.length >= 10 && played[0] === 55 && played[3] === 62, "letters, Enter and touches play notes", played)
  await page.wait("tutti.state.levels.activity === 0")
  expect(true, "the activity falls to zero when nothing is played")
  await screenshot(page, "instrument-phone")
  await checkAccessibility(page, "the instrument on a phone")
  await page.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: "dark" }] })
  await page.evaluate("document.querySelector('#language').value = 'de'; document.querySelector('#language').dispatchEvent(new Event('change'))")
  await page.send("Emulation.setDeviceMetricsOverride", { ...NARROW, deviceScaleFactor: 2, mobile: true })
  await sleep(200)
  await screenshot(page, "instrument-german-dark")
  await checkAccessibility(page, "the instrument in German, dark, 320 px")
  await page.click("#tab-ensemble")
  await sleep(200)
  await screenshot(page, "ensemble-german-dark")
  await checkAccessibility(page, "the ensemble in German, dark, 320 px")
  expect(page.problems.length === 0, "no problem in the console", page.problems)
}

/** The sound starts at the instants of the rhythm. The samples are replaced by clicks, which a worklet finds. */
async function testSound() {
  const peer = await start("Dora", ["--activity", "127"])
  const page = await browser.open(peer.lead)
  await page.send("Page.setBypassCSP", { enabled: true })
  await page.send("Page.reload")
  await page.wait("document.querySelector('#join')?.textContent")
  await page.click("#join")
  await page.wait("globalThis.tutti?.connection.hasClock && tutti.audio.samples?.missing === 0")
  // The first seconds, in which the clock is measured.
  await sleep(5000)
  await page.evaluate(`(async () => {
    const { context, output, samples } = tutti.audio
    const source = "registerProcessor('onsets', class extends AudioWorkletProcessor { process([[input]]) {"
      + "input?.forEach((sample, n) => { if (sample > 0.001) this.port.postMessage(currentFrame + n) }); return true } })"
    await context.audioWorklet.addModule("data:text/javascript," + encodeURIComponent(source))
    const node = new AudioWorkletNode(context, "onsets")
    output.connect(node)
    const click = new AudioBuffer({ length: 64, sampleRate: context.sampleRate })
    click.getChannelData(0)[0] = 1
    samples.drum = () => ({ buffer: click, gain: 1, rate: 1 })
    globalThis.onsets = []
    // The instant of each onset by the clock of the peer.
    node.port.onmessage = ({ data }) => {
      const time = data / context.sampleRate
      const moment = performance.now() + (time - tutti.audio.outputClock.time(performance.now())) * 1000
      onsets.push(tutti.connection.peerTime(moment))
    }
  })()`)
  await page.click("#start-stop")
  await page.wait(plays)
  await sleep(6000)
  const [first, ...errors] = await page.evaluate(`(() => {
    const { schedule } = tutti.rhythm
    const beginning = schedule.instant(schedule.start)
    // The first sounds may be late: a page hears of the start only the lead time in advance.
    const settled = onsets.filter((onset) => onset > beginning + 5e8)
    const expected = tutti.rhythm.sounds(onsets[0] - 1e8, onsets[onsets.length - 1] + 1e8).map(({ instant }) => instant)
    return [(onsets[0] - beginning) / 1e6,
      ...settled.map((onset) => Math.min(...expected.map((instant) => Math.abs(instant - onset))) / 1e6)]
  })()`)
  errors.sort((a, b) => a - b)
  const p95 = errors[Math.floor(errors.length * 0.95)]
  console.log(`     first sound ${first.toFixed(3)} ms after the downbeat`)
  console.log(`     ${errors.length} onsets, distance from the rhythm: p50 ${errors[Math.floor(errors.length / 2)].toFixed(3)} ms, p95 ${p95.toFixed(3)} ms`)
  expect(errors.length > 30 && p95 < 2, "the sound starts within 2 ms of the rhythm", `${errors.length} onsets, p95 ${p95} ms`)
  await page.click("#start-stop")
  await page.wait(`!(${plays})`)
  await sleep(400)
  const count = await page.evaluate("onsets.length")
  await sleep(1000)
  expect((await page.evaluate("onsets.length")) === count, "nothing sounds after the stop")
}

/** The estimate of the peer's clock. The true offset follows from the start of the page in CLOCK_MONOTONIC. */
async function testClock() {
  const peer = await start("Emil")
  const page = await join_(peer.lead)
  await page.send("Performance.enable")
  const { metrics } = await page.send("Performance.getMetrics")
  const origin = metrics.find(({ name }) => name === "NavigationStart").value * 1e9
  const errors = []
  await sleep(5000)
  for (let n = 0; n < 300; n += 1) {
    const [now, estimate, base] = await page.evaluate(
      "(() => { const now = performance.now(); return [now, tutti.connection.peerTime(now), Number(tutti.connection.base)] })()")
    errors.push(Math.abs(estimate + base - origin - now * 1e6) / 1e6)
    await sleep(100)
  }
  errors.sort((a, b) => a - b)
  const [p50, p95] = [0.5, 0.95].map((share) => errors[Math.floor(errors.length * share)])
  console.log(`     clock error: p50 ${p50.toFixed(3)} ms, p95 ${p95.toFixed(3)} ms`)
  expect(p95 < 1, "the page knows the clock of the peer", `p95 ${p95} ms`)
}

/** A peer that starts again, and a wrong address. */
async function testConnection() {
  const secrets = mkdtempSync(join(tmpdir(), "tutti-passkey-"))
  const passkey = join(secrets, "passkey.txt")
  writeFileSync(passkey, "a passkey for the tests of the page\n")
  let peer = await start("Fay", ["--passkey-file", passkey])
  const page = await join_(peer.lead)
  const http = new URL(peer.lead).port
  await peer.kill()
  await page.wait("tutti.connection.state === 'lost'")
  peer = await start("Fay", ["--passkey-file", passkey], http)
  const restarted = Date.now()
  await page.wait("tutti.connection.state === 'open' && tutti.connection.hasClock")
  expect(Date.now() - restarted < 3500, "the page connects again to a peer that has started again", `${Date.now() - restarted} ms`)
  const stranger = await browser.open(`http://127.0.0.1:${http}/#token=wrong`, PHONE)
  await stranger.wait("tutti.connection.state === 'refused'")
  expect(
    (await stranger.evaluate("document.querySelector('#entry-problem').textContent")).length > 0,
    "a wrong address is explained")
  await screenshot(stranger, "refused-phone")
  await checkAccessibility(stranger, "the entry on a phone")
  rmSync(secrets, { recursive: true })
}

/**
 * The calibration of two pages through the audio path of the system: the pages and the peer play into a sound server, whose microphone
 * records all of them. Then one page is delayed by a known time.
 */
async function testCalibration() {
  if (!hasSoundServer()) return console.log("skip the calibration: install the packages pulseaudio and libasound2-plugins")
  const server = await SoundServer.start()
  const audible = new Chromium({ environment: server.environment, isMute: false })
  try {
    const peer = await start(
      "Gus", ["--audio", "alsa:pulse", "--microphone", "alsa:pulse"], "0", server.environment)
    const pages = [await join_(peer.lead, undefined, audible), await join_(peer.play, PHONE, audible)]
    const [leader, player] = pages
    expect(
      (await player.evaluate("document.querySelector('#calibration-state').textContent")).includes("± 40 ms"),
      "a page without calibration shows its uncertainty")
    expect(await player.evaluate("document.querySelector('#calibrate').disabled"), "a player cannot calibrate")
    // The clock is measured, and the time stamps of the output are smoothed.
    await sleep(6000)
    const calibrate = async () => {
      const known = peer.events.length
      await leader.click("#calibrate")
      await leader.wait("document.querySelector('#calibrate').disabled", 2000)
      await leader.wait("!document.querySelector('#calibrate').disabled", 40_000)
      return peer.events.slice(known).filter(({ event }) => event === "calibrated")
    }
    const before = await calibrate()
    console.log(`     delays: ${before.map((result) => result.problem ?? `${result.delay_ms.toFixed(2)} ± ${result.uncertainty_ms.toFixed(2)}`).join(", ")} ms`)
    expect(before.length === 2 && before.every(({ delay_ms }) => delay_ms !== undefined), "both pages are calibrated", JSON.stringify(before))
    const [text, delay] = await player.evaluate(
      "[document.querySelector('#calibration-state').textContent, tutti.audio.outputClock.manualDelay * 1000]")
    expect(text.startsWith("Calibrated") && Math.abs(delay - before[1].delay_ms) < 1e-6, "the page stores and uses its delay", `${text}, ${delay}`)
    await checkAccessibility(leader, "the results of a calibration")
    await screenshot(leader, "calibration-laptop")
    // A loudspeaker that is 120 ms later.
    await player.evaluate(`(() => {
      const { context, output } = tutti.audio
      output.disconnect()
      output.connect(new GainNode(context, { gain: 4 })).connect(new DelayNode(context, { delayTime: 0.12 })).connect(context.destination)
    })()`)
    const after = await calibrate()
    console.log(`     with 120 ms: ${after.map((result) => result.problem ?? `${result.delay_ms.toFixed(2)} ± ${result.uncertainty_ms.toFixed(2)}`).join(", ")} ms`)
    const [same, later] = after.map(({ delay_ms }, index) => delay_ms - before[index].delay_ms)
    expect(Math.abs(later - 120) < 3, "a loudspeaker that is 120 ms later is found", `${later} ms`)
    expect(Math.abs(same) < 3, "a second calibration of the other page gives the same delay", `${same} ms`)
    await player.send("Page.reload")
    await player.wait("document.querySelector('#join')?.textContent")
    await player.click("#join")
    await player.wait("globalThis.tutti?.audio.calibration !== undefined")
    expect(
      Math.abs(await player.evaluate("tutti.audio.delay") - after[1].delay_ms) < 1e-6, "the delay is kept when the page is loaded again")
    await player.evaluate("document.querySelector('#delay').value = '30'; document.querySelector('#delay').dispatchEvent(new Event('change'))")
    expect(
      await player.evaluate("tutti.audio.calibration === undefined && tutti.audio.delay === 30"), "a delay set by hand replaces the calibration")
    await leader.click("#start-stop")
    await leader.wait(plays)
    await leader.click("#calibrate")
    await leader.wait("document.querySelector('#calibrations').textContent.includes('the rhythm plays')")
    expect(true, "no calibration while the rhythm plays, and the page says why")
    expect(pages.every((page) => page.problems.length === 0), "no problem in the console", pages.flatMap((page) => page.problems))
  } finally {
    await audible.close()
    for (const peer of peers.splice(0)) await peer.kill().catch(() => undefined)
    await server.stop()
  }
}

try {
  for (const test of [testEnsemble, testInstrument, testSound, testClock, testConnection, testCalibration]) {
    if (process.env.ONLY && !test.name.toLowerCase().includes(process.env.ONLY)) continue
    try {
      await test()
    } catch (error) {
      expect(false, test.name, error.stack)
    }
    for (const peer of peers.splice(0)) await peer.kill().catch(() => undefined)
  }
} finally {
  await browser.close()
}
process.exit(failures > 0 ? 1 : 0)
