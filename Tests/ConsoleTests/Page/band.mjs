// Tests the parts of the page that need several peers: node band.mjs [FOLDER]
//
// Needs chromium, but no peer: a fake WebSocket in the page sends the frames (fake-peer.mjs). If FOLDER is given, screenshots are written
// to it. With the environment variable ONLY=TEXT, only some tests run: those whose function names, in lower case, contain TEXT.

import { accessibilityProblems, expect, finish, screenshot } from "./checks.mjs"
import { Chromium, PHONE, sleep } from "./chromium.mjs"
import { FakePeer, fakeSocket } from "./fake-peer.mjs"

const browser = new Chromium()
const peer = await FakePeer.start()

const SIZES = [
  { name: "390x844", width: 390, height: 844, isMobile: true }, { name: "320x568", width: 320, height: 568, isMobile: true },
  { name: "568x320", width: 568, height: 320, isMobile: true }, { name: "1024x768", width: 1024, height: 768 }, { name: "1440x900", width: 1440, height: 900 },
]
/** The smallest width and height of a target, in pixels. */
const TARGET = 44
const ALL = ["rhythm", "notes", "modification", "activity"]
/** The identities of the peers. The first one is the peer of the page. */
const IDS = Array.from({ length: 40 }, (_, n) => (n + 1).toString(16).padStart(16, "0"))
const NAMES = ["Ada", "Ben", "Cleo", "Dora"]

/** The groups of a meter as the peer sends them. */
const GROUPS = { "4/4": [1, 1, 1, 1], "7/8": [2, 2, 3], "12/8": [3, 3, 3, 3] }
const line = (voice, index, isFill) => ({
  voice, firstStroke: index * 16, bars: 1, strokesPerBar: 16, ticksPerStroke: 6, from: 0, to: 127, isFill, replaces: false, group: 0, feel: 0, level: 100,
  lowActivityChance: 100, highActivityChance: 100,
})
/** A rhythm in 4/4 with a kick, a hat and a fill. Both drums have the sound of the fake peer. */
const patch = (options) => ({
  name: "street", description: "Straight rock that grows into funk.", number: 1, tick: 0, beats: 4, unit: 4, groups: GROUPS["4/4"], hasFill: true,
  layers: [{ name: "a", from: 0, to: 127 }], voices: [{ name: "kick", note: 36 }, { name: "hat", note: 42 }],
  table: {
    bars: 1, barSteps: 16, seed: 1, swing: [0, 0, 0, 0], swell: 0, fillPeriod: 8, fillChance: 100, drumLineCount: 3, chords: [], chordSteps: 0, programs: [0, 0, 0, 0],
    keys: [], lines: [line(36, 0, false), line(42, 1, false), line(36, 2, true)],
    strokes: Array.from({ length: 48 }, (_, n) => (n < 16 ? (n % 8 === 0 ? 3 : 0) : n < 32 ? (n % 2 === 0 ? 2 : 0) : 1)),
  },
  ...options,
})
const print = [
  [0, 6, 8].map((step) => ({ step, strength: 2 })), [0, 2, 4, 6, 8, 10, 12, 14].map((step) => ({ step, strength: step % 4 === 0 ? 2 : 1 })),
  [4, 12].map((step) => ({ step, strength: 3 })),
]
const library = [["street", 4, 4, 104], ["ruchenitsa", 7, 8, 190], ["bembe", 12, 8, 180], ["a very long name of a rhythm", 4, 4, 96]]
  .map(([name, beats, unit, bpm]) => ({ name, beats, unit, groups: GROUPS[`${beats}/${unit}`], bpm, print }))
const samples = {
  instruments: [
    { name: "marimba", program: 12, low: 55, high: 79, drums: [], sustains: false }, { name: "drums", program: 0, low: 36, high: 43, drums: [36, 42], sustains: false },
  ],
  drums: { 36: { path: "/sound.wav", gain: 1 }, 42: { path: "/sound.wav", gain: 1 } }, tones: { 12: [{ key: 60, sample: { path: "/sound.wav", gain: 1 } }] },
}

