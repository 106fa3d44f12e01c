// Which written bar of the score sounds at a tick. The peer has unfolded the repeats (frame `route`), so the page only looks up.

/** The bars of a frame `route`. Positions are as in {@link ScoreRoute.at}. */
export class ScoreRoute {
  #lines

  /** @param lines the lines of the frame, in the order of their first ticks. */
  constructor({ lines } = { lines: [] }) {
    this.#lines = lines.map((line) => ({ ...line, from: Number(line.from), origin: Number(line.origin) }))
  }

  /** The first written bar of the newest line; undefined without a score. */
  get first() {
    return this.#lines.at(-1)?.bars[0]
  }

  /** Whether the bars repeat until the leader ends it, at a tick. */
  loopsAt(tick) {
    return this.#lineAt(tick)?.loop > 0
  }

  #lineAt(tick) {
    return this.#lines.findLast(({ from }) => from <= tick) ?? this.#lines[0]
  }

  /**
   * The position at a tick, which may have a fraction; undefined after the last bar, or without a score. `bar` is the index of the written
   * bar, `start` the tick at which it begins, `length` its length in ticks, and `ticks` those that have passed since then. Before the first
   * bar, this is the first bar with 0 ticks.
   */
  at(tick) {
    const line = this.#lineAt(tick)
    if (!line) return undefined
    const passed = Math.max(tick - line.origin, 0)
    const turn = line.loop > 0 ? Math.floor(passed / line.loop) : 0
    const place = passed - turn * line.loop
    if (line.loop === 0 && place >= line.starts.at(-1)) return undefined
    let [low, high] = [0, line.bars.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (line.starts[middle] <= place) low = middle
      else high = middle
    }
    return this.#position(line, turn, low, Math.max(place - line.starts[low], 0))
  }

  #position(line, turn, index, ticks) {
    return {
      line, turn, index, ticks, bar: line.bars[index], start: line.origin + turn * line.loop + line.starts[index],
      length: line.starts[index + 1] - line.starts[index],
    }
  }

  /** The position at the beginning of the bar that sounds after that of a position; undefined after the last one. */
  after({ line, turn, index, start, length }) {
    const end = start + length
    const next = this.#lines.find(({ from }) => from > start && from <= end)
    if (next && next !== line) return this.at(end)
    if (index + 1 < line.bars.length) return this.#position(line, turn, index + 1, 0)
    return line.loop > 0 ? this.#position(line, turn + 1, 0, 0) : undefined
  }

  /** The first position, from the one after `position` on, for which `test` is true, and how many bars later it is. At most `limit` bars. */
  find(position, test, limit = 1000) {
    let next = position
    for (let distance = 1; distance <= limit; distance += 1) {
      next = this.after(next)
      if (!next) return undefined
      if (test(next.bar)) return { position: next, distance }
    }
    return undefined
  }
}
