// Measures the lateness of the ticks of a peer without and with pages: node --experimental-websocket load.mjs [PAGES [SECONDS]]
//
// Each page sends clock requests, and its activity 20 times per second. Runs with and without pages alternate, so that other load of the
// machine affects both kinds of runs alike.

import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Kind, encodeJSON } from "../../../Sources/Console/Page/frames.js"
import { sleep } from "./chromium.mjs"
import { Client } from "./client.mjs"
import { Peer } from "./peer.mjs"
import { percentile } from "./percentiles.mjs"

const [pages, seconds] = [Number(process.argv[2] ?? 50), Number(process.argv[3] ?? 20)]
const folder = mkdtempSync(join(tmpdir(), "tutti-load-"))

/**
 * Plays at 240 BPM, which is 96 ticks per second, with `count` pages. `number` is the number of the run. Returns the number of frames that
 * the pages got, and the lateness of all ticks in microseconds.
 */
async function run(count, number) {
  const trace = join(folder, `${number}.trace`)
  const peer = await Peer.start("Load", ["--trace", trace, "--bpm", "240"])
  const clients = Array.from({ length: count }, () => new Client(peer.lead))
  await Promise.all(clients.map((client) => client.opened))
  // A client must start the rhythm. In a run without pages, this client leaves after the start.
  const first = clients[0] ?? new Client(peer.lead)
  await first.opened
  await sleep(1000)
  first.send(Kind.command, encodeJSON({ do: "start" }))
  await sleep(200)
  if (count === 0) first.close()
  await sleep(seconds * 1000)
  for (const client of clients) client.close()
  const frames = clients.reduce((sum, client) => sum + client.frames, 0)
  await sleep(300)
  await peer.kill()
  const ticks = readFileSync(trace, "utf8").split("\n").filter((line) => line.includes('"due')).flatMap((line) => {
    // The last line may be incomplete.
    try {
      return [JSON.parse(line)]
    } catch {
      return []
    }
  })
  return { frames, lateness: ticks.map((tick) => (tick.acted - tick.due) / 1000) }
}

const results = { without: [], with: [] }
for (let number = 0; number < 6; number += 1) {
  const isLoaded = number % 2 === 1
  const { frames, lateness } = await run(isLoaded ? pages : 0, number)
  results[isLoaded ? "with" : "without"].push(...lateness)
  if (isLoaded) console.log(`${pages} pages got ${(frames / pages / seconds).toFixed(1)} frames per second each`)
}
for (const [kind, lateness] of Object.entries(results)) {
  const at = (share) => percentile(lateness, share)?.toFixed(1)
  console.log(`${kind} pages: ${lateness.length} ticks, lateness in us: p50 ${at(0.5)}, p99 ${at(0.99)}, p99.9 ${at(0.999)}, max ${at(1)}`)
}
rmSync(folder, { recursive: true })
