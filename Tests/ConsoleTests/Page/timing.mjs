// Measures the timing of the page: node timing.mjs
//
// 1. The time from pressing start on a page to the downbeat at all peers.
// 2. The sound of a page during a start, changes of tempo and activity, and a stop, compared with the trace of its peer.
// 3. The displayed step, compared with the sound.
// 4. The estimate of the peer's clock, on loopback and with 5 +- 1 ms of delay and 1 % loss in each direction.
//
// The browser and the peers run on the same machine. The browser reports the start of a page in CLOCK_MONOTONIC, the clock of the peers.
// The instants of the downbeats and of the hits are those of the traces. The instant of a sound is that at which the page's OutputClock
// expects the sound to be heard. The instant of a displayed step is the beginning of the next frame after the step was drawn. The delays of
// a real loudspeaker and of a real display are not measured here.
//
// Needs an idle machine, chromium, root, /dev/net/tun, iproute2, python3 and .build/release/tutti (or TUTTI=PROGRAM). The script runs in a
// network namespace of its own.

import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, finish } from "./checks.mjs"
import { Chromium, sleep } from "./chromium.mjs"
import { hearClicks } from "./onsets.mjs"
import { Peer } from "./peer.mjs"
import { percentile, summary } from "./percentiles.mjs"

if (process.env.TUTTI_TEST_NETWORK === undefined) {
  const command = ["-nm", "/bin/sh", "-c", 'PATH=$PATH:/usr/sbin:/sbin ip link set lo up && exec "$@"', "sh", process.execPath,
    fileURLToPath(import.meta.url)]
  if (process.getuid() !== 0 || !existsSync("/dev/net/tun")) {
    console.log("skipped: the network with delay and loss cannot be created; run as root on a machine with /dev/net/tun")
    process.exit(0)
  }
  const { status } = spawnSync("unshare", command, { stdio: "inherit", env: { ...process.env, TUTTI_TEST_NETWORK: "1" } })
  process.exit(status ?? 1)
}
process.env.PATH += ":/usr/sbin:/sbin"

/** The address of the peer Cleo, and the address at which the network with delay and loss leads to Cleo. */
const [ADDRESS, OTHER] = ["10.79.0.1", "10.79.0.2"]
/** The number of starts that are measured. */
const STARTS = 10
/** The length of a frame of the display in milliseconds. */
const FRAME = 1000 / 60
const plays = "tutti.rhythm.schedule?.plays === true"
const folder = mkdtempSync(join(tmpdir(), "tutti-timing-"))
const browser = new Chromium()
const peers = []

/** Starts a peer that writes a trace, and records the rhythm in a WAV file. */
async function start(name, args = [], http = "127.0.0.1:0") {
  const files = ["--audio", `wav:${join(folder, `${name}.wav`)}`, "--trace", join(folder, `${name}.trace`)]
  const peer = await Peer.start(name, [...files, ...args], http, {})
  peers.push(peer)
  return peer
}

/**
 * Opens a page, joins, and waits until its clock has settled. Returns the page and `origin`: the moment 0 of performance.now() in
 * CLOCK_MONOTONIC, in nanoseconds.
 */
async function joinPage(url) {
  const page = await browser.open(url)
  // The page is loaded again without its content security policy.
  await page.send("Page.setBypassCSP", { enabled: true })
  await page.reload()
  await page.click("#join")
  await page.wait("globalThis.tutti?.connection.hasClock && tutti.audio.samples?.missing === 0", 30_000)
  await page.send("Performance.enable")
  const { metrics } = await page.send("Performance.getMetrics")
  await sleep(6000)
  return { page, origin: metrics.find(({ name }) => name === "NavigationStart").value * 1e9 }
}

/** The lines of the trace of a peer, without the header. The last line may be incomplete and is left out. */
function trace(name) {
  const lines = readFileSync(join(folder, `${name}.trace`), "utf8").split("\n").slice(1, -1)
  return lines.map((line) => JSON.parse(line))
}

/** The instants, in nanoseconds of CLOCK_MONOTONIC, of the first ticks of all runs of a peer. */
function downbeats(name) {
  return trace(name).filter(({ tick }) => tick === 0).map(({ due }) => due)
}

