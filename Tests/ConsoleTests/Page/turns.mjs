// Tests of the turning by halves and of the lookup of bars, without a browser. vectors.mjs imports this file.

import { PageTurns } from "../../../Sources/Console/Page/page-turns.js"
import { ScoreRoute } from "../../../Sources/Console/Page/score-route.js"

export let failures = 0

function check(what, actual, expected) {
  const [a, e] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (a === e) return
  failures += 1
  console.error(`turns, ${what}: ${a} instead of ${e}`)
}

/** Four pieces of two bars each. */
const pieces = [0, 1, 2, 3].map((piece) => new Set([2 * piece, 2 * piece + 1]))

/** A route through written bars of one quarter note each. */
const routeOf = (bars) => new ScoreRoute({ lines: [{ from: "-9223372036854775808", origin: "0", loop: 0, bars, starts: [...bars, 0].map((_, index) => 24 * index) }] })

/** What is shown at each bar of a route. */
function play(turns, bars) {
  const route = routeOf(bars)
  return bars.map((_, index) => {
    const position = route.at(24 * index + 1)
    turns.follow(position.bar, (test) => route.find(position, test)?.position.bar)
    return [...turns.shown]
  })
}

check("straight on, two places", play(new PageTurns(pieces, 2), [0, 1, 2, 3, 4, 5, 6, 7]),
  [[0, 1], [0, 1], [2, 1], [2, 1], [2, 3], [2, 3], [2, 3], [2, 3]])
check("straight on, one place", play(new PageTurns(pieces, 1), [0, 1, 2, 3, 4]), [[0], [0], [1], [1], [2]])
check("a repeat shows its beginning in advance", play(new PageTurns(pieces, 2), [0, 1, 2, 3, 0, 1, 2, 3, 4]),
  [[0, 1], [0, 1], [0, 1], [0, 1], [0, 1], [0, 1], [2, 1], [2, 1], [2, 1]])
check("a jump to the end", play(new PageTurns(pieces, 2), [0, 1, 6, 7]), [[0, 3], [0, 3], [0, 3], [0, 3]])
check("a loop inside a piece shows what comes after it", play(new PageTurns(pieces, 2), [2, 3, 2, 3, 2, 3, 4]).at(0), [2, 1])

{
  const turns = new PageTurns(pieces, 2)
  turns.follow(0, () => 2)
  check("a turn", [turns.turn(1), turns.isManual, turns.shown], [true, true, [2, 1]])
  turns.follow(1, () => 2)
  check("the stand stays where the player has turned to", [turns.isManual, turns.shown], [true, [2, 1]])
  turns.follow(2, () => 4)
  check("the stand follows when the music arrives", [turns.isManual, turns.shown], [false, [2, 1]])
  check("a turn back", [turns.turn(-1), turns.shown], [true, [0, 1]])
  turns.follow(3, () => 4)
  check("a turn back is kept while the same piece plays", [turns.isManual, turns.shown], [true, [0, 1]])
  check("no turn before the first piece", [turns.turn(-1), turns.turn(-1)], [false, false])
  turns.release()
  turns.follow(3, () => 4)
  check("back to the music", [turns.isManual, turns.shown], [false, [2, 1]])
}

{
  const route = routeOf([0, 1, 2, 3])
  check("after the last bar", route.at(96), undefined)
  check("before the first tick", route.at(-5).bar, 0)
  check("the next rest", route.find(route.at(1), (bar) => bar === 3).distance, 3)
  check("no such bar", route.find(route.at(1), (bar) => bar === 9), undefined)
  const jump = new ScoreRoute({ lines: [
    { from: "-9223372036854775808", origin: "0", loop: 0, bars: [0, 1, 2], starts: [0, 24, 48, 72] },
    { from: "48", origin: "48", loop: 48, bars: [7, 8], starts: [0, 24, 48] },
  ] })
  const bars = []
  for (let position = jump.at(0); position && bars.length < 7; position = jump.after(position)) bars.push(position.bar)
  check("the bars after an announced jump, and a loop", bars, [0, 1, 7, 8, 7, 8, 7])
  check("a loop", jump.at(48 + 24 * 5).bar, 8)
}
