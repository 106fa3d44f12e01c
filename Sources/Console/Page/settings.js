// The settings of this device, in the local storage of the browser. The browser may block the storage. A setting then lasts only until the
// page is closed.

/** The value of a setting, a string; null if there is none. */
export function stored(key) {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

export function store(key, value) {
  try {
    localStorage.setItem(key, value)
  } catch {
    // The browser blocks the storage, or it is full.
  }
}

/** The beginning of the keys of all settings. */
const PREFIX = "tutti."
/** The largest length of all settings in an address, in characters. */
const LONGEST_ADDRESS = 4000

/** All settings as JSON, for the field `settings` in the fragment of an address; an empty string if there are none or too many. */
export function settingsForAddress() {
  try {
    const entries = Object.entries(localStorage).filter(([key]) => key.startsWith(PREFIX))
    const settings = JSON.stringify(Object.fromEntries(entries))
    return settings === "{}" || settings.length > LONGEST_ADDRESS ? "" : settings
  } catch {
    return ""
  }
}

/**
 * Removes the settings from the fragment of the address, and stores those that this device does not have yet. When the page moves from HTTP
 * to HTTPS, it passes its settings in the address, because pages with different origins have separate storages.
 */
function adoptSettings() {
  const fragment = new URLSearchParams(location.hash.slice(1))
  const passed = fragment.get("settings")
  if (passed === null) return
  fragment.delete("settings")
  history.replaceState(null, "", `#${fragment}`)
  try {
    for (const [key, value] of Object.entries(JSON.parse(passed))) {
      if (key.startsWith(PREFIX) && typeof value === "string" && stored(key) === null) store(key, value)
    }
  } catch {
    // The settings in the address are not valid, for example because a user has edited the address.
  }
}

adoptSettings()
