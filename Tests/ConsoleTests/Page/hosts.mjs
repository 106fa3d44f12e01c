// Tests the card Connections of the page in a real browser, with real peers that find each other with Avahi: node hosts.mjs [FOLDER]
//
// Needs chromium, avahi-daemon, avahi-utils, dbus, iproute2, the permission to create a network namespace, and .build/release/tutti (or
// TUTTI=PROGRAM). If FOLDER is given, screenshots are written to it.

import { createSocket } from "node:dgram"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { checkAccessibility, expect, finish, screenshot } from "./checks.mjs"
import { Chromium, NARROW, PHONE, sleep } from "./chromium.mjs"
import { DiscoveryNetwork } from "./discovery-network.mjs"
import { Peer } from "./peer.mjs"

DiscoveryNetwork.enter(import.meta.url)

/** The name of a peer, with markup that the page must show as text. */
const MARKED = "Ben <b>bold</b>"
const network = await DiscoveryNetwork.start()
const browser = new Chromium()
const peers = []

/** Starts a peer, which ends after the test. */
async function start(name, ...args) {
  const peer = await Peer.start(name, args)
  peers.push(peer)
  return peer
}

/** Opens a page, presses Join, and waits for the state of the ensemble. */
async function open(url, size) {
  const page = await browser.open(url, size)
  await page.wait("document.querySelector('#join')?.textContent")
  await page.click("#join")
  await page.wait("globalThis.tutti?.state.ensemble", 20_000)
  await page.click("#to-everyone")
  return page
}

/** An expression for a page: the names of the listed hosts. */
const names = "[...document.querySelectorAll('#hosts .name')].map(({ textContent }) => textContent)"
/** An expression for a page: the label or the id of the element with the focus. */
const focused = "document.activeElement.getAttribute('aria-label') ?? document.activeElement.id"

/** Waits until the page lists exactly these hosts, in this order. */
async function waitForHosts(page, ...expected) {
  await page.wait(`JSON.stringify(${names}) === ${JSON.stringify(JSON.stringify(expected))}`, 20_000)
    .catch(async () => expect(false, `the page lists ${expected}`, await page.evaluate(names)))
}

const waitForMessage = (page, text) => page.wait(`document.querySelector('#messages').textContent.includes(${JSON.stringify(text)})`, 15_000)
/** Moves the focus to the button of the host whose row begins with `name`. */
const focus = (page, name) => page.evaluate(
  `[...document.querySelectorAll('#hosts li')].find((row) => row.textContent.startsWith(${JSON.stringify(name)})).querySelector('button').focus()`)
const choosePolicy = (page, who) => page.evaluate(
  `(() => { const select = document.querySelector('#policy'); select.value = '${who}'; select.dispatchEvent(new Event('change')) })()`)

/** The list of hosts, and the command `connect`. */
async function testHosts(page, phone, player) {
  const withdraw = await network.publish("Gear", 6990)
  await start(MARKED, "--discovery", "announce")
  for (const each of [page, phone, player]) await waitForHosts(each, MARKED, "Gear")
  expect(await page.evaluate("document.querySelector('#hosts b') === null"), "names with markup are shown as text")
  const kinds = await page.evaluate("[...document.querySelectorAll('#hosts .kind')].map(({ textContent }) => textContent).join()")
  expect(kinds === "Tutti,device without Tutti", "the kind of each host is shown", kinds)
  expect((await page.evaluate("tutti.state.ensemble.members.length")) === 0, "a peer that only announces itself does not connect by itself")
  await screenshot(page, "connections-laptop")
  await screenshot(phone, "connections-phone")
  await checkAccessibility(page, "the connections on a laptop")
  await checkAccessibility(phone, "the connections on a phone")

  const shown = await player.evaluate("[...document.querySelectorAll('#hosts button, #policy')].filter((control) => control.checkVisibility()).length")
  expect(shown === 0, "a page for players can neither connect nor set the policy", shown)
  await player.evaluate(`tutti.connection.command({ do: "connect", host: "Gear" })`)

  await focus(page, "Gear")
  await start("Abe", "--discovery", "announce")
  await waitForHosts(page, "Abe", MARKED, "Gear")
  expect((await page.evaluate(focused)) === "Connect to Gear", "a new host does not move the focus", await page.evaluate(focused))
  expect(
    await page.evaluate("!tutti.state.ensemble.hosts.some(({ isInvited }) => isInvited)"), "a command of a page for players has no effect")
  await page.press("Enter")
  await page.wait("tutti.state.ensemble.hosts.find(({ name }) => name === 'Gear').isInvited")
  expect((await page.evaluate(focused)) === "Gear: Connecting…", "the button of an invited host keeps the focus", await page.evaluate(focused))
  await waitForMessage(page, "host Gear: this peer sends invitations to 10.77.0.1:6990 until the host answers")
  await checkAccessibility(page, "the connections with an invited host")
  withdraw()
  await waitForHosts(page, "Abe", MARKED)
  expect(
    (await page.evaluate(focused)) === `Connect to ${MARKED}`, "the next host gets the focus when a host leaves", await page.evaluate(focused))

  await page.press("Enter")
  await page.wait("tutti.state.ensemble.members.length === 1", 15_000)
  for (const each of [page, phone, player]) await waitForHosts(each, "Abe")
  expect(
    (await page.evaluate("tutti.state.ensemble.members[0].name")) === MARKED, "the chosen host is in session and leaves the list")
  expect((await page.evaluate(focused)) === "Connect to Abe", "the focus is in the list", await page.evaluate(focused))

  // A page must not be able to make the peer send to an address of its choice. The page requests an address that listens, a host that has
  // disappeared, and two values that are no names.
  const socket = createSocket("udp4")
  let datagrams = 0
  socket.on("message", () => { datagrams += 1 })
  await new Promise((resolve) => socket.bind(0, "127.0.0.1", resolve))
  const { port } = socket.address()
  for (const host of [`127.0.0.1:${port}`, "Gear", 7, null]) {
    await page.evaluate(`tutti.connection.command({ do: "connect", host: ${JSON.stringify(host)} })`)
  }
  await sleep(1500)
  socket.close()
  expect(datagrams === 0, "the peer invites no address that is not in the list", datagrams)
}

