// The page: connects the modules, and shows either the entry, with the button *Join*, or the session with its places.

import { Announcements } from "./announcements.js"
import { AskingView } from "./asking.js"
import { Audio } from "./audio.js"
import { Banner } from "./banner.js"
import { BeatRow } from "./beat-row.js"
import { Calibration } from "./calibration.js"
import { Connection } from "./connection.js"
import { ConnectionsView } from "./connections.js"
import { EnergyBar } from "./energy-bar.js"
import { Entry } from "./entry.js"
import { wakeFrames } from "./frame-loop.js"
import { Head } from "./head.js"
import { drawIcons } from "./icons.js"
import { InstrumentChoice } from "./instrument-choice.js"
import { Instrument } from "./instrument.js"
import { Invite } from "./invite.js"
import { Letters } from "./letters.js"
import { NetworkPicture } from "./network-picture.js"
import { OtherNotes } from "./other-notes.js"
import { OwnPlayer } from "./own-player.js"
import { PartnerView } from "./partner.js"
import { People } from "./people.js"
import { PersonSheet } from "./person.js"
import { Places } from "./places.js"
import { Pulse } from "./pulse.js"
import { RhythmView } from "./rhythm-view.js"
import { Rhythm } from "./rhythm.js"
import { ScoreRoute } from "./score-route.js"
import { ScoreView } from "./score-view.js"
import { offerSecurePage } from "./secure.js"
import { SettingsView } from "./settings-view.js"
import { connectSheets } from "./sheet.js"
import { Stand } from "./stand.js"
import { drawSliders } from "./slider.js"
import { text, translate } from "./strings.js"
import { Surface } from "./surface.js"
import { ThumbKey } from "./thumb-key.js"
import { Timeline } from "./timeline.js"

const element = (id) => document.getElementById(id)

drawIcons()
drawSliders()
connectSheets()

/** The join token in the fragment of the address. Browsers do not send the fragment to servers. */
const token = new URLSearchParams(location.hash.slice(1)).get("token")

const connection = new Connection(token)
const rhythm = new Rhythm()
const timeline = new Timeline(connection, rhythm)
const audio = new Audio(connection, rhythm)
const state = { ensemble: undefined, levels: undefined, rhythms: [], score: undefined, route: new ScoreRoute() }

const announcements = new Announcements(element("announcer"))
const announce = (message) => announcements.say(message)

/** The name of the peer that has served the page. */
let firstPeerName = ""
/** Whether this page has stopped the rhythm because it had no connection. */
let endedAlone = false

const context = {
  audio, connection, rhythm, state, announce, render, player: new OwnPlayer({ connection, state }), pulse: new Pulse({ connection, rhythm }),
  firstPeerName: () => firstPeerName, endedAlone: () => endedAlone,
}
context.banner = new Banner(element("banner"), context)
context.beatRow = new BeatRow(element("beat-row"), context, { hasLane: true })
context.energy = new EnergyBar(element("energy"), context)
context.partner = new PartnerView(context)
context.instrument = new Instrument(context)
context.letters = new Letters(context)
context.surface = new Surface(element("surface"), context)
context.thumbKey = new ThumbKey(context)
context.stand = new Stand(element("stand"), context)
context.scoreView = new ScoreView(context)

const entry = new Entry(context)
const otherNotes = new OtherNotes(context)
const head = new Head(context)
const entryBeats = new BeatRow(element("entry-beats"), context)
const places = new Places(context)
const person = new PersonSheet(context)
const openPerson = (identity) => person.open(identity)
const invite = new Invite(context)
const players = new People(element("players"), context, openPerson, invite.item)
const column = new People(element("column-players"), context, openPerson)
const rhythmView = new RhythmView(context)
const views = [
  entry, head, context.banner, context.partner, context.instrument, new InstrumentChoice(context), context.thumbKey, players, column, invite,
  person, new AskingView(context), rhythmView, new NetworkPicture(context), new ConnectionsView(context), new Calibration(context), new SettingsView(context, renderTexts),
  otherNotes, context.scoreView,
]
/** The views that the newest patch changes, and those that the energies change. */
const patchViews = [context.beatRow, entryBeats, context.energy]
const levelViews = [context.energy, entry, players, column, rhythmView]

function render() {
  for (const view of views) view.render()
  wakeFrames()
}

/** Shows all texts in the present language. */
function renderTexts() {
  translate()
  render()
  places.render()
  context.surface.render()
  renderPatch()
}

function renderPatch() {
  for (const view of patchViews) view.render()
  rhythmView.renderPatch()
  head.renderFill()
}

// The connection.

/** After the connection is lost, the page continues the rhythm for this time, in milliseconds. */
const ALONE = 30_000
/** The timer that stops the rhythm when the connection has been lost for too long. */
let aloneTimer

/** Stops the rhythm on this page, because the peer may have stopped it since the connection was lost. */
function endAlone() {
  timeline.set(undefined)
  audio.update()
  announcements.rhythm(false)
  endedAlone = true
  announce(text("stoppedAlone"))
  render()
}

connection.addEventListener("state", ({ detail }) => {
  if (detail === "open") {
    clearTimeout(aloneTimer)
    aloneTimer = undefined
    endedAlone = false
  } else {
    if (rhythm.schedule?.plays) aloneTimer ??= setTimeout(endAlone, ALONE)
    if (detail === "lost" && context.player.hasJoined) announce(text("alone"))
    if (detail === "refused" || detail === "limited") entry.show(true)
  }
  render()
})
connection.addEventListener("welcome", () => {
  // The peer must know the identity of the player before any other report makes the page a player.
  context.player.connected()
  reportOutput()
  render()
})
connection.addEventListener("clock", () => {
  timeline.update()
  audio.update()
  if (rhythm.schedule?.plays) wakeFrames()
})
connection.addEventListener("rhythm", ({ detail }) => {
  timeline.set(detail)
  audio.update()
  if (announcements.rhythm(detail.plays)) render()
  else head.renderFill()
  wakeFrames()
})
connection.addEventListener("patch", ({ detail }) => {
  rhythm.setPatches(detail)
  audio.update()
  renderPatch()
})
connection.addEventListener("ensemble", ({ detail }) => {
  state.ensemble = detail
  context.player.update()
  if (!connection.hasMoved) firstPeerName = detail.name
  announcements.ensemble(state, context.player)
  render()
})
connection.addEventListener("library", ({ detail }) => {
  state.rhythms = detail.rhythms
  render()
})
connection.addEventListener("score", ({ detail }) => {
  state.score = detail
  places.render()
  context.scoreView.update()
})
connection.addEventListener("route", ({ detail }) => {
  state.route = new ScoreRoute(detail)
  render()
})
connection.addEventListener("levels", ({ detail }) => {
  state.levels = detail
  for (const view of levelViews) view.update()
})
audio.addEventListener("change", () => {
  context.banner.render()
  context.instrument.render()
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
  context.instrument.motion.start()
  context.player.join()
  reportOutput()
  keepAwake()
  entry.show(false)
  places.render()
  render()
  element("main").focus()
})

// Without sound, any touch of the page starts it again.
document.addEventListener("pointerup", () => {
  if (context.player.hasJoined && audio.context && !audio.isRunning) audio.context.resume().catch(() => undefined)
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

renderTexts()
connection.connect()
offerSecurePage(token, () => entry.isShown)

// For the tests, which read the state of the page.
globalThis.tutti = { audio, connection, instrument: context.instrument, otherNotes, partner: context.partner, player: context.player, pulse: context.pulse, rhythm, stand: context.stand, state }