/**
 * The frame `ensemble` of the first of `count` peers. `leader` is the number of the peer that leads; undefined: none. Ben has closed three gates for Cleo. There
 * are three phones: two at Ada, one at Ben.
 */
function ensemble({ count = 4, leader = 0, asks, ...options } = {}) {
  const identities = IDS.slice(0, count)
  const takes = (to) => identities.filter((from) => from !== to).map((from) => ({
    from, gates: to === IDS[1] && from === IDS[2] ? ["modification"] : ALL }))
  const nameOf = (index) => NAMES[index] ?? `Peer ${index + 1}`
  const role = (index) => (leader === undefined ? "idle" : index === leader ? "master" : "follower")
  const phone = (n, at, name) => ({ identity: `ff${String(n).padStart(14, "0")}`, peer: IDS[at], kind: "page", name, sign: 40 + n, program: 12, isMuted: false })
  return {
    name: "Ada", identity: IDS[0], role: role(0), obstacle: leader === 0 || leader === undefined ? null : "master", leader: null, isOffered: false, bpm: 120, isMuted: false,
    isQuiet: false, totalRule: "sum", patch: "street", parts: [{ name: "drums", percent: 100, plays: true }], devices: 0, hosts: [], furtherHosts: 0,
    policy: "anyone", hasContacts: false, phrases: {}, asks: false, ...options,
    members: identities.slice(1).map((identity, n) => ({
      identity, name: nameOf(n + 1), role: role(n + 1), isMuted: false, gates: ALL, takes: takes(identity), asks: asks === n + 1,
    })),
    players: [
      ...identities.map((identity, index) => ({ identity, peer: identity, kind: "local", name: nameOf(index), sign: index, program: 12, isMuted: false })),
      phone(1, 0, "Robin"), phone(2, 0, "Mia"), phone(3, 1, "Kim"),
    ],
  }
}

/** Opens the page with a fake peer, and joins. */
async function join({ access = "lead", place = "play", size = PHONE, state = {}, newest = patch(), plays = true, dark = false, german = false } = {}) {
  const page = await browser.open("about:blank", size)
  if (dark) await page.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: "dark" }] })
  const settings = { "tutti.touched": "yes", "tutti.language": german ? "de" : "en" }
  const begin = `
    fake.json(1, { access: ${JSON.stringify(access)}, instance: 7 })
    fake.json(7, { rhythms: ${JSON.stringify(library)} })
    fake.json(5, { newest: ${JSON.stringify(newest)}, firstRun: 0 })
    fake.json(6, ${JSON.stringify(samples)})
    fake.json(4, ${JSON.stringify(ensemble(state))})
    fake.levels([30, 20, 25, 15, 40, 12, 8])
    fake.rhythm(${plays})`
  await page.send("Page.addScriptToEvaluateOnNewDocument", {
    source: `for (const [key, value] of Object.entries(${JSON.stringify(settings)})) localStorage.setItem(key, value)\n${fakeSocket}\n${begin}`,
  })
  await page.send("Page.navigate", { url: `${peer.url}&place=${place}` })
  await page.wait("globalThis.tutti?.connection.hasClock && tutti.state.ensemble", 30_000)
  await page.click("#join")
  await page.wait("tutti.audio.isRunning && tutti.audio.samples.missing === 0", 30_000)
  return page
}

const commands = (page) => page.evaluate("fake.commands.filter((each) => !['player', 'activity', 'partner'].includes(each.do))")
const send = (page, state) => page.evaluate(`fake.json(4, ${JSON.stringify(ensemble(state))})`)
const shows = (page, selector) => page.evaluate(`document.querySelector(${JSON.stringify(selector)})?.checkVisibility() === true`)

/** The targets that are smaller than 44 pixels, as texts, and what is too wide. */
const problemsOfSize = `(() => {
  const targets = [...document.querySelectorAll("button, select, input, summary, a[href]")].filter((each) => each.checkVisibility() && !each.closest(".skip, #install"))
  const small = targets.map((each) => each.closest("label, .fat") ?? each).filter((each) => {
    const { width, height } = each.getBoundingClientRect()
    return Math.min(width, height) < ${TARGET} - 0.5
  }).map((each) => "small: " + each.outerHTML.slice(0, 90))
  const wide = [document.documentElement, document.querySelector("#main"), ...document.querySelectorAll("dialog[open]")]
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map((each) => "too wide: " + each.id)
  return [...small, ...wide]
})()`

