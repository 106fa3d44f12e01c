// The move from HTTP to HTTPS. Browsers permit motion sensors and wake locks only on pages that they have received over HTTPS. If the
// server has a certificate of the group's authority, a page over HTTP tests whether this device trusts it. If so, the page opens itself
// again over HTTPS. Otherwise, it shows how to install the certificate of the authority. If the server has the certificate of a domain,
// the page shows a link. If the server has no certificate, one line says that moving is not possible.

import { settingsForAddress } from "./settings.js"
import { text } from "./strings.js"

/** The time limit of a request, in milliseconds. */
const PATIENCE = 4000

const element = (id) => document.getElementById(id)

/**
 * The information of the server about HTTPS; undefined if the server does not answer. `https`: whether it supports HTTPS. `name`: the host
 * name in the certificate of the group's domain, or null. `authority`: the fingerprint of the group's certificate authority, or null.
 */
async function offer() {
  try {
    const response = await fetch("/secure.json", { signal: AbortSignal.timeout(PATIENCE) })
    return response.ok ? await response.json() : undefined
  } catch {
    return undefined
  }
}

/** Whether this device trusts the certificate of the server, whose address over HTTPS is `base`. */
async function isTrusted(base) {
  try {
    await fetch(`${base}/secure.json`, { mode: "no-cors", cache: "no-store", signal: AbortSignal.timeout(PATIENCE) })
    return true
  } catch {
    return false
  }
}

/** The address of this page over HTTPS, with the token and the settings of this device in its fragment. */
const address = (base, token) => {
  const fragment = new URLSearchParams(token ? { token } : {})
  const settings = settingsForAddress()
  if (settings) fragment.set("settings", settings)
  return `${base}/#${fragment}`
}

/**
 * Opens this page over HTTPS if this device trusts the certificate of the group's authority. Otherwise shows a link, and how to install the
 * certificate. `isIdle` returns whether the player has not joined yet. After the player has joined, the page stays, because another page
 * would interrupt the playing.
 */
export async function offerSecurePage(token, isIdle) {
  if (location.protocol === "https:") return
  const offered = await offer()
  if (!offered?.https) {
    if (isSecureContext) return
    element("moving-note").dataset.text = "motionInsecure"
    element("moving-note").textContent = text("motionInsecure")
    return
  }
  const port = location.port ? `:${location.port}` : ""
  const base = `https://${offered.name ?? location.hostname}${port}`
  const link = element("secure-link")
  link.href = address(base, token)
  // With the certificate of a domain, the page only shows a link, because this network may not resolve the name of the domain.
  if (offered.name === null && (await isTrusted(base)) && isIdle()) return location.replace(link.href)
  element("secure").hidden = false
  element("moving-note").hidden = true
  element("install").hidden = offered.authority === null
  element("secure-text").dataset.text = offered.authority === null ? "secureDomain" : "secureGroup"
  element("secure-text").textContent = text(element("secure-text").dataset.text)
  element("fingerprint").textContent = offered.authority ?? ""
}
