// An engraved part, as the peer serves it in SVG: all systems at one width. The page cuts it into systems and puts them together as they fit
// on the stand. Everything is in one file, so a later loss of the network does not matter.

/** The waits until the page asks again for a part that is being engraved, in milliseconds. The last one repeats. */
const WAITS = [20, 40, 80, 150, 250]
/** A part that is not engraved after this time is given up, in milliseconds. */
const LIMIT = 20_000
/** The number of parts that are kept. */
const MAXIMUM_KEPT = 8
const SVG = "http://www.w3.org/2000/svg"
/** If the first note of a bar is farther from the bar line than this, in pixels, signatures are between them. */
const SIGNATURE = 28
/** The space before the first note after a signature, in pixels. */
const BEFORE = 7

/** The parts that were loaded, by path, the oldest first. */
const kept = new Map()
/** The font of the words in the score; undefined before it is requested. */
let font

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Two numbers of an attribute. A minus sign can separate them. */
const pair = (attribute) => (attribute ?? "").match(/-?[\d.]+/g)?.map(Number) ?? [0, 0]

/** A number or a fraction. */
function quarters(value) {
  const [numerator, denominator] = value.split("/").map(Number)
  return numerator / (denominator ?? 1)
}

/** A bar, or the bars of one rest over several bars. Lengths are in pixels. */
class Measure {
  constructor(bar, left) {
    Object.assign(this, { from: bar, to: bar, left, right: left, onsets: new Map() })
  }

  /** The left edge of what sounds: at the beginning of a system, clef and signatures are before it. */
  get begin() {
    const first = this.onsets.get(this.from)?.[0]?.[1] ?? this.left
    return first - this.left > SIGNATURE ? first - BEFORE : this.left
  }

  /** The x of a position in a bar, in quarter notes from the beginning of the bar, which is `length` quarter notes long. */
  x(bar, position, length) {
    const count = this.to - this.from + 1
    const onsets = count === 1 ? this.onsets.get(bar) ?? [] : []
    // The cursor stands at each onset when it sounds, and reaches the end of the bar with the end of the last note.
    const points = onsets.length > 0 ? [...onsets, [length, this.right]] : [
      [0, this.left + ((this.right - this.left) * (bar - this.from)) / count],
      [length, this.left + ((this.right - this.left) * (bar - this.from + 1)) / count],
    ]
    const next = points.findIndex(([at]) => at > position)
    if (next < 0) return points.at(-1)[1]
    if (next === 0) return points[0][1]
    const [[from, left], [to, right]] = [points[next - 1], points[next]]
    return left + ((right - left) * (position - from)) / (to - from)
  }
}

/** An engraved part. Lengths are in pixels. */
export class SheetMusic {
  /** The name of the part. */
  part
  width
  /**
   * The systems: {element, top, bottom, staffTop, staffBottom, measures}. The lengths count from the top line of the first staff, so `top` is
   * negative.
   */
  systems
  /** The outlines of the signs, to which the systems refer. */
  definitions
  /** The bars in which the part plays. */
  sounding = new Set()
  #viewBox
  #scale

