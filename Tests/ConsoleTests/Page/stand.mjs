// Tests the place *Score* in a real browser with real peers: node stand.mjs [FOLDER]
//
// Needs chromium and .build/release/tutti (or TUTTI=PROGRAM). If FOLDER is given, screenshots are written to it. With the environment
// variable ONLY=TEXT, only some tests run: those whose function names, in lower case, contain TEXT.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { accessibilityProblems, expect, finish, screenshot } from "./checks.mjs"
import { Chromium, PHONE, sleep } from "./chromium.mjs"
import { Peer } from "./peer.mjs"
import { percentile } from "./percentiles.mjs"

const folder = mkdtempSync(join(tmpdir(), "tutti-stand-"))
const browser = new Chromium()
const peers = []
/** The length of a display frame in milliseconds. */
const FRAME = 1000 / 60
/** The bars of the test score: those in which the flute rests, and the repeated ones. */
const [BARS, RESTS, REPEAT] = [48, [9, 12], [17, 20]]

/** A score with a flute, which rests in some bars, and a bass. Some bars are repeated. */
function writeScore() {
  const note = (step, octave) => `<note><pitch><step>${step}</step><octave>${octave}</octave></pitch><duration>1</duration><type>quarter</type></note>`
  const rest = '<note><rest measure="yes"/><duration>4</duration></note>'
  const bar = (number, isFlute) => {
    const start = number === 1
      ? `<attributes><divisions>1</divisions><key><fifths>-1</fifths></key><time><beats>4</beats><beat-type>4</beat-type></time><clef><sign>${isFlute ? "G" : "F"}</sign><line>${isFlute ? 2 : 4}</line></clef></attributes>
         <direction placement="above"><direction-type><metronome><beat-unit>quarter</beat-unit><per-minute>200</per-minute></metronome></direction-type><sound tempo="200"/></direction>` : ""
    const mark = number % 16 === 1 && isFlute ? `<direction><direction-type><rehearsal>${"ABC"[(number - 1) / 16]}</rehearsal></direction-type></direction>` : ""
    const left = number === REPEAT[0] ? '<barline location="left"><repeat direction="forward"/></barline>' : ""
    const right = number === REPEAT[1] ? '<barline location="right"><repeat direction="backward"/></barline>' : ""
    const rests = isFlute && number >= RESTS[0] && number <= RESTS[1]
    const steps = ["CDEF", "GFED", "EGCE", "DFAF"][number % 4]
    const notes = rests ? rest : [...steps].map((step) => note(step, isFlute ? 5 : 3)).join("")
    return `<measure number="${number}">${left}${start}${mark}${notes}${right}</measure>`
  }
  const part = (id, isFlute) => `<part id="${id}">${Array.from({ length: BARS }, (_, index) => bar(index + 1, isFlute)).join("")}</part>`
  const file = join(folder, "walk.musicxml")
  writeFileSync(file, `<?xml version="1.0"?><score-partwise version="4.0"><work><work-title>Walk</work-title></work><part-list>
    <score-part id="P1"><part-name>Flute</part-name></score-part><score-part id="P2"><part-name>Bass</part-name></score-part></part-list>
    ${part("P1", true)}${part("P2", false)}</score-partwise>`)
  return file
}

const score = writeScore()

async function start(...settings) {
  const peer = await Peer.start(...settings)
  peers.push(peer)
  return peer
}

/** Opens the place *Score* of a page, presses Join, and waits until the music is here. Returns the page and the time since Join in ms. */
async function openStand(url, size = PHONE, settings = "") {
  const page = await browser.open("about:blank", size)
  await page.send("Page.addScriptToEvaluateOnNewDocument", { source: settings })
  await page.send("Page.navigate", { url: `${url}&place=score` })
  await page.wait("document.querySelector('#join')?.textContent && globalThis.tutti?.state.score?.isHere && tutti.connection.hasClock")
  await page.evaluate(`(() => {
    globalThis.shownAfter = new Promise((resolve) => {
      document.querySelector("#join").addEventListener("click", () => {
        const began = performance.now()
        const look = () => document.querySelector("#stand .system") ? resolve(performance.now() - began) : requestAnimationFrame(look)
        look()
      })
    })
  })()`)
  await page.click("#join")
  const shownAfter = await page.evaluate("shownAfter")
  return { page, shownAfter }
}

