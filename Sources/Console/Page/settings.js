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
