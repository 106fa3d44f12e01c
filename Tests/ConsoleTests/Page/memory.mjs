// Samples the memory of a page and of its peer while the page plays: node memory.mjs [MINUTES [PAGES]]
//
// A rhythm with all layers plays for MINUTES (default 60). One page runs in a browser and plays notes. PAGES (default 49) further clients
// without a browser connect to the peer and send their activity 20 times per second. Once a minute, after a garbage collection, the script
// prints the JavaScript heap, the DOM nodes and the event listeners of the page, and the resident memory of the peer.
//
// The exit status is 1 if one of these values grows. A value grows if its median in the last third of the time exceeds its median in the
// second third by more than 5 %, and also by more than 256 kB (nodes and listeners: 50). The first third is not used, because the peer and
// the browser fill their caches in this time.
//
// Needs chromium and .build/release/tutti (or TUTTI=PROGRAM). Node.js before version 22 needs --experimental-websocket.

import { readFileSync } from "node:fs"
import { Chromium, PHONE, sleep } from "./chromium.mjs"
import { Client } from "./client.mjs"
import { Peer } from "./peer.mjs"
import { percentile } from "./percentiles.mjs"

const minutes = Math.max(3, Number(process.argv[2] ?? 60))
const pages = Number(process.argv[3] ?? 49)

const median = (values) => percentile(values, 0.5)

/** The resident memory of a process in kB, from smaps_rollup, for which the kernel counts the pages exactly. */
const resident = (id) => Number(/^Rss:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/smaps_rollup`, "utf8"))[1])

const peer = await Peer.start("Memory", ["--start", "--bpm", "120", "--activity", "127"])
const browser = new Chromium()
const clients = Array.from({ length: pages }, () => new Client(peer.lead))
const samples = []
try {
  await Promise.all(clients.map((client) => client.opened))
  const page = await browser.open(peer.lead, PHONE)
  await page.send("HeapProfiler.enable")
  await page.wait("document.querySelector('#join')?.textContent", 30_000)
  await page.click("#join")
  await page.wait("globalThis.tutti?.connection.hasClock && tutti.audio.isRunning", 60_000)
  console.log("minute  heap_kB  nodes  listeners  peer_kB")
  for (let minute = 1; minute <= minutes; minute += 1) {
    const end = Date.now() + 60_000
    while (Date.now() < end) {
      await page.press("adfhk"[Math.floor(Math.random() * 5)])
      await sleep(500)
    }
    await page.send("HeapProfiler.collectGarbage")
    const { usedSize } = await page.send("Runtime.getHeapUsage")
    const { nodes, jsEventListeners } = await page.send("Memory.getDOMCounters")
    samples.push({ heap: usedSize / 1024, nodes, listeners: jsEventListeners, peer: resident(peer.process) })
    const { heap, peer: memory } = samples.at(-1)
    console.log(`${minute}  ${Math.round(heap)}  ${nodes}  ${jsEventListeners}  ${memory}`)
  }
} finally {
  for (const client of clients) client.close()
  await browser.close()
  await peer.kill()
}

let failures = 0
const third = Math.floor(samples.length / 3)
for (const [key, tolerance] of Object.entries({ heap: 256, nodes: 50, listeners: 50, peer: 256 })) {
  const values = samples.map((sample) => sample[key])
  const [before, after] = [median(values.slice(third, 2 * third)), median(values.slice(2 * third))]
  const isFlat = after - before <= Math.max(tolerance, 0.05 * before)
  if (!isFlat) failures += 1
  console.log(`${isFlat ? "ok  " : "FAIL"} ${key}: ${Math.round(before)} in the second third, ${Math.round(after)} in the last third`)
}
process.exit(failures > 0 ? 1 : 0)