async function check(page, name) {
  const found = [...(await accessibilityProblems(page)), ...(await page.evaluate(problemsOfSize))]
  expect(found.length === 0, name, found.join("\n     "))
  await screenshot(page, name.replaceAll(/[^a-z0-9]+/gi, "-"))
}

/** Clicks a point of the picture, in its units. */
const tap = (page, [x, y]) => page.evaluate(`(() => {
  const image = document.querySelector(".map")
  image.scrollIntoView({ block: "center" })
  const point = new DOMPoint(${x}, ${y}).matrixTransform(image.getScreenCTM())
  image.dispatchEvent(new MouseEvent("click", { bubbles: true, clientX: point.x, clientY: point.y }))
})()`)
/** The places of Cleo and Ben in the picture. */
const [CLEO, BEN] = [[0, 140], [165, 0]]
const pairTitle = "document.querySelector('#pair-title').textContent"

/** Who hears whom: the picture, the choice of a pair, and the switches. */
async function testNetwork() {
  const page = await join({ place: "everyone" })
  const image = await page.evaluate("document.querySelector('.map').getAttribute('aria-label')")
  expect(image === "Ada leads. Ben does not take from Cleo: Rhythm, Notes, Energy.", "the picture has a sentence", image)
  const widths = await page.evaluate("[...document.querySelectorAll('.arrow')].map((each) => Number(each.getAttribute('stroke-width'))).sort((a, b) => b - a)")
  // Three arrows from the leader (100), three to the leader (75), five between followers (50), and one with notes and energy closed (25).
  expect(widths.join() === "8,8,8,6,6,6,4,4,4,4,4,2", "the widths of the arrows are the weights", widths)
  expect(await page.evaluate(pairTitle) === "Ada takes from Ben", "at first, the pair is the own peer and another one")
  expect(!(await page.evaluate("Boolean(document.querySelector('.plate, .arrow.chosen'))")), "before a choice, no arrow is marked")
  expect(await page.evaluate("document.querySelectorAll('#pair-gates input:checked').length") === 4, "the gates of the own peer are switches")
  await page.evaluate("document.querySelector('#pair-gates [data-gate=notes] input').click()")
  expect(JSON.stringify(await commands(page)) === JSON.stringify([{ do: "gate", peer: IDS[1], kind: "notes", on: false }]), "a switch closes a gate", await commands(page))
  // The nodes are at the top (Ada), right (Ben), bottom (Cleo) and left (Dora).
  await tap(page, CLEO)
  await tap(page, BEN)
  expect(await page.evaluate(pairTitle) === "Ben takes from Cleo", "two signs choose a pair", await page.evaluate(pairTitle))
  expect(await page.evaluate("document.querySelectorAll('#pair-gates input').length") === 0, "the gates of others are text")
  const marks = await page.evaluate("[document.querySelectorAll('.plate .shut').length, document.querySelectorAll('.plate .open').length]")
  expect(marks.join() === "3,1", "the plate has a cross for each closed gate", marks)
  const words = await page.evaluate("document.querySelector('#pair-gates').textContent")
  expect(words === "Rhythm: noNotes: noChanges of the sound: yesEnergy: no", "the text says which gates are open", words)
  const place = await page.evaluate("(() => { const box = [...document.querySelectorAll('.arrow.lead')][0].getPointAtLength(60); return [box.x, box.y] })()")
  await tap(page, place)
  expect((await page.evaluate(pairTitle)).endsWith("takes from Ada"), "an arrow chooses a pair", await page.evaluate(pairTitle))
  await page.evaluate("(() => { const menu = document.querySelector('#pair-to'); menu.value = menu.options[0].value; menu.dispatchEvent(new Event('change')) })()")
  expect((await page.evaluate(pairTitle)).startsWith("Ada takes from"), "a menu with the same peer twice exchanges them", await page.evaluate(pairTitle))
  // The pulse of a beat leaves the leader and arrives at the end of the beat.
  const travel = await page.evaluate(`new Promise((resolve) => {
    const seen = []
    const look = () => {
      const circle = document.querySelector(".travels")
      seen.push(Number(circle.getAttribute("cy")))
      if (seen.length < 40) requestAnimationFrame(look)
      else resolve({ seen: Math.max(...seen) - Math.min(...seen), shown: circle.getAttribute("visibility") })
    }
    requestAnimationFrame(look)
  })`)
  expect(travel.seen > 20 && travel.shown === "visible", "the pulse travels", JSON.stringify(travel))
  await page.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-reduced-motion", value: "reduce" }] })
  await page.wait("document.querySelector('.travels').getAttribute('visibility') === 'hidden'")
  expect(true, "with reduced motion, no pulse travels")
  await send(page, { count: 20 })
  await page.wait("document.querySelector('#network-note').textContent")
  const many = await page.evaluate("[document.querySelectorAll('.letter').length, document.querySelector('#network-note').textContent]")
  expect(many[0] === 2 && many[1].startsWith("18 more"), "of many peers, the picture shows the leader, the own one and those with closed gates", many)
  await send(page, { count: 1 })
  await page.wait("document.querySelector('#network').hidden")
  expect(!(await shows(page, "#ask-lead")), "a peer that is alone shows no picture")
  expect(page.problems.length === 0, "no problem in the console", page.problems)
}