  /** @param svg the text of the SVG file. @param width the width of the picture in pixels. */
  constructor(svg, part, width) {
    const root = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement
    if (root.nodeName !== "svg") throw new Error("SVG")
    this.part = part
    this.width = width
    this.#viewBox = root.getAttribute("viewBox").split(" ").map(Number)
    this.#scale = width / this.#viewBox[2]
    this.definitions = document.createElementNS(SVG, "svg")
    this.definitions.setAttribute("class", "stand-signs")
    this.definitions.setAttribute("aria-hidden", "true")
    this.definitions.append(...[...root.querySelectorAll("defs")].map((defs) => document.adoptNode(defs)))
    this.systems = [...root.querySelectorAll("g.system")].map((element) => this.#system(document.adoptNode(element)))
    if (this.systems.length === 0) throw new Error("no bars")
  }

  #system(element) {
    const [x, y] = pair(element.getAttribute("transform"))
    const px = (value) => value * this.#scale
    const staves = element.dataset.staves.split(" ").map(Number)
    const across = (value) => px(Number(value) + x - this.#viewBox[0])
    const measures = []
    for (const group of element.querySelectorAll("g[data-bar]")) {
      const [bar, left] = [Number(group.dataset.bar), across(group.dataset.x)]
      // The bars of one rest begin at the same place.
      const last = measures.at(-1)
      const measure = last?.left === left ? last : new Measure(bar, left)
      measure.to = bar
      measure.onsets.set(bar, [...group.querySelectorAll("g[data-offset]")].map((onset) => (
        [quarters(onset.dataset.offset), across(pair(onset.getAttribute("transform"))[0])])))
      if (measure !== last) measures.push(measure)
      if (group.querySelector("[id^=n]")) this.sounding.add(bar)
    }
    measures.forEach((measure, index) => { measure.right = measures[index + 1]?.left ?? across(element.dataset.right) })
    const [top, bottom] = pair(element.dataset.y).map((value) => px(value - y))
    // The styles of the page do not apply to the score, whose classes have the same names as some of the page.
    for (const each of element.querySelectorAll("[class]")) each.removeAttribute("class")
    // A staff is four spaces high, and a space has ten units.
    return { element, top, bottom, staffTop: px(staves[0]), staffBottom: px(staves.at(-1) + 40), measures, x }
  }

  /** A picture of some systems, as {system, y}: y is the distance of the top line from the upper edge. A system is in one picture only. */
  picture(systems, { height }) {
    const picture = document.createElementNS(SVG, "svg")
    const [left, , width] = this.#viewBox
    picture.setAttribute("viewBox", `${left} 0 ${width} ${height / this.#scale}`)
    picture.setAttribute("width", String(this.width))
    picture.setAttribute("height", String(height))
    picture.setAttribute("preserveAspectRatio", "xMidYMin meet")
    picture.setAttribute("fill", "currentColor")
    picture.setAttribute("font-family", "'Tutti Score', C059, 'Century Schoolbook', serif")
    picture.setAttribute("role", "group")
    picture.setAttribute("aria-label", this.part)
    for (const { system, y } of systems) {
      system.element.setAttribute("transform", `translate(${system.x} ${y / this.#scale})`)
      picture.append(system.element)
    }
    return picture
  }

  /** Loads a part from the peer, unless it was loaded before. `width` is in pixels. */
  static async load(connection, path, part, width) {
    font ??= loadFonts(connection)
    const music = kept.get(path) ?? new SheetMusic(await request(connection, path), part, width)
    kept.delete(path)
    kept.set(path, music)
    if (kept.size > MAXIMUM_KEPT) kept.delete(kept.keys().next().value)
    return music
  }
}

/** Requests a part until it is engraved. */
async function request(connection, path) {
  const end = performance.now() + LIMIT
  for (let attempt = 0; performance.now() < end; attempt += 1) {
    const response = await fetch(connection.origin + path, { headers: connection.headers, signal: AbortSignal.timeout(LIMIT) })
    if (response.status === 200) return response.text()
    const isBusy = response.status === 202 || response.status === 503
    if (!isBusy) throw new Error((await response.text()).trim())
    await sleep(WAITS[Math.min(attempt, WAITS.length - 1)])
  }
  throw new Error("timeout")
}

/** Loads the text font with whose widths the peer has engraved. Without it, the device stretches its own font to these widths. */
async function loadFonts(connection) {
  const faces = [["roman", {}], ["italic", { style: "italic" }], ["bold", { weight: "bold" }]]
  await Promise.allSettled(faces.map(async ([name, descriptors]) => {
    const response = await fetch(`${connection.origin}/score/${name}.otf`, { headers: connection.headers })
    if (!response.ok) return
    const face = new FontFace("Tutti Score", await response.arrayBuffer(), descriptors)
    document.fonts.add(await face.load())
  }))
}
