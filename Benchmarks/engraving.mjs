#!/usr/bin/env node
// engraving.mjs FOLDER
//
// Do the elements of engraved parts overlap? Loads each SVG of FOLDER, which the program engraving has written with --output, in headless
// Chromium, and measures the boxes of all elements there: glyphs and lines with getBBox, texts with the extent of their ink at their
// place. A slur is its curve. Prints the number of overlaps for each pair of classes, in all and per 1000 notes, and the sizes of the
// documents. Writes FOLDER/overlaps.tsv with the place of each overlap and FOLDER/geometry.tsv with a row for each part.
//
// Expected: no overlap among note heads, rests, accidentals, dots and lyrics; dynamics, slurs, hairpins and chord symbols overlap anything
// less than once per 1000 notes; and 20 pages have at most 150 kB after gzip. Exit status 1 otherwise.
//
// Needs node, chromium and the fonts of the package fonts-urw-base35.
import { readFileSync, writeFileSync } from "node:fs"
import { gzipSync } from "node:zlib"
import { Chromium } from "../Tests/ConsoleTests/Page/chromium.mjs"

const folder = process.argv[2]
if (!folder) {
  console.error("usage: engraving.mjs FOLDER")
  process.exit(64)
}

/** Runs in the page: the overlaps of the drawing in `text`, as [class, class, bar, id or text of both]. */
function measure(text) {
  // Boxes that touch or interlock by a tenth of a staff space do not overlap to the eye. Units are tenths of a space.
  const tolerance = 1.5
  const classes = [
    "note", "rest", "multiRest", "accidental", "dot", "lyric", "dynamic", "slur", "tie", "hairpin", "chordSymbol", "words", "tempo",
    "rehearsal", "articulation", "fermata", "breath", "clef", "key", "metre", "ending", "segno", "coda", "jump", "tuplet", "barNumber",
    "flag", "title", "creator", "partName",
  ]
  document.body.innerHTML = text
  const svg = document.querySelector("svg")
  const pen = new OffscreenCanvas(1, 1).getContext("2d")
  const inks = new Map()

  /** The height of the ink of a text above and below its baseline, in units of the font size. */
  function ink(element) {
    const style = `${element.getAttribute("font-style") ?? "normal"} ${element.getAttribute("font-weight") ?? "normal"}`
    const key = `${style} ${element.textContent}`
    if (!inks.has(key)) {
      pen.font = `${style} 100px C059`
      const size = pen.measureText(element.textContent)
      inks.set(key, [size.actualBoundingBoxAscent / 100, size.actualBoundingBoxDescent / 100])
    }
    return inks.get(key)
  }

  function box(element, inverse) {
    const parts = element.localName === "g" ? [...element.children] : [element]
    let all
    for (const part of parts) {
      const { x, y, width, height } = part.getBBox()
      let [left, top, right, bottom] = [x, y, x + width, y + height]
      if (part.localName === "text") {
        const [ascent, descent] = ink(part)
        const size = Number(part.getAttribute("font-size"))
        const base = Number(part.getAttribute("y"));
        [top, bottom] = [base - ascent * size, base + descent * size]
      }
      const matrix = inverse.multiply(part.getScreenCTM());
      [left, right] = [matrix.a * left + matrix.e, matrix.a * right + matrix.e];
      [top, bottom] = [matrix.d * top + matrix.f, matrix.d * bottom + matrix.f]
      all = all
        ? [Math.min(all[0], left), Math.min(all[1], top), Math.max(all[2], right), Math.max(all[3], bottom)]
        : [left, top, right, bottom]
    }
    return all
  }

  /** Points on both edges of a slur, whose path is two cubic Bézier curves. */
  function curve(element) {
    const numbers = element.getAttribute("d").match(/-?(\d+\.?\d*|\.\d+)/g).map(Number)
    const points = []
    for (const begin of [0, 6]) {
      const [a, b, c, d] = [0, 2, 4, 6].map((place) => [numbers[begin + place], numbers[begin + place + 1]])
      for (let step = 1; step < 32; step += 1) {
        const t = step / 32
        const s = 1 - t
        points.push([0, 1].map((axis) => (
          s * s * s * a[axis] + 3 * s * s * t * b[axis] + 3 * s * t * t * c[axis] + t * t * t * d[axis])))
      }
    }
    return points
  }

  const overlaps = []
  for (const system of svg.querySelectorAll(".system, .header")) {
    const inverse = system.getScreenCTM().inverse()
    const items = []
    for (const element of system.querySelectorAll(classes.map((name) => `.${name}`).join())) {
      const kind = element.getAttribute("class")
      // An element that is only lines of no height, such as a hyphen, has a box too.
      const item = { element, kind, box: box(element, inverse) }
      if (!item.box) continue
      if (kind === "slur" || kind === "tie") item.curve = curve(element)
      items.push(item)
    }
    items.sort((a, b) => a.box[0] - b.box[0])
    for (let i = 0; i < items.length; i += 1) {
      for (let j = i + 1; j < items.length && items[j].box[0] < items[i].box[2]; j += 1) {
        const [a, b] = [items[i], items[j]]
        const width = Math.min(a.box[2], b.box[2]) - Math.max(a.box[0], b.box[0])
        const height = Math.min(a.box[3], b.box[3]) - Math.max(a.box[1], b.box[1])
        if (width <= tolerance || height <= tolerance) continue
        if (a.curve && b.curve) continue
        if (a.curve || b.curve) {
          const [line, other] = a.curve ? [a, b] : [b, a]
          // A slur may pass over accidentals and clefs, and tuplet brackets; a tie lies between its heads.
          const inside = line.curve.some(([x, y]) => (
            x > other.box[0] + tolerance && x < other.box[2] - tolerance && y > other.box[1] + tolerance && y < other.box[3] - tolerance))
          if (!inside) continue
        }
        // Two voices may share a note head, or the rest between them.
        const isShared = a.kind === b.kind && (a.kind === "note" || a.kind === "rest")
          && a.box.every((value, index) => Math.abs(value - b.box[index]) < 0.5)
        if (isShared) continue
        const name = ({ element }) => element.id || element.textContent.slice(0, 20)
        const bar = (a.element.closest("[data-bar]") ?? b.element.closest("[data-bar]"))?.dataset.bar
        overlaps.push([a.kind, b.kind, bar ?? "", `${name(a)} ${name(b)}`, width.toFixed(1), height.toFixed(1)])
      }
    }
  }
  return overlaps
}