/** The connection policy: a new policy applies to new invitations. Sessions continue. */
async function testPolicy(ada, page, phone) {
  expect(await page.evaluate("document.querySelector('#policy [value=contacts]').disabled"), "without a contacts file, contacts cannot be chosen")
  await choosePolicy(page, "none")
  await waitForMessage(page, "accepted from nobody")
  await phone.wait("document.querySelector('#policy').value === 'none'")
  expect(true, "the other page shows the new policy")
  await start("Cleo", "--connect", `127.0.0.1:${ada.port}`)
  await waitForMessage(page, "this peer refused its invitation because of --policy none")
  const members = await page.evaluate("tutti.state.ensemble.members.map(({ name }) => name).join()")
  expect(members === MARKED, "a new peer is refused, and sessions continue", members)
  await choosePolicy(page, "anyone")
  await page.wait("tutti.state.ensemble.members.length === 2", 15_000)
  expect(true, "the peer is admitted after the policy has changed again")
}

/** The empty list, the list in German, a peer that connects by itself, and a peer without discovery but with contacts. */
async function testOthers(page, phone) {
  await page.evaluate("document.querySelector('#hosts button').focus()")
  const abe = peers.find(({ name }) => name === "Abe")
  await abe.kill()
  await waitForHosts(page)
  expect((await page.evaluate(focused)) === "connections-title", "without a host, the heading gets the focus", await page.evaluate(focused))
  const empty = await page.evaluate("document.querySelector('#hosts-note').textContent")
  expect(empty.includes("no further device"), "an empty list is explained", empty)
  await screenshot(page, "connections-empty")

  await start("Eve", "--discovery", "connect")
  await page.wait("tutti.state.ensemble.members.some(({ name }) => name === 'Eve')", 20_000)
  expect(true, "a peer with --discovery connect connects by itself")
  await waitForHosts(page)

  await network.publish("Größe des Geräts im Übungsraum nebenan (Klavier)", 6992)
  await phone.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: "dark" }] })
  await phone.evaluate("document.querySelector('#language').value = 'de'; document.querySelector('#language').dispatchEvent(new Event('change'))")
  await phone.send("Emulation.setDeviceMetricsOverride", { ...NARROW, deviceScaleFactor: 2, mobile: true })
  await phone.wait(`${names}.length === 1`, 20_000)
  await sleep(200)
  const german = await phone.evaluate("document.querySelector('#hosts button').textContent")
  expect(german === "Verbinden", "the list is in German", german)
  await screenshot(phone, "connections-german-dark")
  await checkAccessibility(phone, "the connections in German, dark, 320 px")

  const file = join(mkdtempSync(join(tmpdir(), "tutti-contacts-")), "contacts")
  writeFileSync(file, "name Ada\n")
  const dora = await start("Dora", "--policy", "contacts", "--contacts", file)
  const contacts = await open(dora.lead, PHONE)
  expect(
    await contacts.evaluate("document.querySelector('#policy').value === 'contacts' && !document.querySelector('#policy [value=contacts]').disabled"),
    "with a contacts file, contacts can be chosen")
  const off = await contacts.evaluate("document.querySelector('#hosts-note').textContent")
  expect(off.includes("--discovery off"), "a peer without discovery says so", off)
  rmSync(file)
  expect(contacts.problems.length === 0, "no problem in the console", contacts.problems)
}

try {
  const ada = await start("Ada", "--discovery", "announce")
  const [page, phone, player] = [await open(ada.lead), await open(ada.lead, PHONE), await open(ada.play, PHONE)]
  await testHosts(page, phone, player)
  await testPolicy(ada, page, phone)
  await testOthers(page, phone)
  const problems = [page, phone, player].flatMap((each) => each.problems)
  expect(problems.length === 0, "no problem in the console", problems)
} catch (error) {
  expect(false, "the connections", error.stack)
} finally {
  await browser.close()
  for (const peer of peers) await peer.kill().catch(() => undefined)
  network.stop()
}
finish()