/** The code for others. */
async function testInvite() {
  peer.codes.length = 0
  const page = await join({ place: "everyone" })
  await page.wait("!document.querySelector('.chip.invite').parentElement.hidden")
  expect(await page.evaluate("document.querySelector('#players').lastElementChild.textContent === 'Bring someone in'"), "the last chip brings someone in")
  await page.click(".chip.invite")
  await page.wait("document.querySelector('.code path')")
  const [first, background] = await page.evaluate("[document.querySelector('.code path').getAttribute('d'), document.querySelector('.code rect').getAttribute('fill')]")
  expect(background === "#fff", "the sheet shows the code")
  await page.evaluate("document.querySelector('#invite-lead').click()")
  await page.wait(`document.querySelector('.code path')?.getAttribute('d') !== ${JSON.stringify(first)}`)
  const last = peer.codes.at(-1)
  expect(last.access === "lead" && last.authorization === "Bearer abc", "May also lead shows another code", JSON.stringify(last))
  const box = await page.evaluate("(() => { const { width, height } = document.querySelector('.code').getBoundingClientRect(); return [width, height] })()")
  expect(box[0] > 220 && Math.abs(box[0] - box[1]) < 1, "the code is large and square", box)
  const guest = await join({ access: "play", place: "everyone" })
  await guest.wait("!document.querySelector('.chip.invite').parentElement.hidden")
  await guest.click(".chip.invite")
  await guest.wait("document.querySelector('.code path')")
  expect(!(await shows(guest, "#invite-more")) && peer.codes.at(-1).access === "play", "a guest can only invite guests", JSON.stringify(peer.codes.at(-1)))
  expect([...page.problems, ...guest.problems].length === 0, "no problem in the console", [...page.problems, ...guest.problems])
  peer.hasCode = false
  const lonely = await join({ place: "everyone" })
  await sleep(300)
  expect(!(await shows(lonely, ".chip.invite")), "without an address for others, there is no chip")
  peer.hasCode = true
}

