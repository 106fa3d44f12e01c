// The page: connects the modules, and shows either the entry, with the button *Join*, or the session.

import { Audio } from "./audio.js"
import { Calibration } from "./calibration.js"
import { Connection } from "./connection.js"
import { ConnectionsView } from "./connections.js"
import { EnsembleView } from "./ensemble.js"
import { InstrumentView } from "./instrument.js"
import { LeaderStrip } from "./leader-strip.js"
import { OwnPlayer } from "./own-player.js"
import { PartnerView } from "./partner.js"
import { Rhythm } from "./rhythm.js"
import { offerSecurePage } from "./secure.js"
import { language, languages, setLanguage, text, translate } from "./strings.js"
import { Timeline } from "./timeline.js"

const element = (id) => document.getElementById(id)

/** The join token in the fragment of the address. Browsers do not send the fragment to servers. */
const token = new URLSearchParams(location.hash.slice(1)).get("token")

const connection = new Connection(token)
const rhythm = new Rhythm()
const timeline = new Timeline(connection, rhythm)
const audio = new Audio(connection, rhythm)
const state = { ensemble: undefined, levels: undefined }

/** Lets a screen reader read a message. */
function announce(message) {
  element("announcer").textContent = message
}

const player = new OwnPlayer({ connection, state })
const context = { audio, connection, player, rhythm, state, announce }
const strip = new LeaderStrip(context)
const ensemble = new EnsembleView(context)
const connections = new ConnectionsView(context)
const partner = new PartnerView(context)
context.partner = partner
const instrument = new InstrumentView(context)
const views = [strip, ensemble, connections, partner, instrument, new Calibration(context)]

// The connection.

/** The name of the peer that has served the page. */
let firstPeerName

function showConnection() {
  const name = state.ensemble?.name ?? ""
  const { state: status } = connection
  const openKey = !name ? "connecting" : connection.hasMoved ? "moved" : "connected"
  const key = endedAlone ? "stoppedAlone" : status === "open" ? openKey : status
  element("connection").textContent = text(key, { name, first: firstPeerName })
  element("connection").dataset.state = status
  const problem = { refused: "refusedText", limited: "limitedText" }[status]
  element("entry-problem").textContent = problem ? text(problem) : ""
  element("join").disabled = problem !== undefined
  if (problem) showSession(false)
}

function showSession(isShown) {
  element("entry").hidden = isShown
  element("session").hidden = !isShown
}

function render() {
  showConnection()
  for (const view of views) view.render()
}

/** After the connection is lost, the page continues the rhythm for this time, in milliseconds. */
const ALONE = 30_000
/** The timer that stops the rhythm when the connection has been lost for too long. */
let aloneTimer
/** Whether the rhythm played according to the last frame; undefined before the first one. */
let didPlay
/** Whether this page has stopped the rhythm because it had no connection. */
let endedAlone = false

/** Stops the rhythm on this page, because the peer may have stopped it since the connection was lost. */
function endAlone() {
  timeline.set(undefined)
  audio.update()
  didPlay = false
  endedAlone = true
  announce(text("stoppedAlone"))
  showConnection()
}

connection.addEventListener("state", ({ detail }) => {
  if (detail === "open") {
    clearTimeout(aloneTimer)
    aloneTimer = undefined
    endedAlone = false
  } else if (rhythm.schedule?.plays) {
    aloneTimer ??= setTimeout(endAlone, ALONE)
  }
  render()
})
connection.addEventListener("welcome", () => {
  // The peer must know the identity of the player before any other report makes the page a player.
  player.connected()
  reportOutput()
  render()
})
connection.addEventListener("clock", () => {
  timeline.update()
  audio.update()
})
connection.addEventListener("rhythm", ({ detail }) => {
  timeline.set(detail)
  audio.update()
  if (didPlay !== undefined && didPlay !== detail.plays) announce(text(detail.plays ? "started" : "stopped"))
  didPlay = detail.plays
  strip.render()
})
connection.addEventListener("patch", ({ detail }) => {
  rhythm.setPatches(detail)
  audio.update()
  ensemble.renderPatch()
})
connection.addEventListener("ensemble", ({ detail }) => {
  state.ensemble = detail
  player.update()
  if (!connection.hasMoved) firstPeerName = detail.name
  render()
})
connection.addEventListener("levels", ({ detail }) => {
  state.levels = detail
  ensemble.renderLevels()
})
audio.addEventListener("change", () => {
  ensemble.renderSound()
  instrument.render()
})

// The entry. Browsers permit sound, motion sensors and the wake lock only after a user's action. The handler of *Join* therefore requests
// all of them at once, before any await.

/** The time between two reports of the output's delay to the peer, in milliseconds. */
const OUTPUT_REPORT_INTERVAL = 5000

function reportOutput() {
  if (audio.outputClock) connection.output(audio.outputClock.latency + audio.delay)
}

setInterval(reportOutput, OUTPUT_REPORT_INTERVAL)

let wakeLock

async function keepAwake() {
  try {
    wakeLock = await navigator.wakeLock?.request("screen")
  } catch {
    // The browser refuses the wake lock, for example if the battery is low. The page works without it.
  }
}

element("join").addEventListener("click", () => {
  if (!globalThis.AudioContext) {
    element("entry-problem").textContent = text("noAudio")
    return
  }
  audio.start()
  instrument.motion.start()
  player.join()
  reportOutput()
  keepAwake()
  showSession(true)
  render()
  strip.focus()
})

document.addEventListener("visibilitychange", () => {
  if (document.hidden) return
  connection.wake()
  if (audio.context) {
    audio.context.resume().catch(() => undefined)
    audio.update()
  }
  if (wakeLock?.released) keepAwake()
})

// When the player opens another page in the tab, the browser may keep this page with its connection, and show it again later. This page
// closes the connection, so that the player leaves the ensemble at once.
addEventListener("pagehide", () => connection.close())
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) connection.reopen()
})

// The tabs, with the keys of the pattern "Tabs" of the ARIA Authoring Practices Guide (W3C).

const tabs = [
  { tab: element("tab-ensemble"), panel: element("ensemble") },
  { tab: element("tab-instrument"), panel: element("instrument") },
]

function select(index) {
  tabs.forEach(({ tab, panel }, n) => {
    const isSelected = n === index
    tab.setAttribute("aria-selected", String(isSelected))
    tab.tabIndex = isSelected ? 0 : -1
    panel.hidden = !isSelected
  })
  instrument.setVisible(index === 1)
}

tabs.forEach(({ tab }, index) => {
  tab.addEventListener("click", () => select(index))
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (!step) return
    const next = (index + step + tabs.length) % tabs.length
    select(next)
    tabs[next].tab.focus()
  })
})

// The language.

for (const [code, strings] of Object.entries(languages)) {
  const option = document.createElement("option")
  option.value = code
  option.lang = code
  option.textContent = strings.languageName
  element("language").append(option)
}
element("language").value = language()
element("language").addEventListener("change", (event) => {
  setLanguage(event.target.value)
  translate()
  render()
  ensemble.renderPatch()
})

translate()
render()
connection.connect()
offerSecurePage(token, () => !element("entry").hidden)

// For the tests, which read the state of the page.
globalThis.tutti = { audio, connection, instrument, partner, player, rhythm, state }