/** Measures the time from pressing start to the downbeat at both peers. */
async function testStart(leader, names) {
  await leader.page.evaluate(`(() => {
    globalThis.pressed = []
    document.querySelector("#start-stop").addEventListener("click", (event) => pressed.push(event.timeStamp), { capture: true })
  })()`)
  for (let n = 0; n < STARTS; n += 1) {
    await leader.page.click("#start-stop")
    await leader.page.wait(plays)
    await sleep(1200)
    await leader.page.click("#start-stop")
    await leader.page.wait(`!(${plays})`)
    await sleep(700)
  }
  const lead = await leader.page.evaluate("tutti.state.ensemble.lead")
  // Every second press is a stop.
  const pressed = (await leader.page.evaluate("pressed")).filter((_, index) => index % 2 === 0)
  for (const name of names) {
    const found = downbeats(name)
    const times = pressed.map((moment) => {
      const instant = leader.origin + moment * 1e6
      return (Math.min(...found.filter((beat) => beat > instant)) - instant) / 1e6
    })
    console.log(`     from start to the downbeat of ${name}: ${summary(times)}; lead time ${lead} ms`)
    const isInTime = found.length === STARTS && Math.max(...times) <= lead + 50
    expect(isInTime, `the downbeat of ${name} is at most 50 ms after the lead time`, times)
  }
}

/** Lets the page report each sound and each change of the displayed step. The sounds are replaced by clicks. */
async function listen({ page }) {
  // The grid is in this place.
  await page.click("#to-rhythm")
  // Only the drums are compared with the trace.
  await hearClicks(page, ["drum"], { limit: 0.0001 })
  await page.evaluate(`(() => {
    globalThis.steps = []
    // The time of the document timeline is the beginning of the frame in which the view draws. The display shows the drawn step from the
    // beginning of the next frame on, at begin + FRAME.
    const grid = document.querySelector("#grid")
    new MutationObserver(() => {
      const step = Number(grid.dataset.step || -1)
      if (step === steps.at(-1)?.step) return
      const heard = step < 0 ? undefined : tutti.connection.moment(tutti.rhythm.schedule.instant(step * 6))
      steps.push({ step, begin: document.timeline.currentTime, heard })
    }).observe(grid, { attributes: true, attributeFilter: ["data-step"] })
  })()`)
}

/** Compares the sounds and the displayed steps of the pages with the hits of their peers, during changes of tempo and activity. */
async function testChanges(leader, players) {
  for (const player of players) await listen(player)
  const change = (selector, value) => leader.page.evaluate(`(() => {
    const input = document.querySelector("${selector}")
    input.value = ${JSON.stringify(value)}
    input.dispatchEvent(new Event("change"))
  })()`)
  const since = leader.origin + (await leader.page.evaluate("performance.now()")) * 1e6
  await leader.page.click("#start-stop")
  await leader.page.wait(plays)
  await sleep(3300)
  await change("#tempo", 150)
  await sleep(2700)
  peers[0].enter("activity 10")
  await sleep(3100)
  await change("#tempo", 96)
  peers[0].enter("activity 127")
  await sleep(3500)
  await leader.page.click("#start-stop")
  await leader.page.wait(`!(${plays})`)
  await sleep(1500)
  for (const { name, page, origin } of players) {
    const hits = trace(name).filter(({ hit }) => hit > since).map(({ hit }) => hit)
    const onsets = (await page.evaluate("onsets")).map(({ heard }) => origin + heard * 1e6).filter((onset) => onset > since)
    const nearest = (instants, instant) => Math.min(...instants.map((other) => Math.abs(other - instant))) / 1e6
    const fromPeer = hits.map((hit) => nearest(onsets, hit))
    console.log(`     ${name}: from the hits of the peer to the sounds of its page: ${summary(fromPeer)}`)
    const isComplete = hits.length > 60 && percentile(fromPeer, 0.95) < 2 && Math.max(...fromPeer) < 20
    expect(isComplete, `each hit of ${name} sounds on its page at its instant`, fromPeer)
    const fromPage = onsets.map((onset) => nearest(hits, onset))
    console.log(`     ${name}: from the sounds of the page to the hits of its peer: ${summary(fromPage)}`)
    expect(onsets.length > 60 && Math.max(...fromPage) < 20, `the page of ${name} plays no other hit, and none after the stop`, fromPage)
    const steps = await page.evaluate("steps")
    const late = steps.filter(({ heard }) => heard !== undefined).map(({ begin, heard }) => begin + FRAME - heard)
    console.log(`     ${name}: from the sound of a step to its display: ${summary(late)}, minimum ${Math.min(...late).toFixed(3)} ms`)
    const distances = late.map(Math.abs)
    const isShown = late.length > 60 && percentile(distances, 0.95) <= FRAME / 2 + 1 && Math.max(...distances) <= FRAME
    expect(isShown, `the displayed step of ${name} is within a frame of the sound`, late)
    expect(steps.at(-1).step === -1, `the page of ${name} shows no step after the stop`)
  }
}

/**
 * A page whose sound is 200 ms late plays the rhythm beside a score with a ritardando over two bars. It must know each tempo that early.
 */