/** Next rhythm, fill, and the question for the lead. */
async function testLead() {
  const page = await join({ size: { width: 1440, height: 900 } })
  await page.click("#next-rhythm")
  await page.click("#fill")
  const sent = await commands(page)
  expect(JSON.stringify(sent) === JSON.stringify([{ do: "patch", name: "ruchenitsa" }, { do: "fill" }]), "next rhythm and fill", JSON.stringify(sent))
  await page.evaluate("fake.rhythm(true, { fill: 96n })")
  await page.wait("document.querySelector('#fill').ariaPressed === 'true'")
  await page.wait("document.querySelector('#fill').ariaPressed === 'false'", 8000)
  expect(true, "the button Fill is pressed until the bar of the fill has ended")
  await page.evaluate(`fake.json(5, { newest: ${JSON.stringify(patch({ hasFill: undefined }))}, firstRun: 0 })`)
  await page.wait("document.querySelector('#fill').hidden")
  expect(true, "a rhythm without a fill has no button")
  await send(page, { asks: 1 })
  await page.wait("document.querySelector('#give')")
  const asked = await page.evaluate("document.querySelector('#banner').textContent")
  expect(asked === "Ben asks to leadBen leads", "the banner says who asks for the lead", asked)
  expect(await shows(page, "#banner .countdown"), "a ring runs down")
  await page.click("#give")
  expect(JSON.stringify((await commands(page)).at(-1)) === JSON.stringify({ do: "offer", peer: IDS[1] }), "Ben leads", JSON.stringify((await commands(page)).at(-1)))
  expect(!(await shows(page, "#give")), "the answered question goes")
  await send(page, { asks: 2 })
  await page.wait("document.querySelector('#banner').textContent.startsWith('Cleo')")
  await page.evaluate("document.querySelector('#banner [aria-label=\"Not now\"]').click()")
  expect(!(await shows(page, "#give")), "Not now ends the question")

  const follower = await join({ place: "everyone", state: { leader: 1 } })
  expect(!(await shows(follower, "#fill")) && await shows(follower, "#ask-lead"), "who follows can ask for the lead")
  await follower.click("#ask-lead")
  await send(follower, { leader: 1, asks: undefined })
  expect(JSON.stringify((await commands(follower)).at(-1)) === JSON.stringify({ do: "ask", on: true }), "the question is sent")
  await follower.evaluate(`fake.json(4, ${JSON.stringify({ ...ensemble({ leader: 1 }), asks: true })})`)
  await follower.wait("document.querySelector('#ask-lead').ariaPressed === 'true'")
  await follower.click(`#players [data-player="${IDS[1]}"]`)
  await follower.wait("document.querySelector('#person-sheet').open && document.querySelector('#person-sheet').getAnimations().length === 0")
  await follower.click("#person-ask")
  expect(JSON.stringify((await commands(follower)).at(-1)) === JSON.stringify({ do: "ask", on: false }), "a second press takes the question back")
  await follower.evaluate("document.querySelector('#person-sheet').close()")
  await follower.click(`#players [data-player="${IDS[2]}"]`)
  expect(!(await shows(follower, "#person-ask")), "only the sheet of the leader has the button")
  await follower.evaluate("document.querySelector('#person-sheet').close()")
  await follower.evaluate(`fake.json(4, ${JSON.stringify({ ...ensemble({ leader: 1 }), isOffered: true })})`)
  await follower.wait("document.querySelector('#take')")
  expect(await shows(follower, "#banner .countdown"), "the offer has a ring that runs down")
  const guest = await join({ access: "play", place: "everyone", state: { leader: 1 } })
  expect(!(await shows(guest, "#ask-lead")), "a guest cannot ask for the lead")
  const problems = [...page.problems, ...follower.problems, ...guest.problems]
  expect(problems.length === 0, "no problem in the console", problems)
}

