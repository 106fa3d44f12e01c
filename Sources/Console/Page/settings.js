// The settings of this device, in the storage of the browser. The browser may block the storage. A setting then lasts until the page
// is closed.

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
    // See above.
  }
}

/** The keys of all settings begin with this. */
const PREFIX = "tutti."
/** In characters. */
const LONGEST_ADDRESS = 4000

/** All settings as the value of a field in the fragment of an address; an empty string if there are none. */
export function settingsForAddress() {
  try {
    const entries = Object.entries(localStorage).filter(([key]) => key.startsWith(PREFIX))
    const settings = JSON.stringify(Object.fromEntries(entries))
    return settings === "{}" || settings.length > LONGEST_ADDRESS ? "" : settings
  } catch {
    return ""
  }
}

/** The page over HTTPS is another page for the browser, with another storage. It gets the settings in the fragment of its address. */
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
    // The address was changed by hand.
  }
}

adoptSettings()
