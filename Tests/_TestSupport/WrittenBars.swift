public import Scores

/// Writes scores of bars with signs as one line of text, for tests of routes.
///
/// A bar is a letter. Before it: `|:` begins a repeat, `$` is a segno, `@` a coda, `[1,3:` begins an ending. After it: `]` and `)` end an
/// ending (closed and open), `:|` ends a repeat (`:|3` three times, `:|!` also after a jump), `.dc`, `.ds`, `.coda` (To Coda) and `.fine`.
public func bars(_ text: String, length: Fraction = Fraction(4)) -> Score {
  var score = Score()
  for token in text.split(separator: " ") {
    var rest = token[...]
    func take(_ prefix: String) -> Bool {
      guard rest.hasPrefix(prefix) else { return false }
      rest = rest.dropFirst(prefix.count)
      return true
    }
    var bar = Bar(number: "", length: length)
    while let first = rest.first, !first.isLetter {
      if take("|:") {
        bar.beginsRepeat = true
      } else if take("$") {
        bar.segno = "segno"
      } else if take("@") {
        bar.coda = "coda"
      } else if take("[") {
        let numbers = rest.prefix { $0 != ":" }
        rest = rest.dropFirst(numbers.count + 1)
        bar.ending = numbers.split(separator: ",").flatMap { item in
          let ends = item.split(separator: "-").compactMap { UInt8($0) }
          return Array(ends[0]...ends[ends.count - 1])
        }
      } else {
        preconditionFailure("\(token): unknown sign")
      }
    }
    bar.number = String(rest.removeFirst())
    while !rest.isEmpty {
      if take(":|") {
        let times = rest.prefix { $0.isNumber }
        rest = rest.dropFirst(times.count)
        bar.repeatEnd = Bar.Repeat(times: UInt8(times) ?? 2, isTakenAfterJump: take("!"))
      } else if take("]") {
        bar.endingEnd = .stop
      } else if take(")") {
        bar.endingEnd = .discontinue
      } else if take(".dc") {
        bar.jump = .daCapo
      } else if take(".ds") {
        bar.jump = .dalSegno("segno")
      } else if take(".coda") {
        bar.toCoda = "coda"
      } else if take(".fine") {
        bar.isFine = true
      } else {
        preconditionFailure("\(token): unknown sign")
      }
    }
    score.bars.append(bar)
  }
  score.bars[0].metre = .common
  var part = Part(name: "Flute", instruments: [.init(name: "Flute", program: 73)])
  part.bars = Array(repeating: PartBar(), count: score.bars.count)
  score.parts = [part]
  score.assignIdentifiers()
  return score
}

extension Score {
  /// The numbers of the bars of a route without spaces between them.
  public func names(_ route: Route) -> String { route.bars.map { bars[$0.bar].number }.joined() }
}