/** The notes of the others: dots on the beat row, and sounds. */
async function testOtherNotes() {
  const page = await join()
  const robin = "ff00000000000001"
  const note = (options) => `fake.notes([${JSON.stringify({ player: robin, key: 60, velocity: 100, wait: 60, ...options })}])`
  await page.wait("tutti.pulse.at(performance.now())?.place > 1")
  await page.evaluate(note({ player: "00000000000000ee" }))
  await page.evaluate(note({ player: await page.evaluate("tutti.player.identity") }))
  expect(await page.evaluate("document.querySelectorAll('.dot').length") === 0, "unknown players and the own one leave no dots")
  await page.evaluate(note({}))
  await page.wait("document.querySelector('.dot.other:not(.waits)')")
  const colour = await page.evaluate("document.querySelector('.dot.other').style.getPropertyValue('--c')")
  expect(colour === "var(--p2)", "a note of another player leaves a dot in the colour of the player", colour)
  expect(await page.evaluate("tutti.otherNotes.sounding") === 0, "at first, the others are not heard")
  await page.evaluate("document.querySelector('#hear').click()")
  // The instant at which the note is heard, by the clock of the page.
  await page.evaluate(`(() => {
    globalThis.starts = []
    const start = AudioBufferSourceNode.prototype.start
    AudioBufferSourceNode.prototype.start = function (when) { starts.push({ when, wanted: tutti.audio.outputClock.time(globalThis.due) }); return start.call(this, when) }
  })()`)
  await page.evaluate(`fake.rhythm(false)`)
  await page.evaluate(`due = performance.now() + 400; ${note({ wait: 400 })}`)
  const [{ when, wanted }] = await page.evaluate("starts")
  expect(Math.abs(when - wanted) < 0.005, "the note is heard at its instant", `${when} instead of ${wanted}`)
  expect(await page.evaluate("tutti.otherNotes.sounding") === 1, "the note sounds")
  await page.evaluate(note({ velocity: 0, wait: 500 }))
  await page.wait("tutti.otherNotes.sounding === 0", 3000)
  await page.evaluate(`for (let key = 20; key < 80; key += 1) { ${note({ wait: 0 }).replace('"key":60', '"key":key')} }`)
  const most = await page.evaluate("tutti.otherNotes.sounding")
  expect(most === 32, "at most 32 notes sound", most)
  const quiet = ensemble({ isQuiet: true })
  await page.evaluate(`fake.json(4, ${JSON.stringify(quiet)})`)
  expect(await page.evaluate("tutti.otherNotes.sounding") === 0, "nothing sounds while all are quiet")
  await page.evaluate(note({}))
  expect(await page.evaluate("tutti.otherNotes.sounding") === 0, "no note begins while all are quiet")
  const muted = ensemble()
  muted.players.find(({ identity }) => identity === robin).isMuted = true
  await page.evaluate(`fake.json(4, ${JSON.stringify(muted)})`)
  await page.evaluate(note({}))
  expect(await page.evaluate("tutti.otherNotes.sounding") === 0, "a muted player is silent")
  // The instrument of Ben is that of his row in the list of players.
  const withProgram = (program) => {
    const state = ensemble()
    state.players.find(({ identity }) => identity === IDS[1]).program = program
    return page.evaluate(`fake.json(4, ${JSON.stringify(state)})`)
  }
  await withProgram(255)
  await page.evaluate(note({ player: IDS[1] }))
  expect(await page.evaluate("tutti.otherNotes.sounding") === 0, "an unknown instrument is silent")
  await withProgram(128)
  await page.evaluate(note({ player: IDS[1], key: 36 }))
  expect(await page.evaluate("tutti.otherNotes.sounding") === 1, "the drums of another player sound")
  expect(page.problems.length === 0, "no problem in the console", page.problems)
}

/** The cards of the rhythms, and the beats of a meter. */
async function testCards() {
  const seven = patch({ name: "ruchenitsa", beats: 7, unit: 8, groups: [2, 2, 3] })
  seven.table.barSteps = 14
  const page = await join({ place: "rhythm", newest: seven })
  const lengths = await page.evaluate("[...document.querySelectorAll('#beat-row .pill')].map((pill) => pill.style.getPropertyValue('--length')).join()")
  expect(lengths === "4,4,6", "the beats are the groups of the patch", lengths)
  const cards = await page.evaluate("[...document.querySelectorAll('.rhythm-card')].map((card) => card.textContent)")
  expect(cards.join() === "street4/4104,ruchenitsa7/8190,bembe12/8180,a very long name of a rhythm4/496", "a card has name, meter and tempo", cards)
  const strokes = await page.evaluate("document.querySelector('.print').children.length")
  expect(strokes === 13, "a card has the print of the rhythm", strokes)
  await page.click("[data-rhythm=bembe]")
  expect(JSON.stringify((await commands(page)).at(-1)) === JSON.stringify({ do: "patch", name: "bembe" }), "a card chooses the rhythm")
  const later = { newest: patch({ name: "bembe", number: 2, tick: 96 * 40 }), previous: seven, firstRun: 0 }
  await page.evaluate(`fake.json(5, ${JSON.stringify(later)}); fake.json(4, ${JSON.stringify(ensemble({ patch: "bembe" }))})`)
  await page.wait("Number(document.querySelector('.coming .turn .arc')?.getAttribute('stroke-dasharray')?.split(' ')[0]) > 10", 4000)
  expect(true, "a ring runs with the bar on the card that was chosen")
  expect(page.problems.length === 0, "no problem in the console", page.problems)
}

