// Makes the pictures of the page for the documentation: node pictures.mjs [FOLDER]
//
// Without FOLDER, the pictures of the module Console are replaced. Needs chromium and .build/release/tutti (or TUTTI=PROGRAM).

import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Chromium, PHONE, sleep } from "./chromium.mjs"
import { joinAs, startBand, touch } from "./joining.mjs"

const folder = process.argv[2] ?? fileURLToPath(new URL("../../../Sources/Console/Console.docc/Resources/", import.meta.url))
const browser = new Chromium()
const peers = []

try {
  const ada = await startBand(peers)
  const leader = await joinAs(browser, ada.lead, { name: "Mia", instrument: "marimba", energy: 12, width: 1280, height: 800 })
  const guest = await joinAs(browser, ada.play, { name: "Robin", instrument: "kalimba", energy: 20, ...PHONE })
  const partner = await joinAs(browser, ada.play, { name: "Tom", instrument: "drums", energy: 9, ...PHONE })
  await leader.click("#start-stop")
  for (const page of [leader, guest, partner]) await page.wait("tutti.pulse.at(performance.now())?.place > 6", 20_000)
  await partner.wait("tutti.player.others.some(({ name }) => name === 'Robin')")
  await partner.evaluate(`(() => {
    const { identity } = tutti.player.others.find(({ name }) => name === "Robin")
    document.querySelector("#mates input[value='" + identity + "']").click()
    document.querySelector("#forms input[value=phrase]").click()
  })()`)
  await touch(guest, 0.5, 0.55)
  await leader.evaluate("tutti.instrument.touch('picture', 2, 0.8, { timeStamp: performance.now() })")
  await sleep(1200)
  await leader.screenshot(join(folder, "page-laptop.png"))
  await guest.screenshot(join(folder, "page-phone.png"))
  await partner.screenshot(join(folder, "page-partner.png"))
  await partner.click("#to-rhythm")
  await sleep(600)
  await partner.screenshot(join(folder, "page-rhythm.png"))
  await partner.click("#to-everyone")
  await sleep(600)
  await partner.screenshot(join(folder, "page-everyone.png"))
  const newcomer = await browser.open(ada.play, PHONE)
  await newcomer.wait("globalThis.tutti?.state.ensemble && document.querySelector('#stage').children.length > 2")
  await sleep(600)
  await newcomer.screenshot(join(folder, "page-entry.png"))
} finally {
  await browser.close()
  for (const peer of peers) await peer.kill()
}
process.exit()
