// Tests the page in a real browser with real peers: node browser.mjs [FOLDER]
//
// Needs chromium and .build/release/tutti (or TUTTI=PROGRAM). If FOLDER is given, screenshots are written to it.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Chromium, sleep } from "./chromium.mjs"
import { Peer } from "./peer.mjs"

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

async function join_(url, size) {
  const page = await browser.open(url, size)
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

/** The forms of playing together with another player, on the pages of two peers. */
async function testPartner() {
  const ada = await start("Ada", ["--activity", "0"])
  const ben = await start("Ben", ["--activity", "0", "--connect", `127.0.0.1:${ada.port}`])
  const first = await join_(ada.lead, PHONE)
  const second = await join_(ben.play, PHONE)
  await first.wait("tutti.state.ensemble.members.length === 1 && tutti.state.ensemble.members[0].channel")
  await second.wait("tutti.state.ensemble.members.length === 1 && tutti.state.ensemble.members[0].channel")
  for (const page of [first, second]) {
    await page.click("#tab-instrument")
    await page.evaluate(`(() => {
      const play = tutti.audio.play
      globalThis.played = []
      tutti.audio.play = (...note) => { played.push(note[1]); return play.apply(tutti.audio, note) }
      document.querySelector('#keys button').focus()
    })()`)
  }
  const choose = (page, form) => page.evaluate(`(() => {
    const select = document.querySelector('#partner')
    select.value = tutti.state.ensemble.members[0].identity
    select.dispatchEvent(new Event('change'))
    document.querySelector('#forms input[value=${form}]').click()
  })()`)
  expect(await second.evaluate("document.querySelector('#forms').hidden && document.querySelector('#form-shape').hidden"), "without a partner, no form can be chosen")

  // Ada sets the pitches of Ben: 57 is the second key of the page of Ada.
  await choose(second, "pitches")
  await first.click("#share")
  await first.evaluate("document.querySelector('#keys button').focus()")
  await first.press("s")
  await second.wait("Object.keys(tutti.partner.held).length === 1")
  await second.press("k")
  await second.press("a")
  const borrowed = await second.evaluate("played")
  expect(borrowed.length === 2 && borrowed.every((key) => key === 57), "each action plays the pitch of the partner", borrowed)
  await screenshot(second, "partner-phone")
  await checkAccessibility(second, "the form with pitches of a partner")

  // Ben changes the sound of Ada's instrument.
  await choose(second, "shape")
  await second.evaluate("document.querySelector('#shape-tone').focus()")
  await second.press("ArrowLeft")
  await first.wait("tutti.audio.shape.tone === 126")
  expect(true, "a slider changes the sound of the instrument of the partner")
  await second.press("Tab")
  await second.press("ArrowRight")
  await first.wait("tutti.audio.shape.pitch === 65")
  expect(true, "the sliders work with the keyboard only")
  await checkAccessibility(second, "the form that changes the sound of a partner")

  // Ada sends a phrase to Ben.
  await choose(first, "phrase")
  await choose(second, "phrase")
  expect(await second.evaluate("document.querySelector('#phrase-record').disabled && document.querySelector('#phrase-play').disabled"), "without a phrase, nothing can be repeated")
  await first.evaluate("document.querySelector('#tempo').value = 300; document.querySelector('#tempo').dispatchEvent(new Event('change'))")
  await first.click("#start-stop")
  await first.wait(plays)
  await first.evaluate("document.querySelector('#phrase-record').click(); document.querySelector('#keys button').focus()")
  const end = Date.now() + 15_000
  while (Date.now() < end && !(await first.evaluate("tutti.state.ensemble.phrases.recorded"))) {
    await first.press("d")
    await sleep(150)
  }
  expect((await first.evaluate("tutti.state.ensemble.phrases.recorded")) > 0, "a phrase is recorded")
  await first.evaluate("document.querySelector('#phrase-send').click()")
  await second.wait("tutti.state.ensemble.phrases.received > 0 && tutti.state.ensemble.phrases.sender === 'Ada'")
  await second.evaluate("document.querySelector('#phrase-vary').click()")
  await second.wait("tutti.state.ensemble.phrases.variation === 1")
  const state = await second.evaluate("document.querySelector('#phrase-state').textContent")
  expect(state.includes("Phrase of Ada") && state.includes("Variation 1"), "the state of the phrase is shown", state)
  await second.evaluate("document.querySelector('#language').value = 'de'; document.querySelector('#language').dispatchEvent(new Event('change'))")
  await second.send("Emulation.setDeviceMetricsOverride", { ...NARROW, deviceScaleFactor: 2, mobile: true })
  await second.evaluate("document.querySelector('#form-phrase').scrollIntoView()")
  await sleep(200)
  await screenshot(second, "partner-german")
  await checkAccessibility(second, "the form with phrases in German, 320 px")
  await second.evaluate("document.querySelector('#phrase-stop').click()")
  await second.wait("tutti.state.ensemble.phrases.variation === undefined")
  await ada.kill()
  await second.wait("document.querySelector('#partner').value === ''", 30_000)
  expect(await second.evaluate("document.querySelector('#forms').hidden"), "a partner who has left is no longer chosen")
  expect(second.problems.length === 0, "no problem in the console", second.problems)
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

try {
  for (const test of [testEnsemble, testInstrument, testPartner, testSound, testClock, testConnection]) {
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