/** Leaves a page, so that its player leaves the ensemble. */
const leave = (page) => page.send("Page.navigate", { url: "about:blank" })
/** A script: lets a page note when each bar begins on its display, and what the stand shows then. */
const watch = `(() => {
  globalThis.bars = []
  let last
  const look = () => {
    const { present } = tutti.stand
    if (present && present.start !== last) {
      last = present.start
      const { connection, rhythm } = tutti
      const cursor = document.querySelector(".stand-cursor").getBoundingClientRect()
      const stand = document.querySelector("#stand").getBoundingClientRect()
      bars.push({
        bar: present.bar, at: performance.timeOrigin + performance.now(),
        sounds: performance.timeOrigin + connection.moment(rhythm.schedule.instant(present.start)),
        isSeen: !document.querySelector(".stand-cursor").hidden && cursor.top >= stand.top - 12 && cursor.bottom <= stand.bottom + 12 && cursor.left >= stand.left - 4 && cursor.right <= stand.right + 4,
        shown: [...document.querySelectorAll(".stand-place")].map((place) => place.querySelector("[data-bar]")?.dataset.bar),
      })
    }
    requestAnimationFrame(look)
  }
  look()
})()`

async function testPlace() {
  const peer = await start("Ada", ["--bpm", "100"])
  const page = await browser.open(peer.lead, PHONE)
  await page.wait("globalThis.tutti?.state.score !== undefined")
  await page.click("#join")
  await page.wait("!document.querySelector('#session').hidden")
  expect(await page.evaluate("document.querySelector('#to-score').hidden"), "without a score, the place Score is missing")
  peer.enter(`score ${score}`)
  await page.wait("!document.querySelector('#to-score').hidden")
  await page.click("#to-score")
  await page.wait("document.querySelector('#stand .system')")
  const notes = await page.evaluate("document.querySelectorAll('#stand [id^=n]').length")
  expect(notes > 20, "a score that arrives later is shown", notes)
  await leave(page)
}

async function testLoading() {
  const peer = await start("Bea", ["--score", score])
  const { page, shownAfter } = await openStand(peer.play)
  expect(shownAfter < 1000, "the first page is shown within 1 s after Join", shownAfter)
  await page.wait("document.querySelector('#stand .system')")
  const choose = (part) => page.evaluate(`new Promise((resolve) => {
    const began = performance.now()
    const before = document.querySelector("#stand .stand-place").firstChild
    const menu = document.querySelector("#stand-part")
    menu.value = "${part}"
    menu.dispatchEvent(new Event("change"))
    const look = () => {
      const now = document.querySelector("#stand .stand-place")?.firstChild
      now && now !== before && now.isConnected ? resolve(performance.now() - began) : requestAnimationFrame(look)
    }
    look()
  })`)
  await choose(1)
  const times = []
  for (let turn = 0; turn < 10; turn += 1) times.push(await choose(turn % 2))
  expect(percentile(times, 0.5) < 50, "a part from the cache is shown within 50 ms", times.map(Math.round).join())
  const size = await page.evaluate(`fetch(location.origin + "/score/" + tutti.state.score.digest + "/0/366/100/0.svg", { headers: tutti.connection.headers }).then((response) => [response.status, response.headers.get("cache-control")])`)
  expect(size[0] === 202 || size[0] === 200, "another width is engraved on request", size.join())
  for (const [path, status] of [["0/49/100/0.svg", 404], ["9/390/100/0.svg", 404], ["0/390/100/0.png", 404], ["0/390/100/99.svg", 404]]) {
    const answer = await page.evaluate(`fetch("/score/" + tutti.state.score.digest + "/${path}", { headers: tutti.connection.headers }).then(({ status }) => status)`)
    expect(answer === status, `${path} is refused`, answer)
  }
  await page.evaluate("document.querySelector('#zoom-more').click()")
  await page.wait("document.querySelector('#zoom').textContent === '115 %'")
  await page.evaluate("document.querySelector('#transpose').value = '2'; document.querySelector('#transpose').dispatchEvent(new Event('change'))")
  await page.wait("document.querySelector('#stand [id^=n][aria-label^=\"A3\"]')")
  expect(true, "the notes are moved by two semitones")
  await leave(page)
}

