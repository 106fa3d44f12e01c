// Tests the page over HTTPS in a real browser that trusts only the certificate authority of the group: node https.mjs [FOLDER]
//
// Needs chromium, certutil (Debian package libnss3-tools), and a program that was built with the trait HTTPS, which is on by default:
// .build/release/tutti, or TUTTI=PROGRAM. If FOLDER is given, screenshots are written to it.

import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import { checkAccessibility, expect, finish, screenshot } from "./checks.mjs"
import { Chromium, PHONE } from "./chromium.mjs"
import { Peer } from "./peer.mjs"

const home = mkdtempSync(join(tmpdir(), "tutti-home-"))
// Browsers treat 127.0.0.1 as secure even without HTTPS, so the tests use the name of this machine. The DNS may not know this name.
// Therefore a flag of the browser maps the name to 127.0.0.1.
const name = `${hostname().toLowerCase().split(".")[0]}.local`
const flags = [`--host-resolver-rules=MAP ${name} 127.0.0.1`]

/** An address that the peer has printed, with the name of this machine instead of 127.0.0.1. */
const named = (address, scheme = "http") => address.replace("http://127.0.0.1", `${scheme}://${name}`)

/** On a device that does not trust the authority, the page works over HTTP and explains how to install the certificate. */
async function testUntrusted(peer) {
  const browser = new Chromium({ flags, environment: { HOME: home } })
  try {
    const page = await browser.open(named(peer.play), PHONE)
    await page.wait("!document.querySelector('#secure').hidden", 15_000)
    await page.click("#moving")
    expect(await page.evaluate("location.protocol === 'http:' && !isSecureContext"), "an untrusted page stays on HTTP")
    expect(await page.evaluate("!document.querySelector('#install').hidden"), "the certificate is offered")
    await page.click("#install summary")
    const fingerprint = await page.evaluate("document.querySelector('#fingerprint').textContent")
    expect(/^([0-9A-F]{2}:){7}[0-9A-F]{2}$/.test(fingerprint), "the fingerprint is shown", fingerprint)
    await screenshot(page, "install-phone")
    await checkAccessibility(page, "the steps")
    await page.evaluate("document.querySelector('dialog[open]').close()")
    await page.click("#join")
    await page.wait("globalThis.tutti?.connection.hasClock", 20_000)
    expect(true, "a guest plays over HTTP")
    await page.click("#motion")
    await page.wait("document.querySelector('#banner').textContent.includes('Moving needs a secure page')")
    expect(await page.evaluate("document.querySelector('#banner button') !== null"), "the banner offers the certificate")
  } finally {
    await browser.close()
  }
}

/** Without a certificate of the server, the page works over HTTP, and one line says that moving is not possible. */
async function testWithoutCertificate(peer) {
  const browser = new Chromium({ flags, environment: { HOME: home } })
  try {
    const page = await browser.open(named(peer.play), PHONE)
    await page.wait("document.querySelector('#moving-note').textContent.startsWith('Moving needs a secure page')", 15_000)
    await page.click("#join")
    await page.wait("globalThis.tutti?.connection.hasClock", 20_000)
    // The banner may say that sounds are loaded, or that no rhythm plays.
    const banner = await page.evaluate("document.querySelector('#banner').textContent")
    expect(!/secure|moving|allow/i.test(banner), "a guest without HTTPS sees no message about it", banner)
    await page.click("#motion")
    await page.wait("document.querySelector('#banner').textContent.includes('Moving needs a secure page. Touching works here.')")
    expect(await page.evaluate("document.querySelector('#banner button') === null"), "the banner has no button without use")
    expect(page.problems.length === 0, "no message on the console without HTTPS", page.problems.join("\n     "))
  } finally {
    await browser.close()
  }
}

/** On a device that trusts the authority, the page moves to HTTPS and keeps the settings. */
async function testTrusted(peer) {
  const response = await fetch(`${new URL(peer.play).origin}/authority.crt`)
  writeFileSync(join(home, "authority.crt"), Buffer.from(await response.arrayBuffer()))
  const store = join(home, ".pki/nssdb")
  mkdirSync(store, { recursive: true })
  execFileSync("certutil", ["-N", "-d", `sql:${store}`, "--empty-password"])
  // "C,,": the certificate is a trusted authority for TLS servers.
  execFileSync("certutil", ["-A", "-d", `sql:${store}`, "-n", "Tutti", "-t", "C,,", "-i", join(home, "authority.crt")])
  const browser = new Chromium({ flags, environment: { HOME: home } })
  try {
    const page = await browser.open(`${named(peer.play)}&settings=${encodeURIComponent('{"tutti.output-delay":"42"}')}`, PHONE)
    await page.wait("location.protocol === 'https:' && globalThis.tutti", 15_000)
    expect(await page.evaluate("isSecureContext && crossOriginIsolated"), "the page moves to HTTPS and is isolated")
    expect(
      (await page.evaluate("localStorage.getItem('tutti.output-delay')")) === "42", "the settings of the device come along")
    expect(
      (await page.evaluate("location.hash")) === new URL(peer.play).hash, "the address contains only the token",
      await page.evaluate("location.hash"))
    await page.click("#join")
    await page.wait("globalThis.tutti?.connection.hasClock && tutti.audio.isRunning", 20_000)
    expect(true, "the WebSocket and the sound work over HTTPS")
    expect(await page.evaluate("'DeviceMotionEvent' in globalThis"), "motion sensors are available")
    expect(
      await page.evaluate("navigator.wakeLock.request('screen').then((lock) => lock.release(), () => undefined).then(() => true)"),
      "the wake lock is available")
    const isHidden = await page.evaluate("document.querySelector('#secure').hidden")
    expect(isHidden, "the secure page offers no certificate")
    expect(page.problems.length === 0, "no message on the console", page.problems.join("\n     "))
  } finally {
    await browser.close()
  }
}

const passkey = join(home, "passkey.txt")
writeFileSync(passkey, "mfrggzdfmztwq2lknnwg\n")
const peer = await Peer.start("Ada", ["--passkey-file", passkey])
const other = await Peer.start("Ben", ["--passkey-file", passkey])
const open = await Peer.start("Cleo", ["--http-open"])
try {
  const [first, second] = await Promise.all(
    [peer, other].map(async ({ play }) => (await fetch(`${new URL(play).origin}/secure.json`)).json()))
  if (!first.https) throw new Error("the program was built without the trait HTTPS")
  expect(first.authority === second.authority, "two peers of a group have one authority")
  await testUntrusted(peer)
  await testTrusted(peer)
  await testWithoutCertificate(open)
} catch (error) {
  expect(false, "HTTPS", error.stack)
} finally {
  await peer.kill()
  await other.kill()
  await open.kill()
  rmSync(home, { recursive: true, force: true })
}
finish()
