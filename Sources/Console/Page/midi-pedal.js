// A MIDI pedal that turns the pages. Browsers permit MIDI only on secure pages, and after the user has agreed.

/** The controllers of pedals (MIDI 1.0, table 3): sustain and sostenuto turn on, soft turns back. */
const STEPS = { 64: 1, 66: 1, 67: -1 }
const [CONTROL_CHANGE, DOWN] = [0xb0, 64]

/** The function that turns; undefined before the first use. */
let turn
/** The controllers that are down. A pedal turns once when it goes down. */
const down = new Set()

function receive({ data }) {
  const [status, controller, value] = data
  const step = STEPS[controller]
  if ((status & 0xf0) !== CONTROL_CHANGE || !step) return
  if (value < DOWN) down.delete(controller)
  else if (!down.has(controller)) {
    down.add(controller)
    turn(step)
  }
}

/** Listens to all MIDI inputs from now on, also to those that are connected later. Returns whether the browser permits it. */
export async function usePedal(turnPage) {
  try {
    const access = await navigator.requestMIDIAccess()
    turn = turnPage
    const connect = () => { for (const input of access.inputs.values()) input.onmidimessage = receive }
    connect()
    access.onstatechange = connect
    return true
  } catch {
    // The browser has no MIDI, the page is not secure, or the user has refused.
    return false
  }
}