/** Too many wrong codes: a ring runs down. */
async function testLimited() {
  peer.status = 429
  const page = await browser.open(peer.url, PHONE)
  await page.wait("document.querySelector('#entry-wait .countdown')?.checkVisibility()")
  const share = () => page.evaluate("(() => { const arc = document.querySelector('#entry-wait .arc'); return parseFloat(getComputedStyle(arc).strokeDashoffset) })()")
  const before = await share()
  await sleep(1000)
  const after = await share()
  // The ring has a length of 56.5 units and runs down in 30 seconds.
  expect(Math.abs(after - before - 56.5 / 30) < 0.6, "the ring of the entry runs down", [before, after])
  await check(page, "limited")
  peer.status = 204
}

/** All new parts at four sizes, light and dark, in both languages. */
async function testAppearance() {
  for (const { name, ...size } of SIZES) {
    for (const dark of [false, true]) {
      const look = `${name} ${dark ? "dark German" : "light English"}`
      const leader = await join({ place: "everyone", size, dark, german: dark })
      await leader.wait("!document.querySelector('.chip.invite').parentElement.hidden")
      await tap(leader, CLEO)
      await tap(leader, BEN)
      await check(leader, `everyone ${look}`)
      await leader.evaluate("document.querySelector('#network').scrollIntoView()")
      await screenshot(leader, `network-${look.replaceAll(" ", "-")}`)
      await leader.evaluate("document.querySelector('.chip.invite').click()")
      await leader.wait("document.querySelector('.code path') && document.querySelector('#invite-sheet').getAnimations().length === 0")
      await check(leader, `invite ${look}`)
      await leader.evaluate("document.querySelector('#invite-sheet').close(); location.hash = '#token=abc&place=rhythm'")
      await sleep(100)
      await check(leader, `rhythm ${look}`)
      await leader.evaluate("document.querySelector('#cards').scrollIntoView()")
      await screenshot(leader, `cards-${look.replaceAll(" ", "-")}`)
      await leader.evaluate("location.hash = '#token=abc&place=play'")
      await send(leader, { asks: 1 })
      await leader.wait("document.querySelector('#give')")
      await check(leader, `asked ${look}`)
      if (size.width < 1000) {
        await leader.evaluate("document.querySelector('#tempo-button').click()")
        await sleep(350)
        await check(leader, `lead sheet ${look}`)
        await leader.evaluate("document.querySelector('#lead-sheet').close()")
      }
      await leader.send("Page.close")
      const follower = await join({ place: "everyone", size, dark, german: dark, state: { leader: 1 } })
      await follower.evaluate(`document.querySelector('#players [data-player="${IDS[1]}"]').click()`)
      await sleep(350)
      await check(follower, `person ${look}`)
      await follower.evaluate("document.querySelector('#person-sheet').close()")
      await check(follower, `follower ${look}`)
      await follower.send("Page.close")
    }
  }
}

try {
  for (const test of [testNetwork, testInvite, testLead, testOtherNotes, testCards, testLimited, testAppearance]) {
    if (process.env.ONLY && !test.name.toLowerCase().includes(process.env.ONLY)) continue
    try {
      await test()
    } catch (error) {
      expect(false, test.name, error.stack)
    }
  }
} finally {
  await browser.close()
  peer.close()
}
finish()