async function testTurning() {
  const leader = await start("Cem", ["--score", score])
  const { page } = await openStand(leader.lead, PHONE, "localStorage.setItem('tutti.zoom', '150')")
  const { page: other } = await openStand(leader.play, { width: 1024, height: 768 })
  for (const each of [page, other]) await each.evaluate(watch)
  const total = BARS + REPEAT[1] - REPEAT[0] + 1
  await page.evaluate("tutti.connection.command({ do: 'start' })")
  await page.wait("tutti.stand.present?.bar === 5")
  await screenshot(page, "stand-phone")
  await screenshot(other, "stand-laptop")
  await page.wait(`tutti.stand.present?.bar === ${RESTS[0] - 1}`)
  const rest = await page.evaluate("document.querySelector('#stand-rest').textContent")
  expect(rest === `Rest: ${RESTS[1] - RESTS[0] + 1}`, "a rest is counted", rest)
  await page.wait(`tutti.stand.present?.bar === ${RESTS[1] - 1}`)
  const cue = await page.evaluate("document.querySelector('#stand-rest').textContent")
  expect(cue === "You play in the next bar", "the cue comes one bar before the entry", cue)
  await page.wait("!tutti.stand.present", 90_000)
  const [first, second] = [await page.evaluate("bars"), await other.evaluate("bars")]
  expect(first.length === total, "every bar of the route is shown once", `${first.length} of ${total}`)
  const order = first.map(({ bar }) => bar)
  expect(order.slice(REPEAT[0] - 1, REPEAT[1] + 4).join() === "16,17,18,19,16,17,18,19", "the repeat is followed", order.join())
  expect(first.every(({ isSeen }) => isSeen) && second.every(({ isSeen }) => isSeen), "the cursor is always on the stand",
    JSON.stringify([...first, ...second].filter(({ isSeen }) => !isSeen).slice(0, 3)))
  const turns = first.filter(({ shown }, index) => index > 0 && shown.join() !== first[index - 1].shown.join()).length
  expect(turns >= 4, "the phone has turned by itself", turns)
  const differences = first.map(({ at }, index) => Math.abs(at - second[index].at))
  expect(percentile(differences, 0.95) <= 2 * FRAME, "two pages show a bar within two frames of each other (p95)", differences.map(Math.round).join())
  for (const [name, list] of [["the phone", first], ["the laptop", second]]) {
    const late = list.map(({ at, sounds }) => Math.abs(at - sounds))
    expect(percentile(late, 0.95) <= 2 * FRAME, `${name} shows a bar within two frames of its sound (p95)`, late.map(Math.round).join())
  }
  await leave(other)
  await leave(page)
}

