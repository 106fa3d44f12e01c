/// A section of bars that is played several times: a body, and endings of which each pass takes one.
///
/// A section begins at a sign that begins a repeat, at a coda, after the section before it, or at the beginning of the score. It ends at a
/// sign that ends a repeat, or with the last of the endings that follow each other. Repeats are not nested: a sign that ends a repeat
/// belongs to the last sign that begins one, as in print.
struct RepeatSection: Hashable {
  struct Ending: Hashable {
    var bars: ClosedRange<Int>
    var passes: [UInt8]
  }

  /// The bars with all endings.
  var bars: ClosedRange<Int>
  /// In the order of the score; none if all passes play all bars.
  var endings: [Ending] = []
  /// How often the section is played.
  var passes: Int
  var isTakenAfterJump: Bool

  /// The ending that contains a bar.
  func ending(at bar: Int) -> Ending? { endings.first { $0.bars.contains(bar) } }

  /// The ending that a pass takes; nil if the pass goes on after the endings.
  func ending(ofPass pass: Int) -> Ending? { endings.first { $0.passes.contains(UInt8(clamping: pass)) } }

  /// The sections of a score in order. They do not overlap.
  static func sections(of bars: [Bar]) -> [RepeatSection] {
    var sections: [RepeatSection] = []
    var (start, index) = (0, 0)
    while index < bars.count {
      if bars[index].beginsRepeat || bars[index].coda != nil { start = index }
      if !bars[index].ending.isEmpty {
        let section = RepeatSection(from: start, endingsFrom: index, bars)
        sections.append(section)
        (start, index) = (section.bars.upperBound + 1, section.bars.upperBound + 1)
      } else if let end = bars[index].repeatEnd {
        sections.append(
          RepeatSection(bars: start...index, passes: Int(end.times), isTakenAfterJump: end.isTakenAfterJump))
        (start, index) = (index + 1, index + 1)
      } else {
        index += 1
      }
    }
    return sections
  }

  private init(bars: ClosedRange<Int>, passes: Int, isTakenAfterJump: Bool) {
    (self.bars, self.passes, self.isTakenAfterJump) = (bars, passes, isTakenAfterJump)
  }

  /// The section whose first ending begins at `first`.
  private init(from start: Int, endingsFrom first: Int, _ bars: [Bar]) {
    var index = first
    while index < bars.count, endings.count < Score.Limits.repeats, !bars[index].ending.isEmpty,
      index == first || !(bars[index].beginsRepeat || bars[index].coda != nil)
    {
      let end = Self.end(ofEndingAt: index, bars)
      endings.append(Ending(bars: index...end, passes: bars[index].ending))
      index = end + 1
    }
    self.bars = start...endings.last!.bars.upperBound
    let repeats = bars[first..<index].compactMap(\.repeatEnd)
    isTakenAfterJump = repeats.contains(where: \.isTakenAfterJump)
    passes = endings.map { Int($0.passes.last ?? 1) }.max() ?? 1
    // The only ending returns, and the last pass goes on after it.
    if endings.count == 1, bars[endings[0].bars.upperBound].repeatEnd != nil { passes += 1 }
  }

  /// The last bar of an ending: the bar with its end; without one, the bar with the end of the repeat before anything else begins, or
  /// the one bar.
  private static func end(ofEndingAt start: Int, _ bars: [Bar]) -> Int {
    for index in start..<bars.count {
      if index > start, !bars[index].ending.isEmpty || bars[index].beginsRepeat || bars[index].coda != nil {
        return index - 1
      }
      if bars[index].endingEnd != nil || bars[index].repeatEnd != nil { return index }
    }
    return start
  }
}

extension Score {
  /// Where the leader can take an ending, for the bar that plays.
  ///
  /// - Parameters:
  ///   - number: the number of the ending, from 1.
  ///   - bar: the index in ``bars`` of the bar that plays: in a section with endings, or in one of these endings.
  /// - Returns: `line`, the bar with which the next ending begins: at this bar line, the music can go to the other ending. `bar`, the first
  ///   bar of the ending with the number. nil if there is no such ending, or if no ending begins after the bar.
  public func ending(_ number: Int, after bar: Int) -> (line: Int, bar: Int)? {
    guard let section = RepeatSection.sections(of: bars).first(where: { $0.bars.contains(bar) }),
      let next = section.endings.first(where: { $0.bars.lowerBound > bar }),
      let ending = section.ending(ofPass: number)
    else { return nil }
    return (next.bars.lowerBound, ending.bars.lowerBound)
  }
}