async function testRitardando() {
  const bar = (number, words = "") => `<measure number="${number}">${number === 1 ? "<attributes><divisions>1</divisions><time><beats>4</beats>"
    + "<beat-type>4</beat-type></time></attributes><direction><direction-type><words>Lively</words></direction-type><sound tempo=\"120\"/></direction>" : ""}`
    + `${words && `<direction><direction-type><words>${words}</words></direction-type></direction>`}<note><pitch><step>C</step><octave>4</octave></pitch><duration>1</duration></note>`
    + `${"<note><rest/><duration>1</duration></note>".repeat(3)}</measure>`
  const file = join(folder, "ritardando.musicxml")
  writeFileSync(file, `<?xml version="1.0"?><score-partwise><part-list><score-part id="P"><part-name>P</part-name></score-part></part-list>`
    + `<part id="P">${[bar(1), bar(2), bar(3, "rit."), bar(4), bar(5, "a tempo"), bar(6)].join("")}</part></score-partwise>`)
  const dora = await start("Dora", ["--activity", "127", "--score", file, "--with-rhythm"])
  const { page, origin } = await joinPage(dora.lead)
  await page.evaluate("document.querySelector('#delay').value = '200'; document.querySelector('#delay').dispatchEvent(new Event('change'))")
  await hearClicks(page, ["drum"], { limit: 0.0001 })
  // The peer learns the delay of its page with the next report.
  await sleep(2000)
  dora.enter("start")
  await page.wait(plays)
  await page.wait(`!(${plays})`, 30_000)
  await sleep(500)
  const hits = trace("Dora").filter(({ hit }) => hit > 0).map(({ hit }) => hit)
  const onsets = (await page.evaluate("onsets")).map(({ heard }) => origin + heard * 1e6)
  const nearest = (instant) => hits.reduce((best, hit) => (Math.abs(hit - instant) < Math.abs(best - instant) ? hit : best))
  const errors = onsets.map((onset) => (onset - nearest(onset)) / 1e6)
  console.log(`     a ritardando on a page with a delay of 200 ms: ${summary(errors.map(Math.abs))}; hits ${hits.length}, heard ${onsets.length}`)
  expect(onsets.length > hits.length * 0.9 && hits.length > 60, "the page plays the rhythm beside the score", [hits.length, onsets.length])
  expect(percentile(errors.map(Math.abs), 0.95) <= 5, "a ritardando is at most 5 ms late on a page with a delay of 200 ms", errors)
}

/** Measures the error of the estimate of the peer's clock for 30 s. `limit` is the limit of its 95th percentile in milliseconds. */
async function testClock(url, network, limit) {
  const { page, origin } = await joinPage(url)
  const errors = []
  for (let n = 0; n < 300; n += 1) {
    const [now, estimate, base] = await page.evaluate(
      "(() => { const now = performance.now(); return [now, tutti.connection.peerTime(now), Number(tutti.connection.base)] })()")
    errors.push(Math.abs(estimate + base - origin - now * 1e6) / 1e6)
    await sleep(100)
  }
  console.log(`     error of the clock, ${network}: ${summary(errors)}`)
  expect(percentile(errors, 0.95) <= limit, `p95 of the error of the clock, ${network}, is at most ${limit} ms`, percentile(errors, 0.95))
}

/** Starts the network with a delay of 5 +- 1 ms and 1 % loss in each direction. Returns the process that relays the packets. */
async function impair() {
  const script = fileURLToPath(new URL("impaired-network.py", import.meta.url))
  const relay = spawn("python3", [script, ADDRESS, OTHER, "5", "1", "1", "1"], { stdio: ["ignore", "pipe", "inherit"] })
  await new Promise((resolve, reject) => {
    relay.stdout.once("data", resolve)
    relay.once("error", reject)
    relay.once("exit", () => reject(new Error("the network cannot be started")))
  })
  relay.removeAllListeners("exit")
  return relay
}

let relay
try {
  relay = await impair()
  const ada = await start("Ada", ["--activity", "127"])
  const ben = await start("Ben", ["--activity", "127", "--connect", `127.0.0.1:${ada.port}`])
  const [leader, follower] = [{ name: "Ada", ...await joinPage(ada.lead) }, { name: "Ben", ...await joinPage(ben.play) }]
  await testStart(leader, ["Ada", "Ben"])
  await testChanges(leader, [leader, follower])
  await testRitardando()
  const cleo = await start("Cleo", ["--http-open"], `${ADDRESS}:0`)
  const address = new URL(cleo.play ?? cleo.lead)
  await testClock(`http://127.0.0.1:${new URL(ada.play).port}/${new URL(ada.play).hash}`, "loopback", 0.25)
  address.hostname = OTHER
  await testClock(address.href, "5 +- 1 ms, 1 % loss", 1)
} catch (error) {
  expect(false, "the timing of the page", error.stack)
} finally {
  await browser.close()
  for (const peer of peers) await peer.kill()
  relay?.kill()
  rmSync(folder, { recursive: true, force: true })
}
finish()