async function testManual() {
  const peer = await start("Dora", ["--score", score])
  const { page } = await openStand(peer.lead, PHONE, "localStorage.setItem('tutti.zoom', '150')")
  await page.evaluate("tutti.connection.command({ do: 'start' })")
  await page.wait("tutti.stand.present?.bar === 1")
  await page.evaluate("document.querySelector('#page-on').click(); document.querySelector('#page-on').click()")
  await page.wait("!document.querySelector('#stand-follow').hidden")
  // The stand shows the turned page with the next frame.
  await sleep(200)
  const first = await page.evaluate("document.querySelector('#stand .read [data-bar]').dataset.bar")
  await page.wait("tutti.stand.present?.bar === 3")
  const still = await page.evaluate("[tutti.stand.isManual, document.querySelector('#stand .read [data-bar]').dataset.bar]")
  expect(still[0] && still[1] === first, "a manual turn stays", still.join())
  const label = await page.evaluate("document.querySelector('#stand-follow').textContent")
  expect(/^Back to bar \d+$/.test(label), "a button leads back to the music", label)
  await page.click("#stand-follow")
  await page.wait("!tutti.stand.isManual && document.querySelector('#stand-follow').hidden")
  expect(true, "the stand follows again")
  await page.press("PageDown")
  await page.wait("tutti.stand.isManual")
  for (let turn = 0; turn < 8; turn += 1) await page.press("PageUp")
  await sleep(200)
  const shown = await page.evaluate("document.querySelector('#stand .read [data-bar]').dataset.bar")
  expect(shown === "0", "Page Up turns back", shown)
  await page.evaluate("document.querySelector('#stand-follow').click()")
  const touch = (share, dx = 0) => page.evaluate(`(() => {
    const stand = document.querySelector("#stand")
    const { left, top, width, height } = stand.getBoundingClientRect()
    const [x, y] = [left + width * ${share}, top + height * 0.25]
    for (const [type, moved] of [["pointerdown", 0], ["pointerup", ${dx}]]) stand.dispatchEvent(new PointerEvent(type, { clientX: x + moved, clientY: y, bubbles: true }))
  })()`)
  await touch(0.95)
  expect(await page.evaluate("tutti.stand.isManual"), "a touch at the right edge turns")
  await page.evaluate("document.querySelector('#stand-follow').click()")
  await touch(0.5, -120)
  expect(await page.evaluate("tutti.stand.isManual"), "a swipe turns")
  await page.evaluate("document.querySelector('#stand-follow').click()")
  /** Touches the middle of the first bar, from the bar with an index on, that is shown. Returns its index. */
  const touchBar = (least) => page.evaluate(`(() => {
    const stand = document.querySelector("#stand")
    const middle = (bar) => { const { left, width } = bar.getBoundingClientRect(); return (left + width / 2) / innerWidth }
    // The edges of the stand turn the page.
    const bar = [...document.querySelectorAll("#stand [data-bar]")].find((bar) => Number(bar.dataset.bar) >= ${least} && middle(bar) > 0.3 && middle(bar) < 0.7)
    const { left, top, width, height } = bar.getBoundingClientRect()
    for (const type of ["pointerdown", "pointerup"]) stand.dispatchEvent(new PointerEvent(type, { clientX: left + width / 2, clientY: top + height / 2, bubbles: true }))
    return Number(bar.dataset.bar)
  })()`)
  // The stand shows the music again with the next frame.
  await sleep(200)
  await touchBar(1)
  await page.wait("!document.querySelector('#stand-go').hidden")
  const going = await page.evaluate("[document.querySelector('#stand-go').textContent, tutti.stand.present.bar]")
  expect(/^Go to bar \d+ together$/.test(going[0]), "while the music plays, a touch of a bar asks before", going.join())
  await page.evaluate("tutti.connection.command({ do: 'stop' })")
  await page.wait("!tutti.pulse.plays && tutti.state.ensemble.role !== 'master'")
  await sleep(300)
  // The leader touches a bar: everyone starts there after a count-in.
  const target = await touchBar(2)
  await page.wait("tutti.pulse.at(performance.now())?.countsIn", 5000)
  await page.wait("tutti.stand.present && !tutti.pulse.at(performance.now())?.countsIn", 8000)
  const begins = await page.evaluate("tutti.stand.present.bar")
  expect(begins === target, "a touch of a bar starts everyone there with a count-in", `${begins} instead of ${target}`)
  // A part can be silenced, and bars can be repeated.
  await page.evaluate("document.querySelector('#part-sounds').click()")
  await page.wait("tutti.state.score.parts[0].sounds === false")
  await page.evaluate("document.querySelector('#loop-from').value = '4'; document.querySelector('#loop-to').value = '5'; document.querySelector('#loop-on').click()")
  await page.wait("tutti.state.route.loopsAt(Infinity)", 8000)
  expect(true, "the leader silences a part and repeats bars")
  await page.wait("[4, 5].includes(tutti.stand.present?.bar)", 8000)
  await leave(page)
}

