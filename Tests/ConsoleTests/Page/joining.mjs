// Two peers and players who join their pages, for pictures.

import { Peer } from "./peer.mjs"

/** Starts the peers Ada and Ben, who are connected, and adds them to `peers`. */
export async function startBand(peers) {
  const ada = await Peer.start("Ada", ["--activity", "24", "--bpm", "104"])
  peers.push(ada)
  peers.push(await Peer.start("Ben", ["--activity", "14", "--connect", `127.0.0.1:${ada.port}`]))
  return ada
}

/** Opens a page, joins with a name and an instrument, and waits for the sounds. */
export async function joinAs(browser, url, { name, instrument, energy = 0, ...size }) {
  const page = await browser.open("about:blank", size)
  const settings = { "tutti.name": name, "tutti.instrument": instrument, "tutti.touched": "yes" }
  await page.send("Page.addScriptToEvaluateOnNewDocument", {
    source: `for (const [key, value] of Object.entries(${JSON.stringify(settings)})) localStorage.setItem(key, value)`,
  })
  await page.send("Page.navigate", { url })
  await page.wait("document.querySelector('#join')?.textContent && globalThis.tutti?.state.ensemble")
  await page.click("#join")
  await page.wait("tutti.audio.isRunning && tutti.instrument.instrument && tutti.audio.samples.missing === 0", 30_000)
  if (energy > 0) await page.evaluate(`tutti.player.setBase(${energy})`)
  return page
}

/** Touches the surface at a point, given as shares of its width and height. */
export async function touch(page, x, y) {
  const point = await page.evaluate(`(() => {
    const box = document.querySelector("#surface").getBoundingClientRect()
    return { x: box.x + box.width * ${x}, y: box.y + box.height * ${y} }
  })()`)
  await page.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [point] })
}
