/// The walk through the bars of a score: which bar follows, by repeats, endings, D.C., D.S., To Coda and Fine.
///
/// The walk holds the section that it is in and the pass through it. At the end of a bar it decides in this order: a repeat that is to be
/// taken, Fine and To Coda (after a jump only), a jump that has not been taken, the next bar. `Routes.md` gives the reasons.
struct RouteWalk {
  private let bars: [Bar]
  private let sections: [RepeatSection]
  /// The first bars with each label.
  private let segnos: [String: Int]
  private let codas: [String: Int]
  private var bar: Int
  /// The index in ``sections`` of the section that contains the bar, and the pass through it.
  private var section: Int?
  private var pass = 1
  /// Whether repeats are not taken: after D.C. and D.S., up to the coda.
  private var isAfterJump: Bool
  /// Whether Fine counts: after a jump.
  private var endsAtFine = false
  /// Whether To Coda counts: after a jump, once.
  private var seeksCoda = false
  /// The bars whose jumps have been taken. Each is taken once.
  private var takenJumps: Set<Int> = []

  /// Begins at a bar that exists. After a jump, all jumps count as taken.
  init(_ score: Score, at bar: Int, pass first: Int = 1, isAfterJump: Bool) {
    bars = score.bars
    sections = RepeatSection.sections(of: score.bars)
    segnos = Dictionary(bars.enumerated().compactMap { index, bar in bar.segno.map { ($0, index) } }) { first, _ in
      first
    }
    codas = Dictionary(bars.enumerated().compactMap { index, bar in bar.coda.map { ($0, index) } }) { first, _ in first
    }
    (self.bar, self.isAfterJump) = (bar, isAfterJump)
    (endsAtFine, seeksCoda) = (isAfterJump, isAfterJump)
    if isAfterJump { takenJumps = Set(bars.indices.filter { bars[$0].jump != nil }) }
    enter()
    if let section, first > 1 { pass = min(first, sections[section].passes) }
    // The walk plays the ending at which it begins.
    if let section, let passes = sections[section].ending(at: bar)?.passes, !passes.contains(UInt8(clamping: pass)),
      let first = passes.first
    {
      pass = Int(first)
    }
  }

  /// The next bar to play, its pass, and whether repeats are not taken after a jump; nil after the end.
  mutating func next() -> (bar: Int, pass: Int, isAfterJump: Bool)? {
    skipEndings()
    guard bars.indices.contains(bar) else { return nil }
    defer { advance() }
    return (bar, pass, isAfterJump)
  }

  /// Leaves out the endings of other passes.
  private mutating func skipEndings() {
    // The section after the endings may begin with endings too.
    while let section, let ending = sections[section].ending(at: bar), ending.bars.lowerBound == bar,
      !ending.passes.contains(UInt8(clamping: pass))
    {
      if let own = sections[section].ending(ofPass: pass) {
        bar = own.bars.lowerBound
      } else {
        go(to: sections[section].bars.upperBound + 1)
      }
    }
  }

  private mutating func advance() {
    let current = bars[bar]
    if let section {
      let all = sections[section]
      let isEnd = all.ending(at: bar).map { $0.bars.upperBound == bar } ?? (all.bars.upperBound == bar)
      if isEnd, current.repeatEnd != nil, !isLastPass {
        pass += 1
        bar = all.bars.lowerBound
        return
      }
    }
    if endsAtFine, current.isFine {
      bar = bars.count
    } else if seeksCoda, let label = current.toCoda, let coda = place(label, codas), isLastPass {
      (isAfterJump, seeksCoda) = (false, false)
      go(to: coda)
    } else if let jump = current.jump, !takenJumps.contains(bar), let target = target(jump) {
      takenJumps.insert(bar)
      (isAfterJump, endsAtFine, seeksCoda) = (true, true, true)
      go(to: target)
    } else if let section, let ending = sections[section].ending(at: bar), ending.bars.upperBound == bar {
      // The last pass may take an ending that is not the last in print. It goes on after all of them.
      go(to: sections[section].bars.upperBound + 1)
    } else {
      go(to: bar + 1)
    }
  }

  /// Whether no other pass through the section follows.
  private var isLastPass: Bool {
    section.map { pass >= sections[$0].passes || isAfterJump && !sections[$0].isTakenAfterJump } ?? true
  }

  /// Continues at a bar, and enters its section if it is another one.
  private mutating func go(to target: Int) {
    let isNext = target == bar + 1
    bar = target
    if isNext, let section, sections[section].bars.contains(target) { return }
    enter()
  }

  private mutating func enter() {
    // The sections are in order and do not overlap.
    var (low, high) = (0, sections.count)
    while low < high {
      let middle = (low + high) / 2
      if sections[middle].bars.upperBound < bar { low = middle + 1 } else { high = middle }
    }
    section = low < sections.count && sections[low].bars.contains(bar) ? low : nil
    pass = section.map { isAfterJump && !sections[$0].isTakenAfterJump ? sections[$0].passes : 1 } ?? 1
  }

  private func target(_ jump: Bar.Jump) -> Int? {
    switch jump {
    case .daCapo: 0
    case .dalSegno(let label): place(label, segnos)
    }
  }

  /// The bar with a label; the only label of the score, because programs name both ends differently.
  private func place(_ label: String, _ signs: [String: Int]) -> Int? {
    signs[label] ?? (signs.count == 1 ? signs.values.first : nil)
  }
}