async function testAlone() {
  const peer = await start("Eva", ["--score", score])
  const { page } = await openStand(peer.lead)
  await page.evaluate("tutti.connection.command({ do: 'start' })")
  await page.wait("tutti.stand.present?.bar === 1")
  await peer.kill()
  await page.wait("tutti.connection.state === 'lost'", 15_000)
  const before = await page.evaluate("tutti.stand.present?.bar")
  await page.wait(`tutti.stand.present?.bar >= ${before + 3}`, 15_000)
  expect(true, "the stand goes on without the network")
  await page.evaluate("document.querySelector('#page-on').click()")
  const svg = await page.evaluate("document.querySelectorAll('#stand .system').length")
  expect(svg > 0, "pages turn without the network", svg)
  await leave(page)
}

/** The sizes of windows, the last two with a zoom of 200 and 400 %. */
const SIZES = [[390, 844], [320, 568], [568, 320], [1024, 768], [1440, 900], [195, 422], [320, 200]]

async function testLayout() {
  const peer = await start("Finn", ["--score", score])
  const smallTargets = `[...document.querySelectorAll("#place-score button, #place-score select")].filter((each) => each.checkVisibility()).filter((each) => {
    const { width, height } = each.getBoundingClientRect()
    return width < 43.5 || height < 43.5
  }).map((each) => "small: " + each.id)`
  for (const [width, height] of SIZES) {
    for (const [scheme, language] of [["light", "en"], ["dark", "de"]]) {
      const { page } = await openStand(width < 1000 ? peer.play : peer.lead, { width, height, isMobile: width < 1000 }, `localStorage.setItem("tutti.language", "${language}")`)
      await page.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] })
      const name = `${width} x ${height}, ${scheme}, ${language}`
      const problems = [...(await accessibilityProblems(page)), ...(await page.evaluate(smallTargets))]
      const wide = await page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth || document.querySelector('#main').scrollWidth > document.querySelector('#main').clientWidth")
      const systems = await page.evaluate("document.querySelectorAll('#stand .system').length")
      expect(problems.length === 0 && !wide && systems > 0, `the stand, ${name}`, `${problems.join("\n     ")} ${wide ? "it is too wide" : ""} ${systems} systems`)
      await page.evaluate("document.querySelector('#score-sheet').showModal()")
      await sleep(350)
      const sheet = await accessibilityProblems(page)
      expect(sheet.length === 0, `the sheet of the score, ${name}`, sheet.join("\n     "))
      await page.evaluate("document.querySelector('#score-sheet').close()")
      await screenshot(page, `stand-${width}x${height}-${scheme}`)
      await leave(page)
    }
  }
  for (const [name, features] of [["forced-colors", [{ name: "forced-colors", value: "active" }]], ["reduced-motion", [{ name: "prefers-reduced-motion", value: "reduce" }]]]) {
    const { page } = await openStand(peer.play)
    await page.send("Emulation.setEmulatedMedia", { features })
    await sleep(200)
    await screenshot(page, `stand-${name}`)
    const problems = await accessibilityProblems(page)
    expect(problems.length === 0, `the stand with ${name}`, problems.join("\n     "))
    await leave(page)
  }
}

try {
  const only = process.env.ONLY ?? ""
  for (const test of [testPlace, testLoading, testTurning, testManual, testAlone, testLayout]) {
    if (!test.name.toLowerCase().includes(only)) continue
    console.log(test.name)
    try {
      await test()
    } catch (error) {
      expect(false, test.name, error.stack)
    }
    for (const peer of peers.splice(0)) await peer.kill()
  }
} finally {
  for (const peer of peers) await peer.kill()
  await browser.close()
  rmSync(folder, { recursive: true, force: true })
}
finish()
