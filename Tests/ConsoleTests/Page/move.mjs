// Tests that a page moves to another peer when its own peer disappears: node move.mjs [FOLDER]
//
// Needs chromium, avahi-daemon, dbus, root (or the permission to create namespaces) and .build/release/tutti (or TUTTI=PROGRAM). The test
// runs in a network namespace of its own, with its own system bus and Avahi daemon, so that it changes nothing on the machine. One of the
// two peers runs in a time namespace, so that the clocks of the peers differ. If FOLDER is given, screenshots are written to it.

import { execFileSync, spawn, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { checkAccessibility, expect, finish, screenshot } from "./checks.mjs"
import { Chromium, sleep } from "./chromium.mjs"
import { hearClicks } from "./onsets.mjs"
import { Peer } from "./peer.mjs"

/** The address of the network namespace. */
const ADDRESS = "10.78.0.1"
/** The difference of the clocks of the two peers in seconds. */
const DIFFERENCE = 12_345
/**
 * A script that simulates a hidden page, because the browser of the test shows all pages. In a hidden page, browsers run each timer of the
 * page at most once per second. The timers of its workers run as usual.
 */
const HIDDEN = `{
  Object.defineProperty(document, "hidden", { get: () => true })
  const { setInterval, setTimeout } = globalThis
  const atLeastASecond = (delay) => Math.max(delay ?? 0, 1000)
  globalThis.setInterval = (call, delay) => setInterval(call, atLeastASecond(delay))
  globalThis.setTimeout = (call, delay) => setTimeout(call, atLeastASecond(delay))
}`

if (process.env.TUTTI_TEST_NETWORK === undefined) {
  const { status } = spawnSync("unshare", ["-nm", process.execPath, fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: "inherit", env: { ...process.env, TUTTI_TEST_NETWORK: "1" },
  })
  process.exit(status ?? 1)
}

const folder = mkdtempSync(join(tmpdir(), "tutti-network-"))
const programs = []

/** Waits until a condition is true, at most 15 seconds. */
async function until(condition, what) {
  for (const end = Date.now() + 15_000; !(await condition()); await sleep(25)) {
    if (Date.now() > end) throw new Error(`took more than 15 s: ${what}`)
  }
}

/** Creates the network in the network namespace of this process, and starts a system bus and an Avahi daemon. */
async function createNetwork() {
  const run = (command) => execFileSync("/bin/sh", ["-ec", command], { env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` } })
  // The files of the daemons are in fixed folders, so the namespace has its own /run.
  run(`mount -t tmpfs none /run; mkdir /run/avahi-daemon; ip link set lo up; ip link add tutti0 type veth peer name tutti1
    ip link set tutti1 up; ip link set tutti0 up; ip addr add ${ADDRESS}/24 broadcast + dev tutti0`)
  const bus = join(folder, "bus")
  process.env.DBUS_SYSTEM_BUS_ADDRESS = `unix:path=${bus}`
  writeFileSync(join(folder, "bus.conf"), `<busconfig><type>system</type><listen>unix:path=${bus}</listen>
    <auth>EXTERNAL</auth> <auth>ANONYMOUS</auth> <allow_anonymous/>
    <policy context="default"><allow user="*"/> <allow own="*"/> <allow send_destination="*"/> <allow receive_sender="*"/></policy>
    </busconfig>`)
  writeFileSync(join(folder, "avahi.conf"), `[server]\nhost-name=tutti-test\nuse-ipv6=no\nallow-interfaces=tutti0\nenable-dbus=yes
[wide-area]\nenable-wide-area=no\n[publish]\npublish-workstation=no\n`)
  programs.push(spawn("dbus-daemon", [`--config-file=${join(folder, "bus.conf")}`, "--nofork", "--nopidfile"], { stdio: "inherit" }))
  await until(() => existsSync(bus), "the system bus")
  const daemon = spawn(
    "/bin/sh", ["-c", `PATH=$PATH:/usr/sbin exec avahi-daemon --no-drop-root --no-rlimits --no-chroot --file ${join(folder, "avahi.conf")}`],
    { stdio: ["ignore", "ignore", "pipe"] })
  programs.push(daemon)
  let output = ""
  daemon.stderr.on("data", (data) => { output += data })
  await until(() => output.includes("Server startup complete"), `avahi-daemon: ${output}`)
}

/** Opens a page, calls `prepare`, presses Join, and waits until the clock, the sound and all samples are ready. */
async function openAndJoin(browser, url, prepare = () => undefined) {
  const page = await browser.open(url)
  await prepare(page)
  await page.wait("document.querySelector('#join')?.textContent")
  await page.click("#join")
  await page.wait("globalThis.tutti?.connection.hasClock && tutti.audio.isRunning", 20_000)
  await page.wait("tutti.audio.samples.instruments.length > 0 && tutti.audio.samples.missing === 0", 30_000)
  // The events of the connection, with their times by the clock of the system.
  await page.evaluate(`(() => {
    globalThis.changes = []
    for (const type of ["state", "switch"]) tutti.connection.addEventListener(type, ({ detail }) => changes.push([Date.now(), type, detail]))
  })()`)
  return page
}

/**
 * Lets a page append its pauses of more than 100 ms to its variable `pauses`: their lengths in milliseconds, and the moments at which they
 * ended. A page that does not pause polls its connection every 40 ms.
 */
const watchPauses = (page) => page.evaluate(`(() => {
  globalThis.pauses = []
  const { connection } = tutti
  let polled = performance.now()
  connection.poll = () => {
    const now = performance.now()
    if (now - polled > 100) pauses.push({ end: now, length: now - polled })
    polled = now
    Object.getPrototypeOf(connection).poll.call(connection)
  }
})()`)

/** The moment 0 of performance.now() in CLOCK_MONOTONIC, in milliseconds. */
async function navigationStart(page) {
  await page.send("Performance.enable")
  const { metrics } = await page.send("Performance.getMetrics")
  return metrics.find(({ name }) => name === "NavigationStart").value * 1000
}

/**
 * The present time of the peer's clock by the estimate of the page, minus CLOCK_MONOTONIC, in milliseconds. `start` is the result of
 * {@link navigationStart}.
 */
async function clockDifference(page, start) {
  const [now, estimate, base] = await page.evaluate(
    "(() => { const now = performance.now(); return [now, tutti.connection.peerTime(now), Number(tutti.connection.base)] })()")
  return (estimate + base) / 1e6 - start - now
}

/** The problems of a page, without messages about connections that have failed. */
const problems = (page) => page.problems.filter((text) => !/WebSocket connection to|net::ERR_/.test(text))

/**
 * The rhythm plays at the peer Ada, which serves three pages: `leader`, `heard` and `hidden`. Then `signal` ends the process of Ada
 * (SIGKILL) or stops it (SIGSTOP). The pages move to the peer Ben.
 */
async function testDisappearance(signal) {
  const passkey = join(folder, "passkey.txt")
  writeFileSync(passkey, "a passkey for the tests of the page\n")
  const options = ["--passkey-file", passkey, "--discovery", "connect", "--activity", "127"]
  const launcher = ["unshare", "-T", "--fork", "--kill-child", "--monotonic", String(DIFFERENCE)]
  const ada = await Peer.start("Ada", options, "0.0.0.0:0")
  const ben = await Peer.start("Ben", options, "0.0.0.0:0", undefined, launcher)
  const browser = new Chromium()
  try {
    expect(new URL(ada.lead).hostname === ADDRESS, "the page has the address of the network", ada.lead)
    const leader = await openAndJoin(browser, ada.lead)
    // An AudioWorklet requires a secure context. Browsers treat pages of the loopback address as secure. The content security policy of
    // this page forbids the data URL of the worklet, so the test disables this policy. The policies of the other pages are in effect.
    const heard = await openAndJoin(browser, ada.play.replace(ADDRESS, "127.0.0.1"), async (page) => {
      await page.send("Page.setBypassCSP", { enabled: true })
      await page.reload()
    })
    // A click of a single sample could become too soft to be found.
    await hearClicks(heard, ["drum"], { pause: 100, width: 8 })
    await watchPauses(heard)
    const hidden = await openAndJoin(browser, ada.play, async (page) => {
      await page.send("Page.addScriptToEvaluateOnNewDocument", { source: HIDDEN })
      await page.reload()
      await page.wait("document.hidden")
    })
    const pages = [leader, heard, hidden]
    const http = new URL(ben.lead).port
    for (const page of pages) {
      await page.wait(`tutti.connection.alternatives.some(({ name, address }) => name === "Ben" && address === "${ADDRESS}:${http}")`, 20_000)
    }
    expect(true, `${signal}: the pages know the other peer before they need it`)
    // The player of the page `leader` has a name and a base value.
    await leader.evaluate(`(() => {
      for (const [selector, value, type] of [["#player-name", "Mia", "change"], ["#activity", "30", "input"]]) {
        const input = document.querySelector(selector)
        input.value = value
        input.dispatchEvent(new Event(type))
      }
    })()`)
    await leader.wait("tutti.player.energy === 30 && tutti.player.row.name === 'Mia'")
    const known = await leader.evaluate("tutti.player.row")
    await leader.click("#start-stop")
    for (const page of pages) await page.wait("tutti.rhythm.schedule?.plays === true")
    // During this pause, the estimates of all clocks improve.
    await sleep(6000)
    const missingBefore = await heard.evaluate("tutti.audio.samples.missing")
    await Promise.all(pages.map((page) => page.evaluate("changes.length = 0")))
    const disappeared = Date.now()
    const moment = await heard.evaluate("performance.now()")
    process.kill(ada.process, signal)
    for (const page of pages) await page.wait("tutti.state.ensemble.name === 'Ben' && tutti.connection.state === 'open'")
    for (const page of pages) {
      const changes = await page.evaluate("changes")
      const [moved] = changes.filter(([, type]) => type === "switch").map(([at]) => at - disappeared)
      console.log(`     moved after ${moved} ms: ${JSON.stringify(changes.map(([at, ...rest]) => [at - disappeared, ...rest]))}`)
      expect(moved <= 3000, "the page is connected to the other peer within 3 s", `${moved} ms`)
    }
    await leader.wait("document.querySelector('#banner').textContent.startsWith('With Ben now.')", 3000)
    const text = await leader.evaluate("document.querySelector('#banner').textContent")
    expect(text === "With Ben now.Ada did not answer.", "the page shows that it has moved", text)
    await leader.wait("tutti.player.row?.peer === tutti.state.ensemble.identity && tutti.player.energy === 30")
    const row = await leader.evaluate("tutti.player.row")
    const isSame = ["identity", "name", "sign", "program"].every((member) => row[member] === known[member])
    expect(isSame, "the player keeps its identity, its name, its sign and its base value", JSON.stringify([known, row]))
    const count = await leader.evaluate("tutti.state.ensemble.players.filter(({ identity }) => identity === tutti.player.identity).length")
    expect(count === 1, "the player is listed once", count)
    await sleep(3500)

    // The onsets from 1.5 s before the loss of the peer until now. `last` is the step of the last onset. The steps of the other onsets are
    // counted back from this step. While the page learns the clock of the new peer, the sound may drift slowly. But each onset is nearly a
    // whole number of steps after the previous one. `step` is the length of a step in milliseconds.
    const { onsets, last, step, expectedSteps, pauses } = await heard.evaluate(`(() => {
      const { connection, rhythm: { patch: { table }, schedule } } = tutti
      const heard = onsets.map(({ heard }) => heard).filter((onset) => onset > ${moment} - 1500).sort((a, b) => a - b)
      const hasHits = (step) => table.hits(step, 127).some(({ part }) => part === 0)
      const last = Math.round(schedule.position(connection.peerTime(heard.at(-1))) / 6)
      const step = schedule.quarter / 4e6
      const first = last - Math.round((heard.at(-1) - heard[0]) / step)
      return { onsets: heard, last, step, pauses, expectedSteps: Array.from({ length: last - first + 1 }, (_, n) => first + n).filter(hasHits) }
    })()`)
    const gaps = onsets.slice(1).map((time, n) => time - onsets[n])
    const widths = gaps.map((gap) => Math.round(gap / step))
    const deviation = Math.max(...gaps.map((gap, n) => Math.abs(gap - widths[n] * step)))
    const heardSteps = [last]
    for (const width of [...widths].reverse()) heardSteps.unshift(heardSteps[0] - width)
    console.log(`     ${onsets.length} onsets in ${heardSteps.length} of ${expectedSteps.length} steps; a step is ${step.toFixed(1)} ms, the largest `
      + `gap ${Math.max(...gaps).toFixed(1)} ms, the largest deviation from whole steps ${deviation.toFixed(2)} ms`)
    expect(onsets.length > 30, "the rhythm is heard")
    // Unless a page looks for a peer, it schedules a hit at most 200 ms in advance (HORIZON in player.js). A page that gets no processor
    // time for about 200 ms, as on a very busy machine, leaves hits out. A missing step is excused if it was due during a pause of more
    // than 170 ms, or up to 50 ms after such a pause.
    const time = (number) => onsets[0] + (number - heardSteps[0]) * step
    const isExcused = (number) => pauses.some(({ end, length }) => length > 170 && end > time(number) - 50 && end - length < time(number))
    const excused = expectedSteps.filter((number) => !heardSteps.includes(number) && isExcused(number))
    if (excused.length > 0) console.log(`     left out because the page paused: ${excused.length} of ${expectedSteps.length} steps`)
    const due = expectedSteps.filter((number) => !excused.includes(number))
    console.log(`     pauses of the page: ${pauses.map(({ end, length }) => `${length.toFixed(0)} ms until ${(end - moment).toFixed(0)}`).join(", ") || "none above 100 ms"}`)
    expect(due.join() === heardSteps.join(), "every step of the rhythm is heard exactly once", `${heardSteps}, expected ${due}`)
    expect(deviation < step * 0.3, "the rhythm does not jump", `${deviation} ms`)

    // Ben's clock is ahead of CLOCK_MONOTONIC by a known time.
    const starts = await Promise.all(pages.map(navigationStart))
    for (const [n, page] of pages.entries()) {
      const error = async () => (await clockDifference(page, starts[n])) - DIFFERENCE * 1000
      const first = await error()
      await until(async () => Math.abs(await error()) < 2, `the clock of the new peer: ${first} ms`)
      console.log(`     error of the clock: ${first.toFixed(3)} ms, later ${(await error()).toFixed(3)} ms`)
    }
    expect(true, "the page uses the clock of the new peer")
    // A page that Ben has served shows the position of Ben. The instants of the same tick, 96 ticks after the start, are compared.
    const own = await openAndJoin(browser, ben.play)
    await own.wait("tutti.rhythm.schedule?.plays === true")
    const instant = (page) => page.evaluate(
      "(() => { const { connection, rhythm: { schedule } } = tutti; return schedule.instant(schedule.start + 96) / 1e6 + Number(connection.base) / 1e6 })()")
    const [moved, native] = [await instant(heard), await instant(own)]
    expect(Math.abs(moved - native) < 2, "the rhythm of the page is where that of the new peer is", `${moved - native} ms`)
    expect(missingBefore === 0 && (await heard.evaluate("tutti.audio.samples.missing")) === 0, "the samples are kept")

    // The page leads the new peer and loads samples from this peer. The content security policy of the page and CORS must permit this.
    await leader.wait("tutti.state.ensemble.role === 'master'", 10_000)
    await leader.evaluate("document.querySelector('[data-rhythm=motown]').click()")
    await leader.wait("tutti.state.ensemble.patch === 'motown' && tutti.state.ensemble.parts.length === 4")
    await leader.wait("Object.keys(tutti.rhythm.patch.table).length > 0 && tutti.audio.samples.tone(33, 40) !== undefined && tutti.audio.samples.missing === 0", 30_000)
    expect(true, "the page loads further samples from the new peer")
    await screenshot(leader, `moved-${signal.toLowerCase()}`)
    await checkAccessibility(leader, "the page that has moved")
    expect(pages.every((page) => problems(page).length === 0), "no other problem in the console", pages.flatMap(problems).join("\n     "))
  } finally {
    await browser.close()
    await ada.kill()
    await ben.kill()
  }
}

try {
  await createNetwork()
  for (const signal of ["SIGKILL", "SIGSTOP"]) {
    try {
      await testDisappearance(signal)
    } catch (error) {
      expect(false, signal, error.stack)
    }
  }
} finally {
  for (const program of programs.reverse()) program.kill("SIGTERM")
  rmSync(folder, { recursive: true, force: true })
}
finish()
