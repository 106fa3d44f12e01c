#!/usr/bin/env node
// page-picture.mjs [FILE]
//
// Makes the picture of the web page for README.md: a phone in a rhythm of two peers. Starts the peers with `tutti peer --http`, opens the
// page of the first one in headless Chromium at the size of a phone, joins, touches the kalimba, and writes results/page.png, or FILE.
//
// Expected: the picture has at most 120 kB. Exit status 1 otherwise.
//
// Needs node, chromium (or CHROMIUM=PROGRAM) and .build/release/tutti (or TUTTI=PROGRAM).
import { statSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Chromium, PHONE, sleep } from "../Tests/ConsoleTests/Page/chromium.mjs"
import { joinAs, startBand, touch } from "../Tests/ConsoleTests/Page/joining.mjs"

const MAXIMUM_BYTES = 120_000

const file = process.argv[2] ?? fileURLToPath(new URL("results/page.png", import.meta.url))
const browser = new Chromium()
const peers = []
try {
  const ada = await startBand(peers)
  // One pixel per CSS pixel keeps the file small.
  const phone = await joinAs(browser, ada.play, { name: "Robin", instrument: "kalimba", energy: 20, ...PHONE, scale: 1 })
  ada.enter("start")
  await phone.wait("tutti.pulse.at(performance.now())?.place > 6", 20_000)
  await touch(phone, 0.5, 0.55)
  await sleep(1200)
  await phone.screenshot(file)
} finally {
  await browser.close()
  for (const peer of peers) await peer.kill()
}
const { size } = statSync(file)
console.log(`${file}: ${size} octets`)
if (size > MAXIMUM_BYTES) console.error(`page-picture: larger than ${MAXIMUM_BYTES} octets`)
process.exit(size > MAXIMUM_BYTES ? 1 : 0)