const [head, ...rows] = readFileSync(`${folder}/index.tsv`, "utf8").trim().split("\n").map((line) => line.split("\t"))
const column = (name) => head.indexOf(name)
const browser = new Chromium()
const page = await browser.open("data:text/html,<meta charset=utf-8><body></body>")
await page.evaluate(`globalThis.measure = ${measure}; document.fonts.ready.then(() => 0)`)

const pairs = new Map()
let notes = 0
let octets = 0
let compressed = 0
const places = ["number\tfile\tpart\tbar\tclasses\telements\twidth\theight"]
const geometry = [[...head, "gzip", "overlaps"].join("\t")]
const largest = { size: 0, row: undefined }
for (const row of rows) {
  const text = readFileSync(`${folder}/${row[0]}.svg`, "utf8")
  const size = gzipSync(text, { level: 9, memLevel: 9 }).length
  const overlaps = await page.evaluate(`measure(${JSON.stringify(text)})`)
  notes += Number(row[column("notes")])
  octets += text.length
  compressed += size
  const perTwenty = size / Math.max(20, Number(row[column("pages")])) * 20
  if (perTwenty > largest.size) Object.assign(largest, { size: perTwenty, row })
  geometry.push([...row, size, overlaps.length].join("\t"))
  for (const [a, b, bar, elements, width, height] of overlaps) {
    const pair = [a, b].sort().join("-")
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
    places.push([row[0], row[column("file")], row[column("part")], bar, pair, elements.replaceAll(/\s+/g, " "), width, height].join("\t"))
  }
}
await browser.close()
writeFileSync(`${folder}/overlaps.tsv`, `${places.join("\n")}\n`)
writeFileSync(`${folder}/geometry.tsv`, `${geometry.join("\n")}\n`)

const strict = ["note", "rest", "accidental", "dot", "lyric"]
const soft = ["dynamic", "slur", "hairpin", "chordSymbol"]
const sum = (condition) => [...pairs].reduce((total, [pair, count]) => total + (condition(pair.split("-")) ? count : 0), 0)
const rate = (count) => (count / notes * 1000).toFixed(3)
let failed = false
console.log(`${rows.length} parts, ${notes} notes, ${octets} octets of SVG, ${compressed} after gzip`)
console.log(`largest for 20 pages: ${(largest.size / 1000).toFixed(1)} kB after gzip, ${largest.row?.slice(1, 4).join(" ")}`)
if (largest.size > 150_000) failed = true
console.log("overlaps, in all and per 1000 notes:")
for (const name of strict) {
  const count = sum((pair) => pair.includes(name) && pair.every((other) => strict.includes(other)))
  if (count > 0) failed = true
  console.log(`  ${name} and ${strict.join(", ")}: ${count}, ${rate(count)}`)
}
for (const name of soft) {
  const count = sum((pair) => pair.includes(name))
  if (count / notes >= 1e-3) failed = true
  console.log(`  ${name} and anything: ${count}, ${rate(count)}`)
}
console.log("by pair:")
for (const [pair, count] of [...pairs].sort((a, b) => b[1] - a[1])) console.log(`  ${pair}: ${count}, ${rate(count)}`)
process.exit(failed ? 1 : 0)
