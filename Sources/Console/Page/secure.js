// HTTPS: browsers permit motion sensors and wake locks only on pages that they received over HTTPS. A page without it tests whether this
// device trusts the server, and then moves there. Otherwise it shows how to install the certificate of the group.

import { settingsForAddress } from "./settings.js"
import { text } from "./strings.js"

const PATIENCE = 4000

const element = (id) => document.getElementById(id)

/** What the server offers: {https, name, authority}; undefined if it does not answer. */
async function offer() {
  try {
    const response = await fetch("/secure.json", { signal: AbortSignal.timeout(PATIENCE) })
    return response.ok ? await response.json() : undefined
  } catch {
    return undefined
  }
}

/** Whether this device accepts the certificate of the server. */
async function isTrusted(base) {
  try {
    await fetch(`${base}/secure.json`, { mode: "no-cors", cache: "no-store", signal: AbortSignal.timeout(PATIENCE) })
    return true
  } catch {
    return false
  }
}

/** The address of this page at another server, with the token and the settings of this device. */
const address = (base, token) => {
  const fragment = new URLSearchParams(token ? { token } : {})
  const settings = settingsForAddress()
  if (settings) fragment.set("settings", settings)
  return `${base}/#${fragment}`
}

/** Moves to HTTPS if this device trusts the server; otherwise shows how to get there. `isIdle` tells whether the player has not joined. */
export async function offerSecurePage(token, isIdle) {
  if (location.protocol === "https:") return
  const offered = await offer()
  if (!offered?.https) return
  const port = location.port ? `:${location.port}` : ""
  const base = `https://${offered.name ?? location.hostname}${port}`
  const link = element("secure-link")
  link.href = address(base, token)
  // The name in the certificate of a domain may be unknown on this network, so the player decides.
  if (offered.name === null && (await isTrusted(base)) && isIdle()) return location.replace(link.href)
  element("secure").hidden = false
  element("install").hidden = offered.authority === null
  element("secure-text").dataset.text = offered.authority === null ? "secureDomain" : "secureGroup"
  element("secure-text").textContent = text(element("secure-text").dataset.text)
  element("fingerprint").textContent = offered.authority ?? ""
}
